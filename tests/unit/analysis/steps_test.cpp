#include "hta/analysis/steps.h"

#include "support/trace_sketch.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;
using Rows = std::vector<std::string>;

namespace {

Outcome steps_of(const std::vector<const Trace*>& ranks) {
  return run(analysis::kSteps, ranks, options_of(analysis::kSteps));
}

// Ten steps of 100 µs with 60 µs of computation each, but one of them.
struct Usual {
  TraceSketch sketch;
  std::int64_t at_us = 0;
  void step(std::int64_t number, std::int64_t dur_us = 100, std::int64_t compute_us = 60, std::int64_t comm_us = 0) {
    sketch.step(number, at_us, dur_us);
    if (compute_us > 0) sketch.gpu("gemm", at_us, compute_us);
    if (comm_us > 0) sketch.gpu("ncclDevKernel_AllReduce", at_us + compute_us, comm_us, 0, 20);
    at_us += dur_us;
  }
};

}  // namespace

TEST_CASE("steps: GPU time of all devices is clipped to the window and counted once") {
  TraceSketch sketch;
  sketch.step(3, 0, 100);
  sketch.step(4, 100, 50);
  sketch.gpu("a", 10, 20, 0, 7, 0);
  sketch.gpu("b", 20, 20, 0, 7, 1);
  sketch.gpu("c", 90, 40);
  const Trace trace = sketch.build();
  CHECK(rows_of(steps_of({&trace}).document, "steps") ==
        Rows{"0|3|0.000|100.000|40.000|0", "0|4|100.000|50.000|30.000|0"});
}

TEST_CASE("steps: events of one number are one window") {
  TraceSketch sketch;
  sketch.step(1, 0, 100);
  sketch.event("user_annotation", "ProfilerStep#1", TraceSketch::us(50), TraceSketch::us(80), 100, 200);
  const Trace trace = sketch.build();
  CHECK(rows_of(steps_of({&trace}).document, "steps", {"step", "dur_us"}) == Rows{"1|130.000"});
}

TEST_CASE("steps: a step is an outlier beyond 3.5 robust deviations and five per cent") {
  Usual run;
  for (int i = 0; i < 9; ++i) run.step(i, 100 + i % 3);  // median 101, deviations of 1: the cut is at 5.19
  run.step(9, 106, 60);
  const Trace at_five = run.sketch.build();
  CHECK(rows_of(steps_of({&at_five}).document, "outlier_steps").empty());  // 5 µs over are under 5.19

  Usual next;
  for (int i = 0; i < 9; ++i) next.step(i, 100 + i % 3);
  next.step(9, 107, 60);
  const Trace at_six = next.sketch.build();
  CHECK(rows_of(steps_of({&at_six}).document, "outlier_steps",
                {"step", "dur_us", "over_median_us", "over_median_pct"}) == Rows{"9|107.000|6.000|5.94"});
}

TEST_CASE("steps: with no spread at all five per cent decide") {
  for (const auto& [dur_us, outliers] : {std::pair<std::int64_t, std::size_t>{105, 0}, {106, 1}, {95, 0}, {94, 1}}) {
    Usual run;
    for (int i = 0; i < 5; ++i) run.step(i);
    run.step(5, dur_us);
    const Trace trace = run.sketch.build();
    INFO(dur_us);
    CHECK(rows_of(steps_of({&trace}).document, "outlier_steps").size() == outliers);
  }
}

TEST_CASE("steps: the part that grew most is named") {
  Usual run;
  for (int i = 0; i < 6; ++i) run.step(i, 100, 60, 10);
  run.step(6, 150, 60, 55);  // communication 45 over, idle 5 over
  run.step(7, 160, 120, 10);
  run.step(8, 170, 60, 10);
  run.step(9, 50, 15, 10);  // shorter: computation shrank by 45
  const Trace trace = run.sketch.build();
  const Outcome outcome = steps_of({&trace});
  CHECK(rows_of(outcome.document, "outlier_steps", {"step", "over_median_us", "part", "part_change_us"}) ==
        Rows{"6|50.000|exposed communication|45.000", "7|60.000|compute|60.000", "8|70.000|idle|70.000",
             "9|-50.000|compute|-45.000"});
  CHECK(outcome.document.heading ==
        Rows{"10 steps on 1 rank: median 100.0 µs, longest 170.0 µs.",
             "Step 8 stands out on rank 0: 170.0 µs, 70.00 µs over the median; idle grew by 70.00 µs.",
             "Step 7 stands out on rank 0: 160.0 µs, 60.00 µs over the median; compute grew by 60.00 µs.",
             "Step 6 stands out on rank 0: 150.0 µs, 50.00 µs over the median; exposed communication grew by 45.00 µs.",
             "1 more step stands out (table outlier_steps)."});
}

TEST_CASE("steps: the rank whose own time grew is named, the others waited") {
  std::vector<Trace> traces;
  for (int rank = 0; rank < 3; ++rank) {
    Usual run;
    for (int i = 0; i < 5; ++i) run.step(i, 100, 60, 10);
    if (rank == 1) run.step(5, 140, 60, 10);
    else run.step(5, 140, 60, 50);
    traces.push_back(run.sketch.build());
  }
  const Outcome outcome = steps_of({&traces[0], &traces[1], &traces[2]});
  CHECK(outcome.document.heading.back() ==
        "Step 5 stands out on rank 1: 140.0 µs, 40.00 µs over the median; idle grew by 40.00 µs. On 2 other ranks "
        "exposed communication "
        "grew: they waited.");
  CHECK(outcome.document.next == std::vector<std::string>{"idle"});
}

TEST_CASE("steps: statistics of the durations") {
  Usual run;
  for (const std::int64_t dur_us : {100, 100, 100, 200}) run.step(run.at_us, dur_us);
  const Trace trace = run.sketch.build();
  CHECK(rows_of(steps_of({&trace}).document, "step_stats") ==
        Rows{"0|4|125.000|100.000|185.000|100.000|200.000|50.000|1"});
}

TEST_CASE("steps: without GPU events or steps nothing is made up") {
  TraceSketch host_only;
  for (int i = 0; i < 4; ++i) host_only.step(i, i * 100, 100);
  host_only.step(4, 400, 200);
  const Trace without_gpu = host_only.build();
  const Outcome outcome = steps_of({&without_gpu});
  CHECK(rows_of(outcome.document, "outlier_steps") == Rows{"0|4|200.000|100.000|100.00||"});
  CHECK(outcome.document.heading.back() == "Step 4 stands out on rank 0: 200.0 µs, 100.0 µs over the median.");

  TraceSketch none;
  none.gpu("a", 0, 10);
  const Trace without_steps = none.build();
  const Outcome empty = steps_of({&without_steps});
  CHECK(empty.document.heading == Rows{"No step was recorded: there is no ProfilerStep event."});
  REQUIRE(empty.document.notes.size() == 1);
  CHECK(empty.document.notes.front().code == "no-steps");
}
