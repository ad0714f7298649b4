#include "split_reader.h"

#include "support/temporary_file.h"
#include <catch2/catch.hpp>

namespace hta::input {
namespace {

using test::TemporaryFile;

std::string record(int i) {
  return R"({"ph": "X", "cat": "kernel", "name": "k)" + std::to_string(i % 10) + R"(", "pid": 0, "tid": 7, "ts": )" +
         std::to_string(100 + i) + R"(, "dur": 1, "args": {"stream": 7, "device": 0}})";
}

std::string records(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i > 0 ? ",\n" : "") + record(i);
  return text;
}

struct Read {
  std::uint64_t kept = 0;
  std::uint64_t records = 0;
  std::size_t parts_joined = 0;
  std::uint64_t text_bytes = 0;
  bool truncated = false;
  std::uint64_t damaged = 0;
};

Read read_in_parts(const std::string& text, std::size_t parts) {
  const TemporaryFile file(text);
  const LoadOptions options;
  TraceBuilder builder(options.build);
  Ingest ingest(builder, options.build, options.limits);
  std::vector<std::unique_ptr<ChunkBuffers>> buffers;
  SplitReader reader({file.path(), text.size(), parts, {ReadAhead::kNo, 1000}}, options, ingest, buffers, nullptr);
  reader.read();
  CHECK_FALSE(reader.error());
  std::vector<std::string> labels;
  const std::vector<Trace> traces = ingest.finish(labels);
  return {traces[0].quality.kept, reader.report().events,    reader.parts_joined(),
          reader.text_bytes(),    reader.report().truncated, traces[0].quality.damaged()};
}

}  // namespace

TEST_CASE("split reader: a file in order is read in as many parts as there are threads") {
  const std::string text =
      "{\"schemaVersion\": 1,\n\"traceEvents\": [\n" + records(2000) + "\n],\n\"traceName\": \"t\"}";
  for (const std::size_t parts : {std::size_t{2}, std::size_t{3}, std::size_t{8}}) {
    const Read read = read_in_parts(text, parts);
    CHECK(read.parts_joined == parts);
    CHECK(read.kept == 2000);
    CHECK(read.records == 2000);
    CHECK(read.text_bytes == text.size());
    CHECK_FALSE(read.truncated);
  }
}

TEST_CASE("split reader: a bare array is split as well") {
  const Read read = read_in_parts("[" + records(1000) + "]", 4);
  CHECK(read.parts_joined == 4);
  CHECK(read.kept == 1000);
}

TEST_CASE("split reader: a guess inside an argument that looks like records is thrown away") {
  // The middle of the text is one argument of one record: whole records in an array, after commas.
  const std::string trap =
      R"({"ph": "X", "cat": "kernel", "name": "trap", "ts": 1, "dur": 1, "args": {"list": [)" + records(60) + "]}}";
  const Read read = read_in_parts("{\"traceEvents\": [" + records(40) + "," + trap + "," + records(40) + "]}", 2);
  CHECK(read.parts_joined == 1);
  CHECK(read.kept == 81);
}

TEST_CASE("split reader: behind damage nothing is joined, and no record is lost or taken twice") {
  std::string text = "{\"traceEvents\": [" + records(2000) + "]}";
  text.insert(text.size() / 5, "\"");
  const Read read = read_in_parts(text, 4);
  CHECK(read.parts_joined == 1);
  CHECK(read.damaged == 1);
  CHECK(read.kept == 1999);
}

TEST_CASE("split reader: damage in one part leaves the parts before it joined") {
  std::string text = "{\"traceEvents\": [" + records(2000) + "]}";
  text.insert(text.size() / 2 + text.size() / 8, "\"");
  const Read read = read_in_parts(text, 4);
  CHECK(read.parts_joined == 3);  // the third one reads the fourth's text as well
  CHECK(read.kept == 1999);
}

TEST_CASE("split reader: a file cut short is told as such by its last part") {
  const std::string text = "{\"traceEvents\": [" + records(2000);
  const Read read = read_in_parts(text, 2);
  CHECK(read.parts_joined == 2);
  CHECK(read.truncated);
  CHECK(read.kept == 2000);
}

TEST_CASE("split reader: text that is no trace is read by one") {
  CHECK(read_in_parts(std::string(100'000, 'x'), 4).parts_joined == 1);
  CHECK(read_in_parts("{\"a\": [" + std::string(100'000, ' ') + "]}", 4).kept == 0);
}

}  // namespace hta::input
