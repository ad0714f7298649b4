#include "hta/analysis/counters.h"

#include "support/trace_sketch.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;
using Rows = std::vector<std::string>;

namespace {

using Values = std::initializer_list<std::pair<std::string_view, std::string_view>>;

Outcome counters_of(const Trace& trace, Values values = {}, std::vector<std::string> tables = {}) {
  analysis::Options options = options_of(analysis::kCounters, values);
  options.tables = std::move(tables);
  return run(analysis::kCounters, {&trace}, options);
}

// A copy of `bytes`; rate in GB/s times 10^9, if recorded.
void copy(TraceSketch& sketch, std::string_view name, Nanos start_ns, Nanos dur_ns, std::optional<std::int64_t> bytes,
          std::optional<std::int64_t> rate = {}, std::int64_t device = 0) {
  std::vector<ArgValue> args{{ArgKey::kDevice, device}, {ArgKey::kStream, 7}};
  if (bytes) args.push_back({ArgKey::kBytes, *bytes});
  if (rate) args.push_back({ArgKey::kMemoryBandwidth, *rate});
  Event event;
  event.phase = 'X';
  event.category = sketch.builder().category(sketch.builder().strings().intern("gpu_memcpy"));
  event.has_name = true;
  event.name = sketch.builder().strings().intern(name);
  event.time_ns = start_ns;
  event.dur_ns = dur_ns;
  event.args = args;
  sketch.add(event);
}

constexpr std::int64_t kGiga = 1'000'000'000;

}  // namespace

TEST_CASE("counters: the queue rises when a launch starts and falls when its event starts") {
  TraceSketch sketch;
  sketch.kernel("a", 0, 5, 20, 10);
  sketch.kernel("b", 10, 5, 30, 10);
  sketch.kernel("c", 20, 5, 40, 10);  // launched at the moment at which a starts: up first
  const Trace trace = sketch.build();
  const Outcome outcome = counters_of(trace, {}, {"queue_length"});
  CHECK(rows_of(outcome.document, "queue_length", {"ts_us", "queue_length"}) ==
        Rows{"0.000|1", "10.000|2", "20.000|3", "20.000|2", "30.000|1", "40.000|0"});
}

TEST_CASE("counters: an event that starts before its launch leaves the queue when the launch starts") {
  TraceSketch sketch;
  sketch.kernel("early", 10, 5, 8, 10);
  const Trace trace = sketch.build();
  const Outcome outcome = counters_of(trace, {}, {"queue_length"});
  CHECK(rows_of(outcome.document, "queue_length", {"ts_us", "queue_length"}) == Rows{"2.000|1", "2.000|0"});
}

TEST_CASE("counters: streams of two devices with one number are two queues, unlinked events are in none") {
  TraceSketch sketch;
  sketch.kernel("a", 0, 1, 10, 1, 7, 0);
  sketch.kernel("b", 0, 1, 10, 1, 7, 1);
  sketch.gpu("unlinked", 0, 1, 0, 9);
  const Trace trace = sketch.build();
  CHECK(rows_of(counters_of(trace).document, "queue_summary", {"device", "stream", "count", "max"}) ==
        Rows{"0|7|2|1", "1|7|2|1"});
}

TEST_CASE("counters: the time at a full queue is counted for every stream, as a share of the trace") {
  TraceSketch sketch;
  sketch.kernel("a", 0, 1, 40, 1);
  sketch.kernel("b", 10, 1, 50, 1);
  sketch.kernel("c", 0, 1, 60, 20, 8);
  sketch.kernel("d", 50, 1, 70, 30, 8);  // the trace ends at 100
  const Trace trace = sketch.build();
  const Outcome outcome = counters_of(trace, {{"queue-full", "2"}});
  CHECK(rows_of(outcome.document, "queue_summary", {"stream", "full_us", "full_pct"}) ==
        Rows{"7|30.000|30.00", "8|10.000|10.00"});
  CHECK(outcome.document.heading.front() ==
        "Longest time at a full launch queue (2 or more): 30.00 µs, 30.00 % of the trace, on rank 0, device 0, stream "
        "7; the host is "
        "ahead and waits there, so the GPU is what takes the time.");
}

TEST_CASE("counters: the summary describes the points, its time mean weighs by time") {
  TraceSketch sketch;
  sketch.kernel("a", 0, 1, 10, 1);
  sketch.kernel("b", 2, 1, 20, 1);  // points 1 2 1 0 at 0 2 10 20
  const Trace trace = sketch.build();
  const Outcome outcome = counters_of(trace);
  CHECK(rows_of(outcome.document, "queue_summary") ==
        Rows{"0|0|7|4|1.0000|0.8165|0|0.7500|1.0000|1.2500|2|1.4000|0.000|0.00"});
  CHECK(outcome.document.heading.front() ==
        "No launch queue was full (1,024); the longest held 2 launches on rank 0, device 0, stream 7.");
}

