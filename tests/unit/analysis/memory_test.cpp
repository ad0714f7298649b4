#include "hta/analysis/memory.h"

#include "support/trace_sketch.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;
using Rows = std::vector<std::string>;

namespace {

constexpr std::int64_t kCuda = 1;
constexpr std::int64_t kCpu = 0;

// A trace with [memory] events; totals are kept as the allocator does.
struct Recorder {
  TraceSketch sketch;
  std::int64_t total = 0;

  void memory(std::int64_t at_us, std::int64_t bytes, std::int64_t address, std::int64_t tid = TraceSketch::kMain,
              std::int64_t device_type = kCuda, bool totals = true) {
    total += bytes;
    std::vector<ArgValue> args{{ArgKey::kMemoryBytes, bytes},
                               {ArgKey::kAddress, address},
                               {ArgKey::kDeviceType, device_type},
                               {ArgKey::kDeviceId, device_type == kCpu ? -1 : 0}};
    if (totals) {
      args.push_back({ArgKey::kTotalAllocated, total});
      args.push_back({ArgKey::kTotalReserved, 4096});
    }
    StringTable& strings = sketch.builder().strings();
    Event event;
    event.phase = 'i';
    event.category = sketch.builder().category(strings.intern("cpu_instant_event"));
    event.has_name = true;
    event.name = strings.intern("[memory]");
    event.time_ns = TraceSketch::us(at_us);
    event.pid = {TraceSketch::kMain, {}};
    event.tid = {tid, {}};
    event.args = args;
    sketch.add(event);
  }
};

Outcome memory_of(const Trace& trace, std::vector<std::string> tables = {}) {
  analysis::Options options = options_of(analysis::kMemory);
  options.tables = std::move(tables);
  return run(analysis::kMemory, {&trace}, options);
}

}  // namespace

TEST_CASE("memory: the peak is the largest recorded total, the first of equal ones, with its step") {
  Recorder r;
  r.total = 1000;
  r.sketch.step(5, 0, 100);
  r.memory(10, 500, 1);
  r.memory(20, -500, 1);
  r.memory(30, 500, 2);
  r.memory(120, -600, 3);
  const Trace trace = r.sketch.build();
  const Outcome outcome = memory_of(trace);
  CHECK(rows_of(outcome.document, "memory_peak") == Rows{"0|cuda|0|1500|10.000|5|4096|4096||1000|900|4"});
  CHECK(rows_of(outcome.document, "memory_live_at_peak") ==
        Rows{"0|cuda|0|(allocated before the recording)|1000|66.67|", "0|cuda|0|(no operator)|500|33.33|1"});
}

TEST_CASE("memory: host and device are apart") {
  Recorder r;
  r.sketch.op("aten::mm", 0, 100);
  r.memory(10, 64, 1, TraceSketch::kMain, kCpu);
  r.total = 0;
  r.memory(20, 128, 1);
  const Trace trace = r.sketch.build();
  CHECK(rows_of(memory_of(trace).document, "memory_peak", {"device_type", "device", "peak_allocated_bytes"}) ==
        Rows{"cpu|-1|64", "cuda|0|128"});
}

TEST_CASE("memory: an allocation belongs to the innermost operator that does more than allocate") {
  Recorder r;
  r.sketch.op("aten::linear", 0, 100);
  r.sketch.op("aten::addmm", 10, 50);
  r.sketch.op("aten::empty", 20, 5);
  r.sketch.annotation("loader", 200, 50);
  r.sketch.op("aten::empty", 300, 5);
  r.sketch.op("aten::other_thread", 0, 1000, 77);
  r.memory(22, 100, 1);    // empty inside addmm
  r.memory(60, 10, 2);     // addmm is over: linear
  r.memory(210, 1000, 3);  // annotation
  r.memory(302, 7, 4);     // only empty is open
  r.memory(400, 1, 5);     // nothing on this thread
  const Trace trace = r.sketch.build();
  CHECK(rows_of(memory_of(trace).document, "memory_operators", {"operator", "net_bytes", "allocations"}) ==
        Rows{"loader|1000|1", "aten::addmm|100|1", "aten::linear|10|1", "aten::empty|7|1", "(no operator)|1|1"});
}

TEST_CASE("memory: releases count for the operator in which they happen, and live memory for the one that allocated") {
  Recorder r;
  r.sketch.op("aten::a", 0, 10);
  r.sketch.op("aten::b", 20, 20);
  r.memory(1, 300, 1);
  r.memory(2, 50, 2);
  r.memory(21, -300, 1);
  r.memory(22, 400, 1);  // the address again, by another operator: now the peak
  r.memory(30, -50, 2);
  const Trace trace = r.sketch.build();
  const Outcome outcome = memory_of(trace);
  CHECK(rows_of(outcome.document, "memory_operators",
                {"operator", "net_bytes", "kept_bytes", "allocated_bytes", "released_bytes", "allocations",
                 "releases"}) == Rows{"aten::a|350|0|350|0|2|0", "aten::b|50|400|400|350|1|2"});
  CHECK(rows_of(outcome.document, "memory_live_at_peak", {"operator", "bytes", "pct", "count"}) ==
        Rows{"aten::b|400|88.89|1", "aten::a|50|11.11|1"});
}

