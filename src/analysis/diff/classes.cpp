#include "hta/analysis/diff/comparison.h"

#include <algorithm>
#include <cstdlib>

namespace hta::analysis::diff {

std::string_view change_class_name(ChangeClass change) {
  switch (change) {
    case ChangeClass::kUnchanged: return "unchanged";
    case ChangeClass::kAdded: return "added";
    case ChangeClass::kRemoved: return "removed";
    case ChangeClass::kMore: return "more";
    case ChangeClass::kFewer: return "fewer";
    case ChangeClass::kSlower: return "slower";
    case ChangeClass::kFaster: return "faster";
  }
  return {};
}

ChangeClass classify_change(Pair count, Pair time_ns, const Thresholds& thresholds) {
  constexpr std::int64_t kPercentOfMillionths = 100'000'000;
  if (count.base == 0 && count.test == 0) return ChangeClass::kUnchanged;
  if (count.base == 0) return ChangeClass::kAdded;
  if (count.test == 0) return ChangeClass::kRemoved;
  const Nanos size = std::abs(time_ns.change());
  const Nanos larger = std::max(time_ns.base, time_ns.test);
  if (size < thresholds.min_ns || Int128{size} * kPercentOfMillionths < Int128{larger} * thresholds.min_pct) {
    return ChangeClass::kUnchanged;
  }
  // Factors as fractions. Time per call is time / count; both runs' are brought to one denominator.
  const Int128 base_mean = Int128{time_ns.base} * count.test;
  const Int128 test_mean = Int128{time_ns.test} * count.base;
  if (count.base == count.test && base_mean == test_mean) return ChangeClass::kUnchanged;
  const Int128 more_calls = std::max(count.base, count.test);
  const Int128 fewer_calls = std::min(count.base, count.test);
  const Int128 longer = std::max(base_mean, test_mean);
  const Int128 shorter = std::min(base_mean, test_mean);
  // If one mean is 0, its factor is infinite, and so greater than that of the counts.
  if (more_calls * shorter >= longer * fewer_calls)
    return count.change() > 0 ? ChangeClass::kMore : ChangeClass::kFewer;
  return test_mean > base_mean ? ChangeClass::kSlower : ChangeClass::kFaster;
}

}  // namespace hta::analysis::diff
