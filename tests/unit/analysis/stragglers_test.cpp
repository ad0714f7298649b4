#include "hta/analysis/stragglers.h"

#include "support/collective_sketch.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;
using Rows = std::vector<std::string>;

namespace {

// Steps of 200 us: launch, compute, then an all-reduce over everyone that ends at 180 in all ranks.
struct Plan {
  std::vector<std::int64_t> compute_us;  // of each step
  std::int64_t clock_us = 0;             // ahead of the others
  std::int64_t host_late_us = 0;         // the first launch of a step comes that much later
};

Trace rank_of(const Plan& plan) {
  TraceSketch sketch;
  for (std::size_t s = 0; s < plan.compute_us.size(); ++s) {
    const std::int64_t at = static_cast<std::int64_t>(s) * 200 + plan.clock_us;
    const std::int64_t start = at + 10 + plan.host_late_us;
    const std::int64_t done = start + plan.compute_us[s];
    sketch.step(static_cast<std::int64_t>(s), at, 200);
    sketch.kernel("gemm", start - 2, 2, start, plan.compute_us[s]);
    collective(sketch, done, at + 180 - done, {.seq = static_cast<std::int64_t>(s) + 1});
  }
  return sketch.build();
}

Outcome stragglers_of(const std::vector<Plan>& plans,
                      std::initializer_list<std::pair<std::string_view, std::string_view>> options = {}) {
  std::vector<Trace> traces;
  for (const Plan& plan : plans) traces.push_back(rank_of(plan));
  std::vector<const Trace*> ranks;
  for (const Trace& trace : traces) ranks.push_back(&trace);
  return run(analysis::kStragglers, ranks, options_of(analysis::kStragglers, options));
}

Rows verdicts(const Outcome& outcome) {
  return rows_of(outcome.document, "stragglers", {"rank", "verdict", "cause"});
}

const Plan kUsual{{60, 60, 60, 60}};

}  // namespace

TEST_CASE("stragglers: the culprit is the rank that waits least, and its slower kernels are the cause") {
  const Outcome outcome = stragglers_of({kUsual, kUsual, {{120, 120, 120, 120}}, kUsual});
  // In each of four steps the others wait 110 - 50 = 60 us: 720 in all, 240 for each of them in 800 us of steps.
  CHECK(rows_of(outcome.document, "stragglers",
                {"rank", "verdict", "wait_caused_us", "wait_suffered_us", "last_count", "collectives", "last_pct",
                 "cause", "cause_pct", "cost_pct"}) ==
        Rows{"2|straggler|720.000|0.000|4|4|100.00|slower kernels (x2.00)|100.00|30.00",
             "0|none|0.000|240.000|0|4|0.00|||0.00", "1|none|0.000|240.000|0|4|0.00|||0.00",
             "3|none|0.000|240.000|0|4|0.00|||0.00"});
}

TEST_CASE("stragglers: wait that sits in one step is transient, and nobody is a straggler for it") {
  CHECK(verdicts(stragglers_of({kUsual, {{60, 60, 110, 60}}, kUsual, kUsual})) ==
        Rows{"1|transient|slower kernels (x1.83)", "0|none|", "2|none|", "3|none|"});
}

TEST_CASE("stragglers: launches that come late are told from slow kernels") {
  CHECK(verdicts(stragglers_of({kUsual, kUsual, kUsual, {{60, 60, 60, 60}, 0, 50}})).front() ==
        "3|straggler|late launches");
}

TEST_CASE("stragglers: below five per cent of the step nobody is named") {
  // 9 us of 200.
  CHECK(verdicts(stragglers_of({kUsual, {{69, 69, 69, 69}}, kUsual, kUsual})) ==
        Rows{"0|none|", "1|none|", "2|none|", "3|none|"});
  CHECK(verdicts(stragglers_of({kUsual, {{70, 70, 70, 70}}, kUsual, kUsual})).front() ==
        "1|straggler|slower kernels (x1.17)");
}

TEST_CASE("stragglers: a clock that is ahead makes no straggler and hides none") {
  Plan ahead = kUsual;
  ahead.clock_us = 500;
  const Outcome outcome = stragglers_of({kUsual, ahead, {{120, 120, 120, 120}, -70}, kUsual});
  CHECK(verdicts(outcome) == Rows{"2|straggler|slower kernels (x2.00)", "0|none|", "1|none|", "3|none|"});
  CHECK(rows_of(outcome.document, "clocks", {"rank", "offset_us", "residual_p95_us", "collectives", "method"}) ==
        Rows{"0|0.000|0.000|4|reference", "1|500.000|0.000|4|ends", "2|-70.000|0.000|4|ends", "3|0.000|0.000|4|ends"});
  REQUIRE(outcome.document.notes.size() == 1);
  CHECK(outcome.document.notes[0].code == "clock-offset");
}