TEST_CASE("memory: events without totals are summed up, and it is said") {
  Recorder r;
  r.memory(1, 300, 1, TraceSketch::kMain, kCuda, false);
  r.memory(2, 200, 2, TraceSketch::kMain, kCuda, false);
  r.memory(3, -300, 1, TraceSketch::kMain, kCuda, false);
  const Trace trace = r.sketch.build();
  const Outcome outcome = memory_of(trace, {"memory_peak", "memory_curve"});
  CHECK(rows_of(outcome.document, "memory_peak",
                {"peak_allocated_bytes", "at_us", "reserved_at_peak_bytes", "end_allocated_bytes"}) ==
        Rows{"500|2.000||200"});
  CHECK(rows_of(outcome.document, "memory_curve", {"ts_us", "change_bytes", "allocated_bytes"}) ==
        Rows{"1.000|300|300", "2.000|200|500", "3.000|-300|200"});
  REQUIRE(outcome.document.notes.size() == 1);
  CHECK(outcome.document.notes.front().code == "no-memory-totals");
}

TEST_CASE("memory: calls of the runtime's allocator are counted, and those behind the first step told") {
  TraceSketch sketch;
  sketch.step(1, 0, 100);
  sketch.step(2, 100, 100);
  sketch.call("cudaMalloc", 10, 5);
  sketch.call("cudaMalloc", 110, 7);
  sketch.call("cudaFree", 120, 3);
  sketch.call("cudaLaunchKernel", 130, 3);
  sketch.call("hipHostMalloc", 300, 1);
  const Trace trace = sketch.build();
  const Outcome outcome = memory_of(trace);
  CHECK(rows_of(outcome.document, "memory_calls") ==
        Rows{"0|cudaMalloc|2|1|12.000|7.000", "0|cudaFree|1|1|3.000|3.000", "0|hipHostMalloc|1|0|1.000|1.000"});
  CHECK(outcome.document.heading == Rows{"No memory event was recorded.",
                                         "4 calls of the runtime's allocator took 16.00 µs of rank 0, 2 of them in "
                                         "steps behind the first (table memory_calls): "
                                         "in the loop they stop the host, and the GPU with it."});
}

TEST_CASE("memory: a timeline has one row for each time, and one in front for what was there before") {
  analysis::Options options = options_of(analysis::kMemory);
  options.tables = {"memory_timeline", "memory_categories", "memory_peak"};
  analysis::RankTimeline rank;
  rank.rank = 4;
  rank.timeline.entries = {{2'000, 30, 4}, {-1, 100, 0}, {-1, 20, 1}, {1'000, 10, 4}, {2'000, 5, kUnknownMemory},
                           {3'000, -40, 4}};
  result::Document document;
  analysis::tabulate_timelines(std::vector{rank}, options, document);
  CHECK(rows_of(document, "memory_timeline") ==
        Rows{"4|0.000|100|20|0|0|0|0|0|0|120", "4|0.000|100|20|0|0|10|0|0|0|130", "4|1.000|100|20|0|0|40|0|0|5|165",
             "4|2.000|100|20|0|0|0|0|0|5|125"});
  CHECK(rows_of(document, "memory_peak",
                {"rank", "peak_allocated_bytes", "at_us", "start_allocated_bytes", "end_allocated_bytes", "events"}) ==
        Rows{"4|165|1.000|120|125|6"});
  CHECK(rows_of(document, "memory_categories",
                {"category", "bytes_at_peak", "pct_at_peak", "largest_bytes", "largest_at_us", "end_bytes"})
            .at(4) == "activation|40|24.24|40|1.000|0");
  CHECK(document.heading == Rows{"Highest peak: 165 B on rank 4, at 1.00 µs, 60.61 % of it parameter."});
}

TEST_CASE("memory: the capacity is that of the device with the number, and the host has none") {
  Recorder r;
  r.memory(10, 500, 1);
  r.memory(20, 64, 1, TraceSketch::kMain, kCpu);
  r.sketch.builder().info().devices = {{1, "GPU 1", 7, 0, ""}, {0, "GPU 0", 4096, 0, ""}};
  const Trace trace = r.sketch.build();
  CHECK(rows_of(memory_of(trace).document, "memory_peak", {"device_type", "capacity_bytes"}) ==
        Rows{"cpu|", "cuda|4096"});
}
