#include "hta/analysis/duration_histogram.h"

#include <algorithm>
#include <limits>
#include <string_view>

namespace hta::analysis {
namespace {

using Bounds = std::array<Nanos, DurationHistogram::kBuckets + 1>;

constexpr Bounds make_bounds() {
  Bounds bounds{};
  Nanos decade = kNanosPerMicro;
  constexpr std::array<Nanos, 3> kSteps{1, 2, 5};
  for (std::size_t i = 1; i < bounds.size(); ++i) {
    bounds[i] = decade * kSteps[(i - 1) % 3];
    if (i % 3 == 0) decade *= 10;
  }
  return bounds;
}
constexpr Bounds kBounds = make_bounds();
static_assert(kBounds.back() > kNanosPerSecond * 86'400 * 7, "longer than any event that counts");

}  // namespace

Interval DurationHistogram::bounds(std::size_t bucket) {
  return {kBounds[bucket], kBounds[bucket + 1]};
}

void DurationHistogram::add(Nanos duration_ns) {
  const auto above = std::upper_bound(kBounds.begin() + 1, kBounds.end() - 1, duration_ns);
  ++counts_[static_cast<std::size_t>(above - kBounds.begin()) - 1];
}

void DurationHistogram::merge(const DurationHistogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
}

std::size_t DurationHistogram::first_used() const {
  const auto used = std::find_if(counts_.begin(), counts_.end(), [](std::int64_t n) { return n > 0; });
  return static_cast<std::size_t>(used == counts_.end() ? 0 : used - counts_.begin());
}

std::size_t DurationHistogram::end_used() const {
  std::size_t end = kBuckets;
  while (end > 0 && counts_[end - 1] == 0) --end;
  return end;
}

std::string sparkline(const DurationHistogram& histogram, std::size_t first, std::size_t end) {
  static constexpr std::string_view kLevels[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::int64_t fullest = 1;
  for (std::size_t i = first; i < end; ++i) fullest = std::max(fullest, histogram.count(i));
  std::string line;
  for (std::size_t i = first; i < end; ++i) line += kLevels[(histogram.count(i) * 7 + fullest - 1) / fullest];
  return line;
}

}  // namespace hta::analysis
