#include "hta/analysis/diff/per_step.h"

#include <numeric>

#include "support/random_trace.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::analysis::diff;
using Parts = std::vector<Nanos>;

TEST_CASE("per step: missing nanoseconds go to the largest remainders, of equal ones to the first") {
  // Thirds: 10/3 = 3 1/3, 11/3 = 3 2/3, 5/3 = 1 2/3; the whole 26/3 rounds to 9, two are missing.
  CHECK(share_out(9, Parts{10, 11, 5}, 3) == Parts{3, 4, 2});
  // 7/2, 7/2: the whole is 7, one is missing.
  CHECK(share_out(7, Parts{7, 7}, 2) == Parts{4, 3});
  CHECK(share_out(0, Parts{}, 4) == Parts{});
  CHECK(share_out(12, Parts{8, 4}, 1) == Parts{8, 4});
}

TEST_CASE("per step: parts never leave their neighbourhood and sum to the whole") {
  test::Random random(11);
  for (int round = 0; round < 500; ++round) {
    const std::int64_t samples = random.in(1, 9);
    Parts sums;
    for (std::int64_t i = random.in(1, 8); i > 0; --i) sums.push_back(random.in(0, 60));
    const Nanos sum = std::accumulate(sums.begin(), sums.end(), Nanos{0});
    for (const Nanos total : {sum / samples, (sum + samples - 1) / samples}) {
      const Parts parts = share_out(total, sums, samples);
      CHECK(std::accumulate(parts.begin(), parts.end(), Nanos{0}) == total);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        CHECK(parts[i] >= sums[i] / samples);
        CHECK(parts[i] <= (sums[i] + samples - 1) / samples);
      }
    }
  }
}

TEST_CASE("per step: metrics add up to the rounded step") {
  RunProfile run;
  StepSum step;
  step.samples = 3;
  step.times.step_ns = 100;                        // 33.33
  step.times.component_ns = {50, 0, 0, 49, 1, 0};  // 16.67, 16.33, 0.33: one missing nanosecond, to computation
  step.times.kernel_ns = 51;
  run.steps.push_back(step);
  const auto metrics = metrics_per_step(run);
  CHECK(metrics == std::array<Nanos, kMetrics>{33, 17, 0, 0, 16, 0, 0, 17, 16, 17});
}

TEST_CASE("per step: a component is shared out over names, kinds of one name together") {
  RunProfile run;
  StepSum step;
  step.samples = 2;
  step.times.step_ns = step.times[Component::kExposedMemory] = 9;
  run.steps.push_back(step);
  run.kernels = {
      {"a", KernelType::kMemory, 1, 3, 3}, {"a", KernelType::kOther, 1, 3, 3}, {"b", KernelType::kMemory, 1, 3, 3}};
  const std::vector<std::size_t> names{0, 0, 1};
  const auto owned = owned_per_step(run, names, metrics_per_step(run));  // 9/2 rounds to 4: a 6/2 = 3, b 3/2 = 1
  REQUIRE(owned.size() == 2);
  CHECK(owned[0].per_step_ns == 3);
  CHECK(owned[1].per_step_ns == 1);
  CHECK(owned[1].component == Component::kExposedMemory);
}
