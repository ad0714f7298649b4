#include "hta/analysis/diff.h"

#include "support/compare_runs.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;
using Rows = std::vector<std::string>;

namespace {

// Two steps of 100 µs; a kernel of `gemm_us` each, launched in time.
Trace two_steps(std::int64_t gemm_us) {
  TraceSketch sketch;
  for (std::int64_t step = 0; step < 2; ++step) {
    sketch.step(step, step * 100, 100);
    sketch.op("aten::mm", step * 100 + 5, 30);
    sketch.kernel("gemm", step * 100 + 10, 5, step * 100 + 20, gemm_us);
  }
  return sketch.build();
}

bool has_note(const result::Document& document, std::string_view code) {
  for (const result::Note& note : document.notes) {
    if (note.code == code) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("diff: values are per step and changes TEST - BASE") {
  const Outcome outcome = compare_runs(two_steps(40), two_steps(50));
  REQUIRE(outcome.status.ok());
  CHECK(rows_of(outcome.document, "kernels") ==
        Rows{"gemm|COMPUTATION|1.00|1.00|0.00|40.000|50.000|10.000|25.00|slower|40.000|50.000||"});
  CHECK(rows_of(outcome.document, "waterfall") ==
        Rows{"step_time|100.000|100.000|0.000|0.00|", "compute|40.000|50.000|10.000|25.00|",
             "exposed_comm|0.000|0.000|0.000||", "exposed_memory|0.000|0.000|0.000||",
             "idle_host_wait|40.000|35.000|-5.000|-12.50|", "idle_kernel_wait|0.000|0.000|0.000||",
             "idle_other|20.000|15.000|-5.000|-25.00|"});
  CHECK(rows_of(outcome.document, "waterfall_kernels") == Rows{"compute|gemm|40.000|50.000|10.000"});
  CHECK(
      rows_of(outcome.document, "steps", {"run", "rank", "step", "step_us", "compute_us"}) ==
      Rows{"base|0|0|100.000|40.000", "base|0|1|100.000|40.000", "test|0|0|100.000|50.000", "test|0|1|100.000|50.000"});
}

TEST_CASE("diff: inclusive time counts recursion once, self time stops at operators and calls only") {
  TraceSketch sketch;
  sketch.op("aten::add", 0, 100);
  sketch.op("aten::add", 10, 60);       // inside one of its own name
  sketch.annotation("region", 20, 40);  // no work: the time in it stays with the operator
  sketch.call("cudaLaunchKernel", 30, 10);
  const Trace trace = sketch.build();
  const Outcome outcome = compare_runs(trace, trace);
  CHECK(rows_of(outcome.document, "ops", {"name", "kind", "base_count", "base_us", "base_self_us"}) ==
        Rows{"aten::add|op|2.00|100.000|90.000", "cudaLaunchKernel|call|1.00|10.000|10.000"});
}

TEST_CASE("diff: an operator that outlives the one of its name around it is not enclosed") {
  TraceSketch sketch;
  sketch.op("f", 0, 50);
  sketch.op("f", 40, 30);  // ends at 70
  sketch.op("f", 60, 10);  // enclosed by the second
  const Trace trace = sketch.build();
  CHECK(rows_of(compare_runs(trace, trace).document, "ops", {"base_count", "base_us", "base_self_us"}) ==
        Rows{"3.00|80.000|70.000"});
}

TEST_CASE("diff: threads do not enclose each other") {
  TraceSketch sketch;
  sketch.op("f", 0, 50);
  sketch.op("f", 10, 20, 200);
  const Trace trace = sketch.build();
  CHECK(rows_of(compare_runs(trace, trace).document, "ops", {"base_us", "base_self_us"}) == Rows{"70.000|70.000"});
}

TEST_CASE("diff: GPU time goes to the launching call and to the innermost operator around it") {
  TraceSketch sketch;
  sketch.op("outer", 0, 100);
  sketch.op("inner", 10, 20);
  sketch.kernel("a", 15, 5, 50, 7);    // in inner
  sketch.kernel("b", 40, 5, 60, 30);   // in outer
  sketch.kernel("c", 200, 5, 210, 1);  // in none
  const Trace trace = sketch.build();
  CHECK(rows_of(compare_runs(trace, trace).document, "ops", {"name", "base_gpu_us"}) ==
        Rows{"cudaLaunchKernel|38.000", "inner|7.000", "outer|30.000"});
}

TEST_CASE("diff: an operator that starts with its launch is open at it") {
  TraceSketch sketch;
  sketch.kernel("a", 10, 30, 50, 7);
  sketch.op("late", 10, 20);  // shorter, hence behind the call
  const Trace trace = sketch.build();
  CHECK(rows_of(compare_runs(trace, trace).document, "ops", {"name", "base_gpu_us"}) ==
        Rows{"cudaLaunchKernel|7.000", "late|7.000"});
}

TEST_CASE("diff: step names are no operators") {
  TraceSketch sketch;
  sketch.op("ProfilerStep#1", 0, 100);
  sketch.op("ProfilerStep#1 [warm]", 10, 20);
  const Trace trace = sketch.build();
  CHECK(rows_of(compare_runs(trace, trace).document, "ops", {"name"}) == Rows{"ProfilerStep#1 [warm]"});
}

TEST_CASE("diff: events outside the steps count for nothing, but what reaches into a window owns time there") {
  TraceSketch sketch;
  sketch.kernel("before", 10, 5, 90, 30);  // launched before the step, runs 20 µs into it
  sketch.step(1, 100, 100);
  sketch.kernel("own", 110, 5, 150, 10);
  sketch.op("aten::late", 300, 10);
  const Trace trace = sketch.build();
  const Outcome outcome = compare_runs(trace, trace);
  CHECK(rows_of(outcome.document, "kernels", {"name", "base_count", "base_us", "class"}) ==
        Rows{"before|0.00|0.000|unchanged", "own|1.00|10.000|unchanged"});
  CHECK(rows_of(outcome.document, "waterfall_kernels", {"name", "base_us"}) == Rows{"before|20.000", "own|10.000"});
  CHECK(rows_of(outcome.document, "ops", {"name", "base_count"}) == Rows{"cudaLaunchKernel|1.00"});
}

TEST_CASE("diff: without steps the whole rank is one sample, from its first to its last work or GPU event") {
  TraceSketch sketch;
  sketch.annotation("setup", 0, 5);
  sketch.op("aten::mm", 10, 20);
  sketch.gpu("gemm", 40, 60);
  const Trace trace = sketch.build();
  const Outcome outcome = compare_runs(trace, trace);
  CHECK(rows_of(outcome.document, "steps", {"step", "step_us", "compute_us"}) ==
        Rows{"|90.000|60.000", "|90.000|60.000"});
}

TEST_CASE("diff: steps on one side only: both are taken whole, and it is said") {
  TraceSketch sketch;
  sketch.op("aten::mm", 5, 30);
  sketch.kernel("gemm", 10, 5, 20, 40);
  const Trace whole = sketch.build();
  const Trace steps = two_steps(40);
  const Outcome outcome = compare_runs(steps, whole);
  REQUIRE(outcome.status.ok());
  CHECK(has_note(outcome.document, "steps-on-one-side"));
  CHECK(rows_of(outcome.document, "steps", {"run", "step", "step_us"}) == Rows{"base||155.000", "test||55.000"});
  const Outcome chosen = compare_runs(steps, whole, {{"step", "1"}});
  REQUIRE_FALSE(chosen.status.ok());
  CHECK(chosen.status.error().code == ErrorCode::kInsufficient);
  CHECK(chosen.status.error().message ==
        "steps are chosen by number, but TEST has none; leave the choice out to compare the runs as a whole");
}

TEST_CASE("diff: chosen steps that are not there are an error that says which are") {
  const Trace trace = two_steps(40);
  const Outcome outcome = compare_runs(trace, trace, {{"test-step", "7-9"}});
  REQUIRE_FALSE(outcome.status.ok());
  CHECK(outcome.status.error().code == ErrorCode::kInsufficient);
  CHECK(outcome.status.error().message == "TEST has none of the chosen steps; there are 0 to 1");
}

TEST_CASE("diff: an incomplete last step is left out unless asked for") {
  const auto trace = [] {
    TraceSketch sketch;
    sketch.step(0, 0, 100);
    sketch.kernel("gemm", 10, 5, 20, 40);
    sketch.step(1, 100, 100);
    sketch.call("cudaLaunchKernel", 110, 5);
    return sketch.build();
  }();
  CHECK(rows_of(compare_runs(trace, trace).document, "steps", {"run", "step"}) == Rows{"base|0", "test|0"});
  CHECK(rows_of(compare_runs(trace, trace, {{"base-step", "0-1"}}).document, "steps", {"run", "step"}) ==
        Rows{"base|0", "base|1", "test|0"});
}

TEST_CASE("diff: GPU events on one side only are no comparison") {
  TraceSketch sketch;
  sketch.step(0, 0, 100);
  sketch.op("aten::mm", 5, 30);
  const Trace no_gpu = sketch.build();
  const Outcome outcome = compare_runs(two_steps(40), no_gpu);
  REQUIRE_FALSE(outcome.status.ok());
  CHECK(outcome.status.error().code == ErrorCode::kInsufficient);
  CHECK(compare_runs(no_gpu, no_gpu).status.ok());
}

TEST_CASE("diff: a rank counts as one sample per step, and step values are means over ranks") {
  const Trace a = two_steps(40);
  const Trace b = two_steps(60);
  const auto options = options_of(analysis::kDiff);
  const Outcome outcome = compare_runs({&a, &b}, {&a}, options);
  CHECK(has_note(outcome.document, "ranks-differ"));
  CHECK(rows_of(outcome.document, "metrics", {"metric", "base_us", "base_steps", "base_median_us", "base_mad_us"})[1] ==
        "compute|50.000|2|50.000|0.000");
  CHECK(rows_of(outcome.document, "kernels", {"base_count", "base_us", "base_mean_us"}) == Rows{"1.00|50.000|50.000"});
}

TEST_CASE("diff: rows beyond --top are folded, so that columns still add up") {
  TraceSketch sketch;
  for (int i = 0; i < 5; ++i) sketch.gpu("k" + std::to_string(i), i * 100, 10 + i);
  const Trace test = sketch.build();
  TraceSketch none;
  none.gpu("k0", 0, 10);
  auto options = options_of(analysis::kDiff);
  options.top = 2;
  const Trace base = none.build();
  CHECK(rows_of(compare_runs({&base}, {&test}, options).document, "kernels",
                {"name", "kind", "test_count", "test_us", "class"}) ==
        Rows{"k4|COMPUTATION|1.00|14.000|added", "k3|COMPUTATION|1.00|13.000|added", "others||3.00|33.000|"});
}

TEST_CASE("diff: the heading says the verdict and what dominates") {
  const Outcome outcome = compare_runs(two_steps(40), two_steps(50));
  CHECK(outcome.document.heading == Rows{"Step time: 100.0 µs in BASE, 100.0 µs in TEST, no difference; with 2 steps a "
                                         "side nobody can tell it from noise (5 a side are needed).",
                                         "What dominates: computation +10.00 µs (40.00 µs to 50.00 µs); then GPU idle, "
                                         "waiting for the host -5.00 µs, GPU idle for other reasons -5.00 µs.",
                                         "GPU busy 40.00 % of the step in BASE, 50.00 % in TEST.",
                                         "Kernels: gemm +10.00 µs (slower)."});
}

TEST_CASE("diff: gates go into table, findings and verdict") {
  const Outcome outcome = compare_runs(two_steps(40), two_steps(50), {{"fail-on", "compute>5%"}, {"min-steps", "2"}});
  CHECK(rows_of(outcome.document, "gates") == Rows{"compute>5%|40.000|50.000|25.00%|>5%|fail"});
  CHECK(outcome.document.verdict == result::Verdict::kFailed);
  REQUIRE(outcome.document.findings.size() == 1);
  CHECK(outcome.document.findings[0].id == "gate-failed");
}
