// Traces cut short or with bits flipped: no intact record is lost, and every lost one is counted.
#include "hta/input/load.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "support/random.h"
#include "support/scanned.h"
#include <catch2/catch.hpp>

namespace hta::test {
namespace {

constexpr std::string_view kHead =
    "{\n\"schemaVersion\": 1,\n\"deviceProperties\": [{\"id\": 0, \"name\": \"GPU\"}],\n"
    "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 3, \"world_size\": 4},\n\"traceEvents\": [\n";
constexpr std::string_view kTail = "\n],\n\"traceName\": \"x.json\", \"displayTimeUnit\": \"ms\"\n}\n";

// A trace in the style of the profiler, with what makes resynchronising hard: braces and escapes in names, nested args.
std::string made_trace(std::uint64_t seed, int records, bool compact) {
  Random random(seed);
  std::string text = compact ? "{\"schemaVersion\":1,\"traceEvents\":[" : std::string(kHead);
  for (int i = 0; i < records; ++i) {
    if (i > 0) text += compact ? "," : ",\n";
    const std::string id = std::to_string(i);
    const std::string time = std::to_string(1000 + 7 * i) + "." + std::to_string(100 + random.in(0, 899));
    switch (random.in(0, 4)) {
      case 0:
        text += R"({"ph":"X","cat":"cpu_op","name":"aten::mm)" + id + R"(","pid":10,"tid":11,"ts":)" + time +
                R"(,"dur":3.5,"args":{"External id":)" + id +
                R"(,"Input Dims":[[8,16],[16,4],[]],"Concrete Inputs":["","[1]"]}})";
        break;
      case 1:
        text += R"~({"ph":"X","cat":"kernel","name":"void k<{lambda(float)#1}, \"q\">()","pid":0,"tid":7,"ts":)~" +
                time + R"(,"dur":5,"args":{"device":0,"stream":7,"correlation":)" + id + R"(,"grid":[1,1,1]}})";
        break;
      case 2:
        text +=
            R"({"ph": "M", "name": "process_name", "pid": 10, "tid": 0, "ts": 0, "args": {"name": "python, [it] {is}"}})";
        break;
      case 3:
        text += R"({"ph":"X","cat":"user_annotation","name":"nested","pid":10,"tid":11,"ts":)" + time +
                R"(,"dur":1,"args":{"list":[{"name":"a","id":1},{"name":"b","id":2}],"o":{"cat":{"ts":5}}}})";
        break;
      default:
        text += R"({"ph":"s","id":)" + id + R"(,"pid":10,"tid":11,"ts":)" + time + R"(,"cat":"ac2g","name":"ac2g"})";
    }
  }
  return text + (compact ? "]}" : std::string(kTail));
}

std::set<std::uint64_t> places(const std::vector<ScannedEvent>& events) {
  std::set<std::uint64_t> out;
  for (const ScannedEvent& event : events) {
    if (event.phase != 0) out.insert(event.offset);
  }
  return out;
}

// All records that do not hold the byte `at` must be there.
void require_others(const Scanned& intact, const Scanned& damaged, std::size_t at) {
  const std::set<std::uint64_t> found = places(damaged.events);
  for (const ScannedEvent& event : intact.events) {
    const bool hit = at >= event.offset && at < event.offset + event.size;
    if (!hit && !found.contains(event.offset)) {
      INFO("the record at byte " << event.offset << " is lost");
      REQUIRE(false);
    }
  }
}

void flip_bits(const std::string& text, std::uint64_t seed, int flips) {
  const Scanned intact = scan(text);
  REQUIRE(intact.faults.empty());
  Random random(seed);
  for (int i = 0; i < flips; ++i) {
    std::string damaged = text;
    const auto at = static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(text.size()) - 1));
    const int bit = static_cast<int>(random.in(0, 7));
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
    INFO("bit " << bit << " of byte " << at << " (was '" << text[at]
                << "') after: " << text.substr(at > 60 ? at - 60 : 0, 60));
    const Scanned got = scan(damaged, chunks_of(4096));
    require_others(intact, got, at);
    REQUIRE_FALSE(got.report.several_writers);
    // Whatever is missing is counted; one flip costs one record, or shows one too many in its pieces.
    REQUIRE(got.events.size() + got.faults.size() >= intact.events.size());
    REQUIRE(got.faults.size() <= 2);
  }
}

void cut(const std::string& text, int cuts) {
  const Scanned intact = scan(text);
  for (int i = 0; i < cuts; ++i) {
    const std::size_t size = text.size() * static_cast<std::size_t>(i) / static_cast<std::size_t>(cuts);
    INFO("cut at " << size);
    const Scanned got = scan(std::string_view(text).substr(0, size), chunks_of(4096));
    std::size_t whole = 0;
    while (whole < intact.events.size() && intact.events[whole].offset + intact.events[whole].size <= size) ++whole;
    REQUIRE(got.events.size() == whole);
    for (std::size_t k = 0; k < whole; ++k) REQUIRE(got.events[k] == intact.events[k]);
    REQUIRE(got.faults.size() <= 1);
    const bool inside_record = whole < intact.events.size() && intact.events[whole].offset < size;
    REQUIRE(got.faults.size() == (inside_record ? 1 : 0));
    if (!got.faults.empty())
      REQUIRE(got.faults.front() == ScannedFault{EventFault::kCutOff, intact.events[whole].offset});
    REQUIRE(got.report.truncated == (size > 0));
  }
}

std::string inflated(const std::string& path) {
  auto opened = input::open_source(path);
  REQUIRE(opened);
  std::string text;
  std::string piece(std::size_t{1} << 20, '\0');
  for (;;) {
    const auto n = opened->source->read(piece.data(), piece.size());
    REQUIRE(n);
    if (*n == 0) return text;
    text.append(piece, 0, *n);
  }
}

// Counts must add up in the model as well, not only in the scanner.
void require_consistent(const std::string& text) {
  input::Workspace workspace;
  input::LoadOptions options;
  options.build.needs.host_events = options.build.needs.call_tree = options.build.needs.memory_events = true;
  input::OpenedSource opened;
  opened.source = input::memory_source(text.data(), text.size());
  const input::LoadedFile file = input::load_source("x", std::move(opened), options, 1, workspace);
  if (file.status != input::FileStatus::kOk) return;
  REQUIRE(file.traces.size() == 1);
  const Trace& trace = file.traces.front();
  REQUIRE(trace.quality.kept + trace.quality.ignored() <= file.records);
  REQUIRE(trace.gpu.size() <= trace.quality.kept);
  REQUIRE(trace.gpu_events_linked <= trace.gpu.size());
  for (const FaultCount& fault : trace.quality.faults) {
    for (const std::uint64_t offset : fault.first_offsets) REQUIRE(offset < text.size());
  }
}

}  // namespace

