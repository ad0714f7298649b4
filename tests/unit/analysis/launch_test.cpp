#include "hta/analysis/launch.h"

#include "support/trace_sketch.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;
using Rows = std::vector<std::string>;
using Values = std::initializer_list<std::pair<std::string_view, std::string_view>>;

namespace {
Outcome launch_of(const Trace& trace, Values options = {}) {
  analysis::Options chosen = options_of(analysis::kLaunch, options);
  chosen.all_tables = true;
  return run(analysis::kLaunch, {&trace}, chosen);
}
Rows classes_of(const Trace& trace, Values options = {}) {
  return rows_of(launch_of(trace, options).document, "launches",
                 {"launch_name", "kernel_name", "cpu_duration_us", "gpu_duration_us", "launch_delay_us", "class"});
}
}  // namespace

TEST_CASE("launch: classes by the cutoffs, a delay is never negative") {
  TraceSketch sketch;
  sketch.kernel("equal", 0, 10, 10, 10);
  sketch.kernel("short", 20, 10, 130, 9);       // 100 after: not over the cutoff
  sketch.kernel("early", 200, 50, 240, 49);     // starts before the call returns; 50 is not over the cutoff
  sketch.kernel("slow call", 300, 51, 452, 5);  // 101 after
  const Trace trace = sketch.build();
  CHECK(classes_of(trace) == Rows{"cudaLaunchKernel|equal|10.000|10.000|0.000|normal",
                                  "cudaLaunchKernel|short|10.000|9.000|100.000|short",
                                  "cudaLaunchKernel|early|50.000|49.000|0.000|short",
                                  "cudaLaunchKernel|slow call|51.000|5.000|101.000|runtime_outlier+delay_outlier"});
  CHECK(rows_of(launch_of(trace).document, "launch_summary") ==
        Rows{"0|4|4|2|1|1|121.000|73.000|201.000|50.250|50.000|101.000|2|264.000|0"});
  CHECK(rows_of(launch_of(trace, {{"runtime-cutoff", "9"}, {"delay-cutoff", "99.999"}}).document, "launch_summary",
                {"short_kernels", "runtime_outliers", "delay_outliers"}) == Rows{"0|4|2"});
}

TEST_CASE("launch: links decide, one call may launch many events and counts once") {
  TraceSketch sketch;
  sketch.call("hipGraphLaunch", 0, 8, 5);
  sketch.gpu("node 2", 20, 4, 5);
  sketch.gpu("node 1", 12, 4, 5, 9);
  sketch.event("cuda_driver", "cuLaunchKernelEx", TraceSketch::us(30), TraceSketch::us(2), 100, 100,
               {{ArgKey::kCorrelation, 6, {}}});
  sketch.gpu("triton", 40, 4, 6);
  sketch.gpu("nobody's", 50, 4);
  const Trace trace = sketch.build();
  CHECK(classes_of(trace) == Rows{"hipGraphLaunch|node 1|8.000|4.000|4.000|short",
                                  "hipGraphLaunch|node 2|8.000|4.000|12.000|short",
                                  "cuLaunchKernelEx|triton|2.000|4.000|8.000|normal"});
  CHECK(rows_of(launch_of(trace).document, "launch_summary", {"launches", "pairs", "launch_us", "gpu_us"}) ==
        Rows{"2|3|10.000|12.000"});
}

TEST_CASE("launch: copies can be left out, and a rank without pairs keeps its row") {
  TraceSketch sketch;
  sketch.call("cudaMemcpyAsync", 0, 3, 5);
  sketch.gpu("Memcpy DtoH (Device -> Pinned)", 10, 4, 5, 7, 0, "gpu_memcpy");
  const Trace trace = sketch.build();
  CHECK(rows_of(launch_of(trace).document, "launch_summary", {"launches", "pairs"}) == Rows{"1|1"});
  CHECK(rows_of(launch_of(trace, {{"no-memory", ""}}).document, "launch_summary") ==
        Rows{"0|0|0|0|0|0|0.000|0.000|0.000||||0|0.000|0"});
  CHECK(launch_of(trace, {{"no-memory", ""}}).document.heading ==
        Rows{"No GPU event could be linked to a launch call."});
}

