// What must hold for the matching of collectives and for waits, whatever the run.

#include "hta/analysis/comm.h"

#include "hta/analysis/stragglers.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "support/collective_sketch.h"
#include "variants.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;

namespace {

// A kernel of one rank: computation, or its part of a collective.
struct Kernel {
  std::int64_t start_us = 0;
  std::int64_t dur_us = 0;
  std::int64_t seq = -1;  // -1: computation
  std::int64_t elements = 0;
};

struct RankRun {
  std::int64_t clock_us = 0;
  std::vector<Kernel> kernels;
};

constexpr std::int64_t kSteps = 4;
constexpr std::int64_t kStepUs = 1000;

// Every step has some collectives over all ranks, each of which ends for all together.
std::vector<RankRun> random_run(std::uint64_t seed) {
  Random random(seed);
  std::vector<RankRun> ranks(static_cast<std::size_t>(random.in(2, 6)));
  std::int64_t seq = 0;
  std::int64_t at_us = 0;
  for (std::int64_t step = 0; step < kSteps; ++step) {
    at_us = std::max(at_us, step * kStepUs);
    for (std::int64_t n = random.in(1, 3); n > 0; --n) {
      std::vector<std::int64_t> arrivals;
      for (std::size_t r = 0; r < ranks.size(); ++r) arrivals.push_back(at_us + 2 + random.in(1, 200));
      const std::int64_t end_us = *std::max_element(arrivals.begin(), arrivals.end()) + random.in(5, 40);
      ++seq;
      const std::int64_t elements = random.in(1, 3) * 1000;
      for (std::size_t r = 0; r < ranks.size(); ++r) {
        ranks[r].kernels.push_back({at_us + 1, arrivals[r] - at_us - 1, -1, 0});
        ranks[r].kernels.push_back({arrivals[r], end_us - arrivals[r], seq, elements});
      }
      at_us = end_us;
    }
  }
  return ranks;
}

enum class Numbers { kRecorded, kLost };

struct Answers {
  result::Document comm;
  result::Document stragglers;
};

Answers answers(const std::vector<RankRun>& run, Numbers numbers = Numbers::kRecorded) {
  std::string list = "[0";
  for (std::size_t r = 1; r < run.size(); ++r) list += ", " + std::to_string(r);
  list += "]";
  std::vector<Trace> traces;
  for (const RankRun& rank : run) {
    TraceSketch sketch;
    for (std::int64_t step = 0; step < kSteps; ++step) sketch.step(step, step * kStepUs + rank.clock_us, kStepUs);
    for (const Kernel& kernel : rank.kernels) {
      const std::int64_t start_us = kernel.start_us + rank.clock_us;
      if (kernel.seq < 0) {
        sketch.gpu("gemm", start_us, kernel.dur_us);
      } else {
        collective(sketch, start_us, kernel.dur_us,
                   {"allreduce", "world", list, static_cast<std::int64_t>(run.size()),
                    numbers == Numbers::kRecorded ? kernel.seq : -1, kernel.elements, "Float"});
      }
    }
    traces.push_back(sketch.build());
  }
  std::vector<const Trace*> ranks;
  for (const Trace& trace : traces) ranks.push_back(&trace);
  return {test::run(analysis::kComm, ranks, options_of(analysis::kComm)).document,
          test::run(analysis::kStragglers, ranks, options_of(analysis::kStragglers)).document};
}

std::vector<std::string> waits(const Answers& of) {
  std::vector<std::string> rows = rows_of(
      of.stragglers, "stragglers", {"rank", "verdict", "wait_caused_us", "wait_suffered_us", "last_count", "cause"});
  for (std::string& row : rows_of(of.stragglers, "lateness")) rows.push_back(std::move(row));
  for (std::string& row : rows_of(of.comm, "comm")) rows.push_back(std::move(row));
  for (std::string& row : rows_of(of.comm, "comm_match")) rows.push_back(std::move(row));
  return rows;
}

}  // namespace

TEST_CASE("comm: waiting and transfer are the durations, for all and for each rank") {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    CAPTURE(seed);
    const std::vector<RankRun> run = random_run(seed);
    const Answers found = answers(run);
    // By seq: the shortest duration. What a rank spends beyond it, it waits.
    std::map<std::int64_t, std::int64_t> shortest_us;
    for (const RankRun& rank : run) {
      for (const Kernel& kernel : rank.kernels) {
        const auto at = shortest_us.try_emplace(kernel.seq, kernel.dur_us).first;
        at->second = std::min(at->second, kernel.dur_us);
      }
    }
    std::map<std::string, Nanos> suffered;
    for (std::size_t r = 0; r < run.size(); ++r) {
      Nanos& wait_ns = suffered[std::to_string(r)];
      for (const Kernel& kernel : run[r].kernels)
        wait_ns += kernel.seq < 0 ? 0 : TraceSketch::us(kernel.dur_us - shortest_us[kernel.seq]);
    }
    for (const std::string& row : rows_of(found.stragglers, "stragglers", {"rank", "wait_suffered_us"})) {
      const std::size_t bar = row.find('|');
      CHECK(nanos_of(row.substr(bar + 1)) == suffered[row.substr(0, bar)]);
    }
    for (const std::string& row : rows_of(found.comm, "comm", {"time_us", "wait_us", "transfer_us"})) {
      const std::size_t first = row.find('|');
      const std::size_t second = row.find('|', first + 1);
      CHECK(nanos_of(row.substr(0, first)) ==
            nanos_of(row.substr(first + 1, second - first - 1)) + nanos_of(row.substr(second + 1)));
    }
    CHECK(rows_of(found.comm, "comm_match", {"partial", "unmatched"}) == std::vector<std::string>{"0|0"});
  }
}

