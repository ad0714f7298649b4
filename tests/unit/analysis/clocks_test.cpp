// Clocks of the ranks, as table `clocks` of `stragglers` shows them.

#include "hta/analysis/stragglers.h"

#include "support/collective_sketch.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;
using Rows = std::vector<std::string>;

namespace {

Outcome outcome_of(std::vector<TraceSketch>& sketches,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> options = {}) {
  std::vector<Trace> traces;
  for (TraceSketch& sketch : sketches) traces.push_back(sketch.build());
  std::vector<const Trace*> ranks;
  for (const Trace& trace : traces) ranks.push_back(&trace);
  return run(analysis::kStragglers, ranks, options_of(analysis::kStragglers, options));
}

Rows clocks(const Outcome& outcome) {
  return rows_of(outcome.document, "clocks",
                 {"rank", "offset_us", "least_offset_us", "most_offset_us", "violations", "method"});
}

SketchCollective numbered(std::int64_t seq, std::string ranks = "[0, 1]", std::int64_t size = 2) {
  return {"allreduce", "world", std::move(ranks), size, seq, 1000, "Float"};
}

// One side of a transfer: rank `from` sends to rank `to`.
void transfer(TraceSketch& sketch, std::string_view side, std::int64_t from, std::int64_t to, std::int64_t start_us,
              std::int64_t dur_us) {
  sketch.event("kernel", "ncclDevKernel_SendRecv", TraceSketch::us(start_us), TraceSketch::us(dur_us), 0, 24,
               {{ArgKey::kCollectiveName, 0, std::string(side)},
                {ArgKey::kProcessGroupDescription, 0, "pp"},
                {ArgKey::kProcessGroupRanks, 0, "[0, 1, 2, 3]"},
                {ArgKey::kGroupSize, 4, {}},
                {ArgKey::kSourceRank, from, {}},
                {ArgKey::kDestinationRank, to, {}},
                {ArgKey::kSeq, 1, {}}});
}

}  // namespace

TEST_CASE("clocks: an offset found from ends is moved to where causality allows it") {
  // Rank 1 leaves three collectives 30 us early, which looks like a clock that is 30 us behind. It leaves them at 70
  // when rank 0 has come at 60: it is ahead by 10 at most. In the fourth, rank 1 comes at 205 and rank 0 leaves at 210:
  // it is behind by 5 at most.
  std::vector<TraceSketch> ranks(2);
  for (std::int64_t i = 0; i < 3; ++i) {
    collective(ranks[0], i * 1000 + 60, 40, numbered(i + 1));
    collective(ranks[1], i * 1000 + 50, 20, numbered(i + 1));
  }
  collective(ranks[0], 3200, 10, numbered(4));
  collective(ranks[1], 3205, 10, numbered(4));
  CHECK(clocks(outcome_of(ranks)) == Rows{"0|0.000|0.000|0.000|0|reference", "1|-5.000|-5.000|10.000|0|ends"});
}