TEST_CASE("launch: kernels belong to the nearest aten operator, in the order of their launches") {
  TraceSketch sketch;
  for (const std::int64_t t : {0, 1000}) {
    sketch.op("aten::linear", t, 100);
    sketch.op("aten::addmm", t + 10, 50);
    sketch.op("not aten", t + 12, 40);
    sketch.kernel("gemm", t + 20, 5, t + 60, 10, 7);
    sketch.kernel("bias", t + 30, 5, t + 40, 2, 9);  // starts first, launched second
    sketch.kernel("copy", t + 70, 5, t + 90, 2);
  }
  sketch.kernel("alone", 500, 5, 510, 2);  // below no operator
  const Trace trace = sketch.build();
  CHECK(rows_of(launch_of(trace).document, "op_sequences") ==
        Rows{"0|aten::addmm|gemm -> bias|2|10.000|40.000", "0|aten::linear|copy|2|70.000|20.000"});
  analysis::Options top = options_of(analysis::kLaunch);
  top.top = 1;
  CHECK(rows_of(run(analysis::kLaunch, {&trace}, top).document, "op_sequences") ==
        Rows{"0|aten::addmm|gemm -> bias|2|10.000|40.000", "0|others||2|70.000|20.000"});
}

TEST_CASE("launch: histograms count by 1-2-5 steps from the first used bucket to the last") {
  TraceSketch sketch;
  sketch.kernel("a", 0, 1, 10, 2);
  sketch.kernel("b", 20, 9, 40, 1);
  const Trace trace = sketch.build();
  CHECK(rows_of(launch_of(trace).document, "histograms") ==
        Rows{"0|cpu_duration|1.000|2.000|1", "0|cpu_duration|2.000|5.000|0", "0|cpu_duration|5.000|10.000|1",
             "0|gpu_duration|1.000|2.000|1", "0|gpu_duration|2.000|5.000|1", "0|launch_delay|5.000|10.000|1",
             "0|launch_delay|10.000|20.000|1"});
}

TEST_CASE("launch: the heading tells which rank and step launches late") {
  TraceSketch even;
  TraceSketch late;
  for (const std::int64_t step : {1, 2}) {
    const std::int64_t t = step * 1000;
    for (TraceSketch* sketch : {&even, &late}) sketch->step(step, t, 900);
    for (int i = 0; i < 3; ++i) {
      even.kernel("gemm", t + 10 * i, 5, t + 20 + 100 * i, 100);
      late.kernel("gemm", t + (step == 2 ? 200 : 10) * i, 5, t + 20 + (step == 2 ? 220 : 100) * i, 100);
    }
  }
  const Trace a = even.build();
  const Trace b = late.build();
  const Outcome outcome = run(analysis::kLaunch, {&a, &b}, options_of(analysis::kLaunch));
  REQUIRE(outcome.document.heading.size() == 5);
  CHECK(outcome.document.heading[0] ==
        "4 launches of 12 came late: the GPU had run dry and waited 1.64 ms, 57.75 % of the time. Most on rank 1: 3 "
        "(940.0 µs), all of them "
        "in step 2.");
  CHECK(outcome.document.heading[1] ==
        "Shorter than the call that launches them: 0.00 % of the GPU events. Slow launch calls: 0.00 %. Started long "
        "after their launch: "
        "50.00 %.");
  CHECK(outcome.document.heading[2] == "Launch delays, how many take how long, from 10.00 µs to 200.0 µs:");
  CHECK(outcome.document.heading[3].starts_with("rank 0 "));
  CHECK(outcome.document.next == Rows{"idle"});
}

TEST_CASE("launch: a graph launch without kernels is noted, unless a filter took them away") {
  TraceSketch sketch;
  sketch.call("cudaGraphLaunch", 0, 8, 5);
  sketch.kernel("gemm", 20, 5, 30, 5);
  const Trace trace = sketch.build();
  const auto notes = launch_of(trace).document.notes;
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].message ==
        "rank 0: 1 graph launch has no GPU event: the kernels were not recorded, so no number here holds them");
}

TEST_CASE("launch: calls whose kernels are missing are counted, but not while a graph is captured") {
  TraceSketch sketch;
  sketch.kernel("gemm", 0, 5, 10, 5);
  sketch.call("cudaLaunchKernel", 20, 5, 901);  // lost
  sketch.call("cudaMemsetAsync", 30, 5, 902);   // a fill that need not run
  sketch.call("cudaStreamBeginCapture", 40, 5);
  sketch.call("cudaLaunchKernel", 50, 5, 903);       // goes into the graph
  sketch.call("cudaLaunchKernel", 52, 5, 904, 200);  // on another thread: lost
  sketch.call("cudaStreamEndCapture", 60, 5);
  sketch.call("cudaLaunchKernel", 70, 5, 905);  // lost
  sketch.call("cudaMemsetAsync", 80, 5, 906);
  sketch.gpu("Memset (Device)", 90, 5, 906, 7, 0, "gpu_memset");
  const Trace trace = sketch.build();
  CHECK(rows_of(launch_of(trace).document, "launch_summary", {"launches", "bare_launches"}) == Rows{"2|3"});
}
