#include "hta/analysis/whatif.h"

#include "support/trace_sketch.h"
#include <catch2/catch.hpp>

namespace hta {
namespace {

using analysis::kWhatif;
using test::TraceSketch;
using Rows = std::vector<std::string>;
using Values = std::initializer_list<std::pair<std::string_view, std::string_view>>;

test::Outcome run(const Trace& trace, Values values) {
  return test::run(kWhatif, {&trace}, test::options_of(kWhatif, values));
}

Rows outcomes(const Trace& trace, Values values) {
  const test::Outcome outcome = run(trace, values);
  REQUIRE(outcome.status.ok());
  return test::rows_of(outcome.document, "whatif", {"scenario", "predicted_us", "gain_us", "method"});
}

// 0-10 aten::mm, 10-15 its launch, 15-20 aten::mm; gemm 30-130; aten::item 40-50, then the call waits until 135,
// then 15.
Trace launch_and_wait() {
  TraceSketch sketch;
  sketch.op("aten::mm", 0, 20);
  sketch.kernel("gemm", 10, 5, 30, 100);
  sketch.op("aten::item", 40, 110);
  sketch.call("cudaStreamSynchronize", 50, 85, 7);
  return sketch.build();
}

}  // namespace

TEST_CASE("whatif: a faster kernel ends the wait earlier, but not before the call began") {
  CHECK(outcomes(launch_and_wait(), {{"scale", "kernel:^gemm$=0.5"}, {"scale", "kernel=0"}}) ==
        Rows{
            "unchanged|150.000|0.000|measured",
            "--scale kernel:^gemm$=0.5|100.000|50.000|simulated",  // gemm ends at 80, 5 to return, 15 to finish
            "--scale kernel=0|70.000|80.000|simulated",            // the call begins at 50
            "all together|70.000|80.000|simulated",
        });
}

TEST_CASE("whatif: gains of several changes are replayed together, not added up") {
  // gemm starts right behind its launch: 10 to 110, and the call returns at 115. With both it ends at 60.
  CHECK(outcomes(launch_and_wait(), {{"scale", "kernel=0.5"}, {"no-launch-overhead", ""}}) ==
        Rows{
            "unchanged|150.000|0.000|measured",
            "--scale kernel=0.5|100.000|50.000|simulated",
            "--no-launch-overhead|130.000|20.000|simulated",
            "all together|80.000|70.000|simulated",
        });
}

TEST_CASE("whatif: without waits of the host the window still lasts until the GPU is done") {
  // The host would be done at 65; gemm ends at 130.
  CHECK(outcomes(launch_and_wait(), {{"no-sync", ""}}).back() == "--no-sync|130.000|20.000|bound");
}

TEST_CASE("whatif: hidden communication holds up only itself") {
  TraceSketch sketch;
  sketch.op("aten::mm", 0, 30);
  sketch.kernel("ncclDevKernel_AllReduce", 2, 2, 10, 100, 7);
  sketch.kernel("gemm", 10, 2, 110, 40, 7);
  // gemm would start at its launch's return 12, or right behind what the collective waited for: 10. It is done at 52.
  const Rows rows = outcomes(sketch.build(), {{"perfect-overlap", ""}});
  CHECK(rows.at(0) == "unchanged|150.000|0.000|measured");
  CHECK(rows.at(1) == "--perfect-overlap|110.000|40.000|bound");
}

TEST_CASE("whatif: operators, calls, lulls and loading are scaled on their own") {
  TraceSketch sketch;
  sketch.op("aten::first", 0, 20);
  sketch.annotation("enumerate(DataLoader)#__next__", 30, 40);
  sketch.op("aten::last", 80, 20);
  const Trace trace = sketch.build();
  CHECK(outcomes(trace, {{"scale", "op:first=0.5"}}).back() == "--scale op:first=0.5|90.000|10.000|simulated");
  CHECK(outcomes(trace, {{"scale", "python=0"}}).back() == "--scale python=0|80.000|20.000|simulated");
  CHECK(outcomes(trace, {{"scale", "loading=0"}}).back() == "--scale loading=0|60.000|40.000|simulated");
  CHECK(outcomes(trace, {{"scale", "call=0"}}).back() == "--scale call=0|100.000|0.000|simulated");
}

TEST_CASE("whatif: a window that is largely unexplained is not trusted") {
  TraceSketch sketch;
  sketch.kernel("first", 0, 2, 5, 10);
  sketch.kernel("second", 3, 2, 60, 10);
  const Trace trace = sketch.build();
  analysis::Options options = test::options_of(kWhatif, {{"scale", "kernel=0.5"}});
  const test::Outcome lenient = test::run(kWhatif, {&trace}, options);
  CHECK(test::rows_of(lenient.document, "whatif", {"unexplained_pct", "inferred_pct", "trusted"}).back() ==
        "64.29|0.00|no");
  CHECK(lenient.document.verdict == result::Verdict::kNone);
  REQUIRE(lenient.document.notes.size() == 1);
  CHECK(
      lenient.document.notes.front().message ==
      "the predictions are not to be trusted: 64.29 % of the window is unexplained and 0.00 % rests on inferred waits");
  options.strict = true;
  CHECK(test::run(kWhatif, {&trace}, options).document.verdict == result::Verdict::kInsufficient);
}

TEST_CASE("whatif: GPU time behind an inferred wait rests on it until the walk reaches the host") {
  TraceSketch sketch;
  sketch.op("aten::mm", 0, 30);
  sketch.kernel("producer", 1, 2, 5, 100, 7);
  sketch.kernel("consumer", 8, 2, 110, 45, 8);
  // 5 of gap, 100 of producer and 2 of its launch delay, of 155.
  CHECK(test::rows_of(run(sketch.build(), {{"scale", "kernel=1"}}).document, "whatif", {"inferred_pct", "trusted"})
            .back() == "69.03|no");
}

TEST_CASE("whatif: malformed scenarios are refused with what would be right") {
  const auto refusal = [](std::string_view text) {
    return kWhatif.validate(test::options_of(kWhatif, {{"scale", text}})).error().message;
  };
  CHECK(refusal("kernel") == "--scale: 'kernel': write CLASS=FACTOR or CLASS:REGEX=FACTOR");
  CHECK(refusal("kernel=x") == "--scale: 'kernel=x': the factor is no decimal number");
  CHECK(refusal("kernel=-1") == "--scale: 'kernel=-1': the factor must be from 0 to 1000");
  CHECK(
      refusal("kernl=1") ==
      "--scale: 'kernl=1': no such class; there are kernel, compute, comm, copies, op, call, launch, python, loading");
  CHECK(refusal("python:x=1") == "--scale: 'python:x=1': python takes no names");
  CHECK(refusal("kernel:(=1").starts_with("--scale: 'kernel:(=1': no regular expression: "));
}

}  // namespace hta
