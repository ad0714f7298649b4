#include "hta/analysis/breakdown.h"

#include "support/random_trace.h"
#include "support/trace_sketch.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;
using Rows = std::vector<std::string>;

namespace {
Outcome breakdown_of(const Trace& trace,
                     std::initializer_list<std::pair<std::string_view, std::string_view>> options = {}) {
  return run(analysis::kBreakdown, {&trace}, options_of(analysis::kBreakdown, options));
}
}  // namespace

TEST_CASE("breakdown: communication counts only where no computation hides it") {
  TraceSketch sketch;
  sketch.gpu("gemm", 0, 50);
  sketch.gpu("ncclDevKernel_AllReduce", 30, 50, 0, 20);       // 30-80: 20 hidden, 30 exposed
  sketch.gpu("Memcpy HtoD", 70, 20, 0, 16, 0, "gpu_memcpy");  // 70-90: 10 beside communication, 10 alone
  sketch.gpu("gemm", 100, 10);
  const Trace trace = sketch.build();
  const Outcome outcome = breakdown_of(trace);
  REQUIRE(outcome.status.ok());
  CHECK(rows_of(outcome.document, "temporal") ==
        Rows{"0|0|110.000|10.000|60.000|30.000|10.000|40.000|9.09|54.55|27.27|9.09|36.36"});
  CHECK(rows_of(outcome.document, "kernel_types") == Rows{"COMPUTATION|40.000|40.00", "COMMUNICATION|20.000|20.00",
                                                          "COMPUTATION overlapping COMMUNICATION|20.000|20.00",
                                                          "COMMUNICATION overlapping MEMORY|10.000|10.00",
                                                          "MEMORY|10.000|10.00"});
}

TEST_CASE("breakdown: a rank without GPU events has a row with an empty device") {
  TraceSketch sketch;
  sketch.op("aten::mm", 0, 10);
  const Trace trace = sketch.build();
  const Outcome outcome = breakdown_of(trace);
  CHECK(rows_of(outcome.document, "temporal") == Rows{"0||0.000|0.000|0.000|0.000|0.000|0.000|||||"});
  CHECK(rows_of(outcome.document, "kernels").empty());
}

TEST_CASE("breakdown: steps clip events to their windows") {
  TraceSketch sketch;
  sketch.step(4, 0, 100);
  sketch.step(5, 100, 100);
  sketch.gpu("gemm", 80, 40);
  const Trace trace = sketch.build();
  const Outcome outcome = breakdown_of(trace, {{"by", "step"}});
  CHECK(rows_of(outcome.document, "temporal", {"device", "step", "span_us", "idle_us", "compute_us"}) ==
        Rows{"0|4|100.000|80.000|20.000", "0|5|100.000|80.000|20.000"});
}

TEST_CASE("breakdown: others pools the kernels beyond --top per type") {
  TraceSketch sketch;
  sketch.gpu("a", 0, 30);
  sketch.gpu("b", 40, 20);
  sketch.gpu("c", 70, 10);
  sketch.gpu("c", 90, 4);
  sketch.gpu("ncclKernel", 100, 5, 0, 20);
  const Trace trace = sketch.build();
  analysis::Options options = options_of(analysis::kBreakdown);
  options.top = 1;
  const Outcome outcome = run(analysis::kBreakdown, {&trace}, options);
  CHECK(rows_of(outcome.document, "kernels", {"kernel_type", "name", "count", "sum_us", "min_us", "max_us", "pct"}) ==
        Rows{"COMPUTATION|a|1|30.000|30.000|30.000|43.48", "COMMUNICATION|ncclKernel|1|5.000|5.000|5.000|7.25",
             "COMPUTATION|others|3|34.000|4.000|20.000|49.28"});
}

TEST_CASE("breakdown: kernels are told apart by the innermost GPU annotation around them") {
  TraceSketch sketch;
  sketch.event("gpu_user_annotation", "forward", TraceSketch::us(0), TraceSketch::us(100), 0, 7);
  sketch.event("gpu_user_annotation", "attention", TraceSketch::us(10), TraceSketch::us(40), 0, 7);
  sketch.gpu("gemm", 12, 10);
  sketch.gpu("gemm", 60, 10);
  sketch.gpu("gemm", 60, 10, 0, 20);  // another stream: none of these
  const Trace trace = sketch.build();
  const Outcome outcome = breakdown_of(trace, {{"by", "annotation"}});
  CHECK(rows_of(outcome.document, "kernels", {"name", "annotation", "count"}) ==
        Rows{"gemm||1", "gemm|attention|1", "gemm|forward|1"});
}

TEST_CASE("breakdown: across ranks the slowest and the fastest rank are named") {
  TraceSketch fast;
  fast.gpu("gemm", 0, 10);
  TraceSketch slow;
  slow.gpu("gemm", 0, 14);
  slow.gpu("only here", 20, 1);
  const Trace first = fast.build();
  const Trace second = slow.build();
  const Outcome outcome = run(analysis::kBreakdown, {&first, &second}, options_of(analysis::kBreakdown));
  CHECK(rows_of(outcome.document, "kernels_across_ranks") ==
        Rows{"COMPUTATION|gemm|2|2|24.000|12.000|0|10.000|1|14.000|33.33"});
}

TEST_CASE("breakdown: the parts of every random trace sum to its span") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomTraceOptions shape;
    shape.devices = 1 + static_cast<int>(seed % 3);
    const Trace trace = build_trace(random_events(seed, shape));
    for (const auto& [device, sets] : analysis::device_type_sets(trace)) {
      const analysis::TimeParts parts = analysis::time_parts(analysis::mask_times(sets, sets.span));
      CHECK(parts.idle_ns + parts.compute_ns + parts.exposed_comm_ns + parts.exposed_memory_ns == sets.span.length());
      CHECK(parts.compute_ns == sets[KernelType::kComputation].length());
    }
  }
}