TEST_CASE("stragglers: clocks taken as they are blame the rank whose clock is ahead") {
  Plan ahead = kUsual;
  ahead.clock_us = 500;
  const Outcome outcome = stragglers_of({kUsual, ahead, {{120, 120, 120, 120}}, kUsual}, {{"clock", "none"}});
  CHECK(rows_of(outcome.document, "stragglers", {"rank", "last_count"})[0] == "1|4");
}

TEST_CASE("stragglers: clocks can be given as a table") {
  Plan ahead = kUsual;
  ahead.clock_us = 500;
  const std::vector<Plan> plans{kUsual, ahead, {{120, 120, 120, 120}}, kUsual};
  const Outcome outcome = stragglers_of(plans, {{"clock", "rank,offset_us,note\n0,0,\n1,500.000,x\n2,0,\n3,0,\n"}});
  CHECK(verdicts(outcome).front() == "2|straggler|slower kernels (x2.00)");
  CHECK(rows_of(outcome.document, "clocks", {"rank", "offset_us", "method"})[1] == "1|500.000|given");
  CHECK_FALSE(stragglers_of(plans, {{"clock", "rank,offset\n1,500\n"}}).status.ok());
  CHECK_FALSE(stragglers_of(plans, {{"clock", ""}}).status.ok());
}

TEST_CASE("stragglers: who was held up in another group is a victim") {
  // Tensor-parallel pairs (0, 1) and (2, 3), data-parallel pairs (0, 2) and (1, 3). Rank 3 computes longer: 2 waits for
  // it in their pair, and 0 then waits for 2.
  std::vector<Trace> traces;
  for (std::int64_t r = 0; r < 4; ++r) {
    TraceSketch sketch;
    for (std::int64_t s = 0; s < 3; ++s) {
      const std::int64_t at = s * 400;
      const std::int64_t compute = r == 3 ? 200 : 100;
      const std::int64_t tp_end = r < 2 ? at + 120 : at + 220;
      sketch.step(s, at, 400);
      sketch.gpu("gemm", at, compute);
      collective(sketch, at + compute, tp_end - at - compute,
                 {"allreduce", "tp", r < 2 ? "[0, 1]" : "[2, 3]", 2, s + 1});
      collective(sketch, tp_end, at + 240 - tp_end, {"allreduce", "dp", r % 2 == 0 ? "[0, 2]" : "[1, 3]", 2, s + 1});
    }
    traces.push_back(sketch.build());
  }
  const Outcome outcome =
      run(analysis::kStragglers, {&traces[0], &traces[1], &traces[2], &traces[3]}, options_of(analysis::kStragglers));
  CHECK(
      rows_of(outcome.document, "stragglers", {"rank", "verdict", "wait_caused_us", "owed_us", "last_count"}) ==
      Rows{"3|straggler|600.000|900.000|6", "0|none|0.000|0.000|0", "1|none|0.000|0.000|0", "2|none|300.000|0.000|3"});
}

TEST_CASE("stragglers: without collectives the busy time decides, and that is said") {
  std::vector<Trace> traces;
  for (std::int64_t r = 0; r < 3; ++r) {
    TraceSketch sketch;
    for (std::int64_t s = 0; s < 4; ++s) {
      sketch.step(s, s * 200, 200);
      sketch.gpu("gemm", s * 200 + 10, r == 1 ? 150 : 100);
    }
    traces.push_back(sketch.build());
  }
  const Outcome outcome =
      run(analysis::kStragglers, {&traces[0], &traces[1], &traces[2]}, options_of(analysis::kStragglers));
  CHECK(verdicts(outcome) == Rows{"1|straggler|slower kernels (x1.50)", "0|none|", "2|none|"});
  REQUIRE(outcome.document.notes.size() == 1);
  CHECK(outcome.document.notes[0].code == "no-collectives");
}

TEST_CASE("stragglers: one rank has nobody to be compared with") {
  const Outcome outcome = stragglers_of({kUsual});
  CHECK(verdicts(outcome) == Rows{"0|none|"});
  REQUIRE_FALSE(outcome.document.heading.empty());
  CHECK(outcome.document.heading[0].find("one rank") != std::string::npos);
}