TEST_CASE("clocks: collectives that no offset satisfies are counted and said, and move nothing") {
  // Twenty say that rank 1 is at least 5 us behind, one that it is at least 110 ahead.
  std::vector<TraceSketch> ranks(2);
  for (std::int64_t i = 0; i < 20; ++i) {
    collective(ranks[0], i * 1000 + 60, 40, numbered(i + 1));
    collective(ranks[1], i * 1000 + 50, 5, numbered(i + 1));
  }
  collective(ranks[0], 20'200, 10, numbered(21));
  collective(ranks[1], 20'320, 10, numbered(21));
  const Outcome outcome = outcome_of(ranks);
  CHECK(clocks(outcome) == Rows{"0|0.000|||1|reference", "1|-45.000|||1|ends"});
  REQUIRE(outcome.document.notes.size() == 2);
  CHECK(outcome.document.notes[1].code == "clock-causality");
  CHECK(outcome.document.notes[1].message ==
        "1 collective ends on one rank before another has begun it, even after the clocks were corrected: these ranks "
        "may have been matched wrongly, or a clock has jumped (table clocks)");
}

TEST_CASE("clocks: those taken as they are, or given, are held against causality too") {
  const auto ahead = [] {
    std::vector<TraceSketch> ranks(2);
    for (std::int64_t i = 0; i < 3; ++i) {
      collective(ranks[0], i * 1000, 50, numbered(i + 1));
      collective(ranks[1], i * 1000 + 500, 50, numbered(i + 1));
    }
    return ranks;
  };
  auto ranks = ahead();
  const Outcome none = outcome_of(ranks, {{"clock", "none"}});
  CHECK(rows_of(none.document, "clocks", {"violations", "method"}) == Rows{"3|none", "3|none"});
  CHECK(
      none.document.notes.back().message ==
      "3 collectives end on one rank before another has begun it: the clocks of these ranks are not together (--clock "
      "auto corrects them) (table clocks)");
  ranks = ahead();
  const Outcome wrong = outcome_of(ranks, {{"clock", "rank,offset_us\n0,0\n1,100\n"}});
  CHECK(rows_of(wrong.document, "clocks", {"violations", "method"}) == Rows{"3|given", "3|given"});
  ranks = ahead();
  const Outcome right = outcome_of(ranks, {{"clock", "rank,offset_us\n0,0\n1,500\n"}});
  CHECK(rows_of(right.document, "clocks", {"violations"}) == Rows{"0", "0"});
}

TEST_CASE("clocks: stages that share no collective are brought together by what they send each other") {
  // The clocks of ranks 2 and 3 are 5 ms ahead. Rank 2 receives until 5150 what rank 0 sends from 100 on: it is ahead
  // by 5050 at most. Rank 0 receives until 240 what rank 2 sends from 5200 on: it is ahead by 4960 at least.
  std::vector<TraceSketch> ranks(4);
  for (std::size_t r = 0; r < 4; ++r) {
    const std::int64_t ahead = r < 2 ? 0 : 5000;
    const std::string group = r < 2 ? "[0, 1]" : "[2, 3]";
    for (std::int64_t i = 0; i < 3; ++i) collective(ranks[r], ahead + 1000 * i, 50, numbered(i + 1, group));
  }
  transfer(ranks[0], "send", 0, 2, 100, 50);
  transfer(ranks[2], "recv", 0, 2, 5110, 40);
  transfer(ranks[2], "send", 2, 0, 5200, 40);
  transfer(ranks[0], "recv", 2, 0, 190, 50);
  CHECK(clocks(outcome_of(ranks)) == Rows{"0|0.000|0.000|0.000|0|reference", "1|0.000|-50.000|50.000|0|ends",
                                          "2|5005.000|4960.000|5050.000|0|causality",
                                          "3|5005.000|4910.000|5100.000|0|ends"});
}

TEST_CASE("clocks: stages whose times do not contradict stay as they are") {
  std::vector<TraceSketch> ranks(3);
  transfer(ranks[0], "send", 0, 2, 100, 50);
  transfer(ranks[2], "recv", 0, 2, 110, 40);
  transfer(ranks[2], "send", 2, 0, 200, 40);
  transfer(ranks[0], "recv", 2, 0, 190, 50);
  // Received until 150 and sent from 100 on: ahead by 50 at most; received until 240, sent from 200 on: behind by 40.
  CHECK(clocks(outcome_of(ranks)) ==
        Rows{"0|0.000|0.000|0.000|0|reference", "1||||0|none", "2|0.000|-40.000|50.000|0|causality"});
}

namespace {

struct Drifting {
  std::int64_t ahead_us = 0;
  std::int64_t ppm = 0;
  bool jitters = false;
};

// A collective every `every_us`, seen by clocks that run as told.
Rows drifts(const std::vector<Drifting>& clocks, std::int64_t every_us) {
  constexpr std::int64_t kCollectives = 24;
  std::vector<TraceSketch> ranks(clocks.size());
  for (std::size_t r = 0; r < clocks.size(); ++r) {
    for (std::int64_t i = 0; i < kCollectives; ++i) {
      const std::int64_t end_us = i * every_us + 100;
      // Errors that go up and down without a trend: 0, 4, -4, 0, 4, -4, ...
      const std::int64_t jitter_us = clocks[r].jitters ? (i % 3 == 1 ? 4 : i % 3 == 2 ? -4 : 0) : 0;
      const std::int64_t own_us = end_us + clocks[r].ahead_us + end_us * clocks[r].ppm / 1'000'000 + jitter_us;
      collective(ranks[r], own_us - 50, 50, numbered(i + 1, "[0, 1, 2]", 3));
    }
  }
  return rows_of(outcome_of(ranks).document, "clocks", {"offset_us", "drift_ppm", "residual_p95_us"});
}

}  // namespace

TEST_CASE("clocks: a clock that runs fast is found, compared with the reference") {
  // Where the common clock shows 0, 100 us before the first end, the offset is 1 ns less than there.
  CHECK(drifts({{}, {500, 10}, {}}, 1'000'000) ==
        Rows{"0.000|0.000000|0.000", "499.999|10.000000|0.001", "0.000|0.000000|0.000"});
}

TEST_CASE("clocks: if all clocks drift, what counts is how fast they run compared with the reference") {
  // Rank 0 runs fast by 10 ppm, rank 1 slow by 20: 30 ppm apart, 720 us in 24 s.
  const Rows rows = drifts({{0, 10}, {500, -20}, {}}, 1'000'000);
  CHECK(rows[0].starts_with("0.000|0.000000|"));
  CHECK(rows[1].find("|-30.000") != std::string::npos);
  CHECK(rows[2].find("|-10.000") != std::string::npos);
}

TEST_CASE("clocks: drift is not taken from a short record, nor from noise") {
  // Over 2.4 s the same clock changes by 24 us: the middle of it stands for the whole.
  const Rows brief = drifts({{}, {500, 10}, {}}, 100'000);
  CHECK(brief[1].starts_with("511.500|0.000000|"));
  CHECK(drifts({{}, {500, 0, true}, {}}, 1'000'000)[1] == "500.000|0.000000|4.000");
}
