#include "hta/analysis/steps.h"

#include <algorithm>
#include <cstdlib>

namespace hta::analysis::steps {
namespace {

// 3.5 * 1.4826, the usual cut for robust deviations, in 10^-4.
constexpr std::int64_t kCut = 51'891;
constexpr std::int64_t kCutScale = 10'000;
constexpr std::int64_t kLeastShare = 20;  // one in so many: 5 % of the median

std::int64_t twice_median(std::vector<std::int64_t> values) {
  return median_times_2(values).value_or(0);
}

// Twice the median of each part over the steps.
std::array<std::int64_t, kParts> twice_part_medians(const std::vector<StepTime>& steps) {
  std::array<std::int64_t, kParts> medians{};
  for (std::size_t part = 0; part < kParts; ++part) {
    std::vector<std::int64_t> values;
    for (const StepTime& step : steps) values.push_back(step.parts_ns[part]);
    medians[part] = twice_median(std::move(values));
  }
  return medians;
}

// Which part moved most in the direction in which the step did.
void blame(const StepTime& step, const std::array<std::int64_t, kParts>& twice_medians, Outlier& outlier) {
  const std::int64_t direction = outlier.over_2ns < 0 ? -1 : 1;
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::int64_t change = 2 * step.parts_ns[part] - twice_medians[part];
    if (outlier.part && change * direction <= outlier.part_2ns * direction) continue;
    outlier.part = static_cast<Part>(part);
    outlier.part_2ns = change;
  }
}

}  // namespace

std::vector<Outlier> find_outliers(const Partial& partial, std::span<const std::int64_t> incomplete) {
  const std::vector<StepTime>& steps = partial.steps;
  std::vector<std::int64_t> lengths;
  for (const StepTime& step : steps) lengths.push_back(step.dur_ns);
  const std::int64_t median_2 = twice_median(lengths);
  std::vector<std::int64_t> distances_2;
  for (const std::int64_t length : lengths) distances_2.push_back(std::abs(2 * length - median_2));
  const std::int64_t mad_4 = twice_median(distances_2);
  const auto part_medians = twice_part_medians(steps);

  std::vector<Outlier> outliers;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool far = Int128{2} * kCutScale * distances_2[i] > Int128{kCut} * mad_4;
    if (!far || kLeastShare * Int128{distances_2[i]} <= median_2) continue;
    Outlier outlier{i, 2 * steps[i].dur_ns - median_2, {}, 0};
    const bool whole = std::find(incomplete.begin(), incomplete.end(), steps[i].number) == incomplete.end();
    if (whole && partial.gpu_events) blame(steps[i], part_medians, outlier);
    outliers.push_back(outlier);
  }
  return outliers;
}

}  // namespace hta::analysis::steps