TEST_CASE("stragglers: lateness that goes round is told from stragglers") {
  // In each of six steps another rank computes 50 us longer, rank 3 never.
  std::vector<Plan> plans(4, Plan{{60, 60, 60, 60, 60, 60}});
  for (std::size_t step = 0; step < 6; ++step) plans[step % 3].compute_us[step] = 110;
  const Outcome outcome = stragglers_of(plans);
  CHECK(rows_of(outcome.document, "stragglers", {"rank", "verdict", "persistence", "top_steps"}) ==
        Rows{"0|none|rotating|2", "1|none|rotating|2", "2|none|rotating|2", "3|none||0"});
  CHECK(outcome.document.heading[0] ==
        "Lateness rotates: in 6 of 6 steps a rank makes the others wait, but 3 ranks take turns. Each of the others "
        "waits "
        "300.0 µs for them, 25.00 % of the step time. Cause, in 3 of the 3: slower kernels. Look for work that differs "
        "from "
        "step to step, not for a bad device.");
  // Two that take turns are two slow ranks; and a rank on top in half of the steps is a straggler.
  for (std::size_t step = 0; step < 6; ++step) plans[2].compute_us[step] = 60;
  CHECK(rows_of(stragglers_of(plans).document, "stragglers", {"persistence"}) == Rows{"", "", "", ""});
}

TEST_CASE("stragglers: what each rank costs the others is told by step and by process group") {
  const Outcome outcome = stragglers_of({kUsual, {{60, 60, 110, 60}}, kUsual, kUsual});
  // 50 us of 200 in step 2, which each of three others waits.
  CHECK(rows_of(outcome.document, "lateness",
                {"rank", "step", "cost_us", "cost_pct", "wait_caused_us", "last_count", "collectives"})[6] ==
        "1|2|50.000|25.00|150.000|1|1");
  CHECK(rows_of(outcome.document, "lateness", {"wait_suffered_us"})[2] == "50.000");
  CHECK(rows_of(outcome.document, "straggler_groups", {"rank", "collectives", "last_count", "owed_us"}) ==
        Rows{"0|4|0|0.000", "1|4|1|150.000", "2|4|0|0.000", "3|4|0|0.000"});
}

TEST_CASE("stragglers: the speed of the same kernels is a second opinion") {
  // 120 us for what takes the median rank 60; the times of collectives play no part.
  const Outcome outcome = stragglers_of({kUsual, kUsual, {{120, 120, 120, 120}}, {{48, 48, 48, 48}}});
  CHECK(rows_of(outcome.document, "stragglers", {"rank", "kernel_speed"}) ==
        Rows{"2|0.5000", "0|1.0000", "1|1.0000", "3|1.2500"});
}

TEST_CASE("stragglers: nobody is ranked by differences that the clocks do not allow to tell") {
  // Ends differ by up to 6 us: in turn by 0, 9 and 9 us from the middle of the other two. Rank 1 comes 2 us late.
  const std::vector<std::int64_t> ragged_us{0, 6, -6};
  std::vector<Trace> traces;
  for (std::size_t r = 0; r < 3; ++r) {
    TraceSketch sketch;
    for (std::size_t s = 0; s < 9; ++s) {
      const auto at = static_cast<std::int64_t>(s) * 200;
      const std::int64_t done = at + 70 + (r == 1 ? 2 : 0);
      const std::int64_t end = at + 180 + ragged_us[(s + r) % 3];
      sketch.step(static_cast<std::int64_t>(s), at, 200);
      sketch.gpu("gemm", at + 10, done - at - 10);
      collective(sketch, done, end - done, {"allreduce", "world", "[0, 1, 2]", 3, static_cast<std::int64_t>(s) + 1});
    }
    traces.push_back(sketch.build());
  }
  const Outcome outcome =
      run(analysis::kStragglers, {&traces[0], &traces[1], &traces[2]}, options_of(analysis::kStragglers));
  CHECK(rows_of(outcome.document, "stragglers", {"last_count", "wait_caused_us"}) ==
        Rows{"0|0.000", "0|0.000", "0|0.000"});
  CHECK(outcome.document.heading[0] ==
        "No rank stands out: 9 collectives compared over 3 ranks; in 9 the two last arrive within < 18.00 µs of each "
        "other, which is less than the clocks allow to tell.");
}
