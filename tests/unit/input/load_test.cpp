// Whole files: what becomes of them, and in which words it is told.
#include "hta/input/load.h"

#include <catch2/catch.hpp>
#include <zlib.h>

namespace hta::input {
namespace {

std::string event(int i, std::string_view more = "") {
  return R"({"ph":"X","cat":"kernel","name":"k)" + std::to_string(i) + R"(","pid":0,"tid":7,"ts":)" +
         std::to_string(10 * i) + R"(,"dur":5)" + std::string(more) + "}";
}
std::string document(std::string_view events) {
  return R"({"schemaVersion":1,"traceEvents":[)" + std::string(events) + "]}";
}

LoadedFile load(std::string_view text, const LoadOptions& options = {}) {
  Workspace workspace;
  OpenedSource opened;
  opened.source = memory_source(text.data(), text.size());
  if (text.starts_with("\x1F\x8B")) opened.packing = Packing::kGzip;
  return load_source("x.json", std::move(opened), options, 1, workspace);
}

std::string gzipped(std::string_view text) {
  z_stream zlib{};
  REQUIRE(deflateInit2(&zlib, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&zlib, text.size()) + 64, '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  zlib.avail_in = static_cast<uInt>(text.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&zlib, Z_FINISH) == Z_STREAM_END);
  out.resize(zlib.total_out);
  deflateEnd(&zlib);
  return out;
}

// code: message, one a line
std::string notes(const LoadedFile& file) {
  std::string out;
  for (const FileNote& note : file.notes) out += note.code + (note.loses_data ? "!" : "") + ": " + note.message + "\n";
  return out;
}
const Trace& only(const LoadedFile& file) {
  REQUIRE(file.status == FileStatus::kOk);
  REQUIRE(file.traces.size() == 1);
  return file.traces.front();
}

}  // namespace

TEST_CASE("load: files that give no trace say why") {
  struct Case {
    std::string text;
    FileStatus status;
    std::string problem;
  };
  const std::vector<Case> cases{
      {"", FileStatus::kEmpty, "is empty; was the job killed before it wrote the trace?"},
      {"{\"traceEvents\": []}", FileStatus::kEmpty, "holds no events; was the profiler started?"},
      {"<!DOCTYPE html>", FileStatus::kNotATrace,
       "is no profiler trace (no traceEvents); give the file that export_chrome_trace wrote"},
      {"{\"schema\": \"1.0.2\", \"nodes\": []}", FileStatus::kNotATrace,
       "is an execution trace, not a profiler trace; give the file that export_chrome_trace wrote"},
      {"{\"schema\": \"hta/1\", \"tables\": {}}", FileStatus::kOwnOutput, "was written by hta"},
      {std::string("\xFF\xFE{\0", 4), FileStatus::kNotATrace, "is UTF-16 text; convert it (iconv -f UTF-16 -t UTF-8)"},
      {std::string("PK\x03\x04", 4), FileStatus::kNotATrace, "is a zip archive; unpack it first (unzip)"},
      {"\x28\xB5\x2F\xFD", FileStatus::kNotATrace, "is packed with zstd; unpack it first (zstd -d)"},
      {"SQLite format 3", FileStatus::kNotATrace,
       "is a SQLite database (Nsight Systems?), not a PyTorch profiler trace"},
  };
  for (const Case& c : cases) {
    const LoadedFile file = load(c.text);
    CHECK(file.status == c.status);
    CHECK(file.problem == c.problem);
    CHECK(file.traces.empty());
  }
}

TEST_CASE("load: an overlay is read for those who ask for it by name") {
  const LoadedFile file = load(R"({"schema":"hta/1","traceEvents":[{"ph":"X","name":"k","ts":1,"dur":1}]})");
  CHECK(file.status == FileStatus::kOwnOutput);
  CHECK(file.traces.size() == 1);
}

TEST_CASE("load: what is wrong with a usable file is told in notes") {
  CHECK(notes(load(document(event(1)))) == "");
  CHECK(notes(load(document(event(1) + ","))) == "trailing-comma: a comma stands before the end of the event array\n");
  CHECK(
      notes(load(document(event(1)).substr(0, 80))) ==
      "truncated!: the file is truncated: it ends inside the document, at byte 80; every whole event before is used\n");
  CHECK(notes(load(document(event(1)) + document(event(2)))) ==
        "second-document: a second JSON document follows the first and is ignored\n");
  CHECK(notes(load(document(event(1)) + "garbage")) ==
        "trailing-bytes: bytes that do not belong to it follow the document and are ignored\n");
  CHECK(notes(load(document(R"({"ph":"X","cat":"python_function","name":"C:\Users","ts":1,"dur":1},)" + event(2)))) ==
        "odd-escapes: 1 escape is not JSON (single backslashes?); kept as they stand\n");
  CHECK(notes(load(document("{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"\xFF\xFE\",\"ts\":1,\"dur\":1}," +
                            event(2)))) == "bad-utf8: 1 text is not UTF-8; broken bytes are shown as U+FFFD\n");
  CHECK(notes(load(document("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\nb\",\"ts\":1,\"dur\":1}"))) ==
        "control-characters: 1 event holds raw control characters in a string; kept\n");
  CHECK(notes(load("{\"distributedInfo\": {\"rank\": N/A, \"world_size\": 1}, \"traceEvents\": [" + event(1) + "]}"))
            .starts_with("metadata-repaired: 1 member of the document"));
}

TEST_CASE("load: gzip, whole, in pieces, cut and damaged") {
  std::string events = event(0);
  for (int i = 1; i < 3000; ++i) events += "," + event(i);
  const std::string text = document(events);
  const std::string packed = gzipped(text);
  CHECK(only(load(packed)).gpu.size() == 3000);
  CHECK(notes(load(packed)) == "");
  const std::size_t half = text.size() / 2;
  CHECK(only(load(gzipped(text.substr(0, half)) + gzipped(text.substr(half)))).gpu.size() == 3000);

  const LoadedFile cut = load(std::string_view(packed).substr(0, packed.size() / 2));
  const std::size_t some = only(cut).gpu.size();
  CHECK(some > 500);
  CHECK(some < 3000);
  CHECK(notes(cut).starts_with("gzip-truncated!: the gzip data are cut short at byte " +
                               std::to_string(packed.size() / 2) + " of the file; every whole event before is used\n"));

  const LoadedFile trailing = load(packed + "xyz");
  CHECK(only(trailing).gpu.size() == 3000);
  CHECK(notes(trailing) == "gzip-trailing-bytes: bytes that are no gzip follow the data at byte " +
                               std::to_string(packed.size()) + " of the file and are ignored\n");
  CHECK(notes(load(packed + std::string(512, '\0'))) == "");

  std::string flipped = packed;
  flipped[packed.size() / 2] = static_cast<char>(flipped[packed.size() / 2] ^ 0x55);
  const LoadedFile corrupt = load(flipped);
  CHECK(corrupt.status == FileStatus::kOk);
  CHECK(corrupt.notes.front().loses_data);
}

TEST_CASE("load: events are counted by fault") {
  const Quality quality =
      only(
          load(document(
              event(1) +
              R"(,{"ph":"X","cat":"kernel","ts":1,"dur":1})"            // no name
              R"(,{"ph":"X","cat":"kernel","name":"","ts":1,"dur":1})"  // an empty one is one
              R"(,{"ph":"X","name":"a","dur":1},{"ph":"X","name":"a","ts":1},{"ph":"X","name":"a","ts":"soon","dur":1})"
              R"(,{"ph":"X","name":"a","ts":1,"dur":-1})"
              R"(,{"ph":"X","name":"a","ts":1,"dur":604800000001})"
              R"(,{"ph":"X","cat":"kernel","name":"a","ts":0,"dur":0},{"ph":"X","cat":"cpu_op","name":"a","ts":0,"dur":0})"
              R"(,{"ph":"X","cat":"Trace","name":"PyTorch Profiler","ts":1,"dur":1})"
              R"(,{"ph":"B","name":"a","pid":1,"tid":1,"ts":5},{"ph":"E","pid":1,"tid":1,"ts":7})"
              R"(,{"ph":"B","name":"a","pid":1,"tid":2,"ts":5},{"ph":"E","pid":1,"tid":3,"ts":7})"
              R"(,{"cat":"kernel","name":"a","ts":1,"dur":1},{})"
              R"(,{"ph":"X","name":"a","ts":9000000000000000,"dur":1})"
              R"(,{"ph":"X","name":"a"b","ts":1,"dur":1})")))
          .quality;
  CHECK(quality.kept == 4);  // the first, the one with the empty name, the operator at zero, the pair
  CHECK(quality[EventFault::kNoName].count == 1);
  CHECK(quality[EventFault::kNoTime].count == 3);
  CHECK(quality[EventFault::kNegativeDuration].count == 1);
  CHECK(quality[EventFault::kTooLong].count == 1);
  CHECK(quality[EventFault::kZeroTimes].count == 1);
  CHECK(quality[EventFault::kProfilerSpan].count == 1);
  CHECK(quality[EventFault::kUnpairedBegin].count == 1);
  CHECK(quality[EventFault::kUnpairedEnd].count == 1);
  CHECK(quality[EventFault::kNoPhase].count == 1);
  CHECK(quality[EventFault::kTimeOutOfRange].count == 1);
  CHECK(quality[EventFault::kDamagedText].count == 1);
}

TEST_CASE("load: a phase that no trace has is none, however the record reads otherwise") {
  const auto of_phase = [](const std::string& phase) {
    return R"({"ph":")" + phase + R"(","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":1})";
  };
  const LoadedFile file = load(
      document(event(1) + "," + of_phase("Y") + "," + of_phase("P") + "," + of_phase("\x18") + "," + of_phase("(")));
  CHECK(only(file).quality.kept == 1);
  CHECK(only(file).quality[EventFault::kNoPhase].count == 2);
  CHECK(only(file).quality.ignored() == 2);
}

TEST_CASE("load: suspect events are kept and counted") {
  const Trace trace_of_late = std::move(
      load(
          document(
              R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":100,"dur":5,"args":{"correlation":3}},)"
              R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":90,"dur":2000000,"args":{"correlation":3}})"))
          .traces.front());
  CHECK(trace_of_late.quality.kept == 2);
  CHECK(trace_of_late.quality[EventFault::kStartsBeforeLaunch].count == 1);
  CHECK(trace_of_late.quality[EventFault::kStartsBeforeLaunch].first_positions == std::vector<std::uint32_t>{1});
  CHECK(trace_of_late.quality[EventFault::kDominatesRank].count == 1);
}

TEST_CASE("load: labels in the pids tell the ranks apart") {
  const auto labelled = [](std::string_view label, int i) {
    return R"({"ph":"X","cat":"kernel","name":"k","pid":"[)" + std::string(label) + R"(] 0","tid":7,"ts":)" +
           std::to_string(i) + R"(,"dur":1})";
  };
  const LoadedFile two =
      load(document(labelled("TP10", 1) + "," + labelled("TP2", 2) + "," + labelled("TP10", 3) + "," + event(5)));
  CHECK(two.labels == std::vector<std::string>{"TP2", "TP10"});
  REQUIRE(two.traces.size() == 2);
  CHECK(two.traces[0].gpu.size() == 1);
  CHECK(two.traces[1].gpu.size() == 3);
  CHECK(notes(two) == "label-missing: 1 event carries no rank label and count with the first rank in the file, TP10\n");
  const LoadedFile one = load(document(labelled("TP0", 1) + "," + event(2)));
  CHECK(one.labels.empty());
  CHECK(only(one).gpu.size() == 2);
  CHECK(notes(one) == "");

  LoadOptions options;
  options.limits.labels = 1;
  CHECK(load(document(labelled("a", 1) + "," + labelled("b", 2)), options).problem ==
        "holds more than 1 ranks by their labels; split it");
}

TEST_CASE("load: processes named Ascend Hardware are devices") {
  const std::string name = R"({"name":"process_name","ph":"M","pid":31,"tid":0,"args":{"name":"Ascend Hardware"}})";
  const std::string compute =
      R"({"name":"MatMulV2","pid":31,"tid":2,"ts":"100.250","dur":40.5,"ph":"X","args":{"Task Type":"AI_CORE"}})";
  const std::string collective =
      R"({"name":"hcom_allReduce__123_0_1","pid":31,"tid":5,"ts":"120.250","dur":60.0,"ph":"X","args":{"Task Type":"COMMUNICATION"}})";
  const LoadedFile file = load("[" + name + "," + compute + "," + collective + "]");
  const Trace& trace = only(file);
  REQUIRE(trace.gpu.size() == 2);
  CHECK(trace.gpu.type[GpuId(0)] == KernelType::kComputation);
  CHECK(trace.gpu.type[GpuId(1)] == KernelType::kCommunication);
  const LoadedFile late = load("[" + compute + "," + name + "]");
  CHECK(late.status == FileStatus::kNotATrace);
  CHECK(late.problem.starts_with("is an Ascend trace whose process names follow their events"));
}

TEST_CASE("load: too many different texts are refused") {
  LoadOptions options;
  options.limits.names = 100;
  std::string events = event(0);
  for (int i = 1; i < 200; ++i) events += "," + event(i);
  const LoadedFile file = load(document(events), options);
  CHECK(file.status == FileStatus::kOverLimit);
  CHECK(file.problem == "holds more than 100 different texts in one rank; raise --max-names if that is right");
}

TEST_CASE("load: writers mixed into each other give nothing") {
  std::string first =
      document(event(1) + "," + event(2) + "," + event(3) + "," + event(4) + "," + event(5) + "," + event(6));
  const LoadedFile file = load(first.substr(0, 150) + first.substr(0, 150) + first.substr(150, 150) +
                               first.substr(150, 150) + first.substr(300) + first.substr(300));
  CHECK(file.status == FileStatus::kSeveralWriters);
  CHECK(file.traces.empty());
  CHECK(file.problem ==
        "documents of several writers are mixed into each other (ranks writing to one path?); give every rank a file "
        "of its own");
}

}  // namespace hta::input