TEST_CASE("counters: no time between the points gives no time mean") {
  TraceSketch sketch;
  sketch.kernel("a", 5, 1, 5, 1);
  const Trace trace = sketch.build();
  CHECK(rows_of(counters_of(trace).document, "queue_summary", {"count", "mean", "time_mean"}) == Rows{"2|0.5000|"});
}

TEST_CASE("counters: overlapping copies add up, and an idle bus is exactly zero") {
  TraceSketch sketch;
  copy(sketch, "Memcpy HtoD (Pinned -> Device)", 0, 10'000, {}, kGiga / 10);
  copy(sketch, "Memcpy HtoD (Pageable -> Device)", 5'000, 10'000, {}, kGiga / 5);
  const Trace trace = sketch.build();
  const Outcome outcome = counters_of(trace, {}, {"memory_bw", "memory_bw_summary"});
  CHECK(rows_of(outcome.document, "memory_bw") ==
        Rows{"0|0|Memcpy HtoD|0.000|0.100000", "0|0|Memcpy HtoD|5.000|0.300000", "0|0|Memcpy HtoD|10.000|0.200000",
             "0|0|Memcpy HtoD|15.000|0.000000"});
  CHECK(rows_of(outcome.document, "memory_bw_summary") ==
        Rows{"0|0|Memcpy HtoD|3|0.200000|0.100000|0.100000|0.150000|0.200000|0.250000|0.300000|0.200000"});
}

TEST_CASE("counters: the bandwidth is the recorded one, else bytes by duration, and none without duration") {
  TraceSketch sketch;
  copy(sketch, "Memcpy DtoH (Device -> Pinned)", 0, 1'000, 4'000, 3 * kGiga);
  copy(sketch, "Memcpy DtoD (Device -> Device)", 0, 1'000, 4'000);
  copy(sketch, "Memcpy PtoP (Device -> Device)", 0, 1'000, 4'000, -kGiga);
  copy(sketch, "Memset (Device)", 0, 0, 4'000, kGiga);
  copy(sketch, "Memcpy HtoA", 0, 1'000, {});
  const Trace trace = sketch.build();
  CHECK(rows_of(counters_of(trace).document, "memory_bw_summary", {"name", "count", "max_gbps"}) ==
        Rows{"Memcpy DtoD|1|4.000000", "Memcpy DtoH|1|3.000000", "Memcpy PtoP|1|4.000000"});
}

TEST_CASE("counters: labels of copies of all vendors") {
  using analysis::copy_label;
  CHECK(copy_label("Memcpy HtoD (Pageable -> Device)") == "Memcpy HtoD");
  CHECK(copy_label("Memcpy DtoH") == "Memcpy DtoH");
  CHECK(copy_label("Memset (Device)") == "Memset");
  CHECK(copy_label("CopyDeviceToHost") == "Memcpy DtoH");
  CHECK(copy_label("CopyHostToDevice") == "Memcpy HtoD");
  CHECK(copy_label("CopyDeviceToDevice") == "Memcpy DtoD");
  CHECK(copy_label("FillBuffer") == "Memset");
  CHECK(copy_label("__amd_rocclr_fillBufferAligned") == "Memset");
  CHECK(copy_label("__amd_rocclr_copyBuffer") == "Memcpy Unknown");
  CHECK(copy_label("Memcpy HostToDevice") == "Memcpy Unknown");
  CHECK(copy_label("Memcpy ") == "Memcpy Unknown");
  CHECK(copy_label("dma_request") == "Memcpy Unknown");
}

TEST_CASE("counters: pageable copies are told") {
  TraceSketch sketch;
  copy(sketch, "Memcpy HtoD (Pageable -> Device)", 0, 2'000, 100);
  copy(sketch, "Memcpy HtoD (Pinned -> Device)", 5'000, 1'000, 100);
  copy(sketch, "Memcpy DtoD (Device -> Device)", 8'000, 1'000, 100);
  const Trace trace = sketch.build();
  const Outcome outcome = counters_of(trace);
  CHECK(outcome.document.heading.back() ==
        "1 of 2 copies between host and device use pageable memory (2.00 µs): pinned memory (pin_memory=True, "
        "non_blocking=True) "
        "copies faster and does not stop the host.");
  CHECK(rows_of(outcome.document, "copies") ==
        Rows{"0|0|Memcpy HtoD (Pageable -> Device)|1|100|2.000|2.000|2.000|0.050000",
             "0|0|Memcpy DtoD (Device -> Device)|1|100|1.000|1.000|1.000|0.100000",
             "0|0|Memcpy HtoD (Pinned -> Device)|1|100|1.000|1.000|1.000|0.100000"});
}

namespace {

// A range with one hardware counter.
void range(TraceSketch& sketch, std::string_view name, std::int64_t start_us, std::string_view counter,
           std::string_view value, std::int64_t correlation = 0) {
  StringTable& strings = sketch.builder().strings();
  const std::vector<std::pair<StringId, StringId>> counters{{strings.intern(counter), strings.intern(value)}};
  const std::vector<ArgValue> args{{ArgKey::kCorrelation, correlation}};
  Event event;
  event.phase = 'X';
  event.category = sketch.builder().category(strings.intern("cuda_profiler_range"));
  event.has_name = true;
  event.name = strings.intern(name);
  event.time_ns = TraceSketch::us(start_us);
  event.dur_ns = 1'000;
  event.args = args;
  event.counters = counters;
  sketch.add(event);
}

}  // namespace

TEST_CASE("counters: ranges without correlation meet kernel launches in their order") {
  TraceSketch sketch;
  sketch.op("aten::conv2d", 0, 30);
  sketch.op("aten::cudnn_convolution", 5, 20);
  sketch.call("cudaLaunchKernel", 10, 2);
  sketch.call("cudaStreamSynchronize", 14, 1);
  sketch.call("cudaLaunchKernel", 40, 2);
  range(sketch, "conv", 100, "ffma", "10");
  range(sketch, "alone", 110, "dadd", "1.5e3");
  const Trace trace = sketch.build();
  const Outcome outcome = counters_of(trace, {}, {"cupti"});
  CHECK(rows_of(outcome.document, "cupti") ==
        Rows{"0|conv|aten::conv2d|aten::cudnn_convolution|aten::conv2d -> aten::cudnn_convolution||10",
             "0|alone||||1.5e3|"});
}

TEST_CASE("counters: ranges with a correlation meet the launch that has it") {
  TraceSketch sketch;
  sketch.op("aten::mm", 0, 10);
  sketch.call("cudaLaunchKernel", 2, 2, 11);
  sketch.op("aten::add", 20, 10);
  sketch.call("cudaLaunchKernel", 22, 2, 12);
  range(sketch, "add", 100, "n", "1", 12);
  const Trace trace = sketch.build();
  CHECK(rows_of(counters_of(trace, {}, {"cupti"}).document, "cupti") == Rows{"0|add|aten::add|aten::add|aten::add|1"});
}

TEST_CASE("counters: ranges that match nothing have no operators, and it is said") {
  TraceSketch sketch;
  sketch.op("aten::mm", 0, 10);
  sketch.call("cudaLaunchKernel", 2, 2);
  range(sketch, "a", 100, "n", "1");
  range(sketch, "b", 110, "n", "2");
  const Trace trace = sketch.build();
  const Outcome outcome = counters_of(trace, {}, {"cupti"});
  CHECK(rows_of(outcome.document, "cupti") == Rows{"0|a||||1", "0|b||||2"});
  REQUIRE(outcome.document.notes.size() == 2);
  CHECK(outcome.document.notes.front().code == "no-links");
  CHECK(outcome.document.notes.back().code == "counters-without-operators");
}

TEST_CASE("counters: a trace with counter tracks is asked for with both kinds of series") {
  TraceSketch sketch;
  sketch.kernel("a", 0, 5, 20, 10);
  copy(sketch, "Memset (Device)", 1'000, 1'000, 500);
  const Trace trace = sketch.build();
  const Outcome outcome = counters_of(trace, {{"augment", "out.json.gz"}});
  REQUIRE(outcome.document.overlays.size() == 1);
  const result::Overlay& overlay = outcome.document.overlays.front();
  CHECK(overlay.target_path == "out.json.gz");
  REQUIRE(overlay.counters.size() == 2);
  CHECK(overlay.counters[0].name == "Queue length, device 0, stream 7");
  REQUIRE(overlay.counters[0].points.size() == 2);
  CHECK(overlay.counters[0].points[1].time_ns == 20'000);
  CHECK(overlay.counters[1].name == "Memset, device 0");
  CHECK(overlay.counters[1].points[0].value == kGiga / 2);
}
