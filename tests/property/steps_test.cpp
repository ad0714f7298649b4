#include "hta/analysis/steps.h"

#include "hta/base/intervals.h"

#include <numeric>

#include "variants.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;

TEST_CASE("steps: the parts of a step sum to it, and busy time is what a look at every piece finds") {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    CAPTURE(seed);
    RandomTraceOptions options;
    options.devices = 1 + static_cast<int>(seed % 2);
    options.overlap_percent = 30;
    const Trace trace = build_trace(random_events(seed, options));
    const auto partial = analysis::steps::map(trace, options_of(analysis::kSteps));
    REQUIRE(partial.steps.size() == trace.steps.size());
    for (const auto& step : partial.steps) {
      CHECK(std::accumulate(step.parts_ns.begin(), step.parts_ns.end(), Nanos{0}) == step.dur_ns);
      hta::IntervalSet busy;
      for (const GpuId i : IdRange<GpuId>(trace.gpu.size())) busy.append({trace.gpu.start_ns[i], trace.gpu.end_ns(i)});
      CHECK(step.busy_ns() == busy.length_in({step.start_ns, step.start_ns + step.dur_ns}));
    }
  }
}

TEST_CASE("steps: other times and another order of the file change nothing") {
  for (std::uint64_t seed = 100; seed < 100 + kSeeds; ++seed) {
    CAPTURE(seed);
    RandomTraceOptions options;
    options.steps = 6;
    const auto events = random_events(seed, options);
    const auto expected = answer(analysis::kSteps, events);
    CHECK(answer(analysis::kSteps, shifted(events, 987'654'321)) == expected);
    CHECK(answer(analysis::kSteps, shuffled(events, seed)) == expected);
  }
}