TEST_CASE("comm: clocks that are off move offsets and nothing else") {
  for (std::uint64_t seed = 100; seed < 100 + kSeeds; ++seed) {
    CAPTURE(seed);
    std::vector<RankRun> run = random_run(seed);
    const Answers expected = answers(run);
    Random random(seed);
    for (RankRun& rank : run) rank.clock_us = random.in(-100'000, 100'000);
    const Answers found = answers(run);
    CHECK(waits(found) == waits(expected));
    const std::vector<std::string> offsets = rows_of(found.stragglers, "clocks", {"offset_us"});
    for (std::size_t r = 0; r < run.size(); ++r)
      CHECK(nanos_of(offsets[r]) == TraceSketch::us(run[r].clock_us - run[0].clock_us));
  }
}

TEST_CASE("comm: neither the order of the file nor the numbers of the ranks matter") {
  for (std::uint64_t seed = 200; seed < 200 + kSeeds; ++seed) {
    CAPTURE(seed);
    const std::vector<RankRun> run = random_run(seed);
    const Answers expected = answers(run);
    std::vector<RankRun> reversed = run;
    for (RankRun& rank : reversed) std::reverse(rank.kernels.begin(), rank.kernels.end());
    CHECK(waits(answers(reversed)) == waits(expected));

    // Rank r becomes rank n - 1 - r: the same rows under other names.
    std::vector<RankRun> renamed(run.rbegin(), run.rend());
    const auto rows_by = [&](const Answers& of, auto name_of) {
      std::map<std::int64_t, std::string> rows;
      for (const std::string& row : rows_of(of.stragglers, "stragglers",
                                            {"rank", "verdict", "wait_caused_us", "wait_suffered_us", "last_count"})) {
        const std::int64_t rank = *parse_integer(row.substr(0, row.find('|')));
        rows[name_of(rank)] = row.substr(row.find('|'));
      }
      return rows;
    };
    const Answers found = answers(renamed);
    const auto last = static_cast<std::int64_t>(run.size()) - 1;
    CHECK(rows_by(found, [&](std::int64_t rank) { return last - rank; }) ==
          rows_by(expected, [](std::int64_t rank) { return rank; }));
    CHECK(rows_of(found.comm, "comm") == rows_of(expected.comm, "comm"));
  }
}

TEST_CASE("comm: lost kernels make matches fewer, and never change those that are left") {
  for (std::uint64_t seed = 300; seed < 300 + kSeeds; ++seed) {
    CAPTURE(seed);
    const std::vector<RankRun> whole = random_run(seed);
    std::vector<RankRun> damaged = whole;
    Random random(seed);
    std::map<std::int64_t, std::size_t> left;  // by seq
    for (RankRun& rank : damaged) {
      std::erase_if(rank.kernels, [&](const Kernel& kernel) { return kernel.seq >= 0 && random.chance(15); });
      for (const Kernel& kernel : rank.kernels) left[kernel.seq] += kernel.seq >= 0 ? 1 : 0;
    }
    std::array<std::size_t, 3> states{};  // matched, partial, unmatched
    for (const auto& [seq, count] : left) {
      if (seq >= 0) ++states[count == whole.size() ? 0 : count > 1 ? 1 : 2];
    }
    const std::string expected =
        std::to_string(states[0]) + "|" + std::to_string(states[1]) + "|" + std::to_string(states[2]);
    CHECK(rows_of(answers(damaged).comm, "comm_match", {"matched", "partial", "unmatched"}) ==
          std::vector<std::string>{expected});
  }
}

TEST_CASE("comm: without numbers, whole sequences are matched as with them") {
  for (std::uint64_t seed = 400; seed < 400 + kSeeds; ++seed) {
    CAPTURE(seed);
    const std::vector<RankRun> run = random_run(seed);
    const Answers with = answers(run);
    const Answers without = answers(run, Numbers::kLost);
    CHECK(rows_of(without.comm, "comm") == rows_of(with.comm, "comm"));
    CHECK(rows_of(without.stragglers, "stragglers") == rows_of(with.stragglers, "stragglers"));
    CHECK(rows_of(without.comm, "comm_match", {"method"}) == std::vector<std::string>{"order"});
  }
}