TEST_CASE("damage: a trace cut anywhere gives every whole record before the cut") {
  cut(made_trace(1, 120, false), 1000);
  cut(made_trace(2, 120, true), 1000);
}

TEST_CASE("damage: a flipped bit costs at most the record it is in") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) flip_bits(made_trace(seed, 60, seed % 2 == 1), seed, 1000);
}

TEST_CASE("damage: many flipped bits are survived and counted") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    std::string text = made_trace(seed, 80, seed % 2 == 1);
    for (auto flips = random.in(1, 200); flips > 0; --flips) {
      char& byte = text[static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(text.size()) - 1))];
      byte = static_cast<char>(byte ^ (1 << random.in(0, 7)));
    }
    INFO("seed " << seed);
    require_consistent(text);
  }
}

TEST_CASE("damage: real traces") {
  const std::filesystem::path real = "../shared/conformance/real";
  std::vector<std::string> files;
  for (const char* name :
       {"hta-cp-alexnet", "hta-compare-base", "tl-h100-bertsmall", "hta-amd-minitoy", "tl-mi210-gpu-only"}) {
    if (!std::filesystem::is_directory(real / name)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(real / name)) {
      if (entry.is_regular_file()) files.push_back(entry.path().string());
    }
  }
  if (files.empty()) {
    std::puts("SKIPPED: no real traces beside the project");
    return;
  }
  std::sort(files.begin(), files.end());
  std::uint64_t seed = 0;
  for (const std::string& file : files) {
    INFO(file);
    const std::string text = inflated(file);
    cut(text, 200);
    flip_bits(text, ++seed, text.size() > 500'000 ? 40 : 300);
  }
}

}  // namespace hta::test
