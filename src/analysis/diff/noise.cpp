#include "hta/analysis/diff/noise.h"

#include "hta/base/exact.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace hta::analysis::diff {

Spread spread_of(std::vector<Nanos> values) {
  Spread out;
  out.twice_median = median_times_2(values).value_or(0);
  out.median_ns = divide_half_even(out.twice_median, 2);
  std::vector<Nanos> twice_distances;
  for (const Nanos value : values) twice_distances.push_back(std::abs(2 * value - out.twice_median));
  out.mad_ns = divide_half_even(median_times_2(twice_distances).value_or(0), 4);
  return out;
}

std::int64_t mann_whitney_p(std::span<const Nanos> base, std::span<const Nanos> test) {
  struct Value {
    Nanos value;
    bool is_test;
  };
  std::vector<Value> all;
  for (const Nanos value : base) all.push_back({value, false});
  for (const Nanos value : test) all.push_back({value, true});
  std::sort(all.begin(), all.end(), [](const Value& a, const Value& b) { return a.value < b.value; });

  const auto n = static_cast<std::int64_t>(base.size());
  const auto m = static_cast<std::int64_t>(test.size());
  const std::int64_t total = n + m;
  std::int64_t twice_rank_sum = 0;  // of TEST; doubled, because mid-ranks have halves
  std::int64_t tie_term = 0;
  for (std::size_t first = 0; first < all.size();) {
    std::size_t end = first;
    std::int64_t of_test = 0;
    for (; end < all.size() && all[end].value == all[first].value; ++end) of_test += all[end].is_test ? 1 : 0;
    const auto ties = static_cast<std::int64_t>(end - first);
    twice_rank_sum += of_test * static_cast<std::int64_t>(first + 1 + end);  // ranks first + 1 ... end share their mean
    tie_term += ties * ties * ties - ties;
    first = end;
  }
  const std::int64_t twice_u = twice_rank_sum - m * (m + 1);
  const double distance = std::max(0.0, (static_cast<double>(std::abs(twice_u - n * m)) - 1) / 2);
  const double variance =
      static_cast<double>(n * m) / 12 *
      (static_cast<double>(total + 1) - static_cast<double>(tie_term) / static_cast<double>(total * (total - 1)));
  constexpr std::int64_t kOne = 10'000;
  if (variance <= 0) return kOne;
  return std::llrint(std::erfc(distance / std::sqrt(2 * variance)) * kOne);
}

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kInsufficient: return "insufficient data";
    case Verdict::kUnchanged: return "unchanged";
    case Verdict::kSlower: return "slower";
    case Verdict::kFaster: return "faster";
  }
  return {};
}

NoiseResult judge_noise(const std::vector<Nanos>& base, const std::vector<Nanos>& test,
                        const Significance& significance) {
  NoiseResult out;
  out.base = spread_of(base);
  out.test = spread_of(test);
  const std::size_t fewest = std::min(base.size(), test.size());
  if (fewest >= kFewestForPValue) out.p_value = mann_whitney_p(base, test);
  if (fewest < kFewestForVerdict) return out;
  const Nanos change = out.test.twice_median - out.base.twice_median;
  const Nanos larger = std::max(out.base.twice_median, out.test.twice_median);
  constexpr std::int64_t kPercentOfMillionths = 100'000'000;
  const bool large =
      change != 0 && Int128{std::abs(change)} * kPercentOfMillionths >= Int128{larger} * significance.min_effect_pct;
  const bool significant = *out.p_value * 100 < significance.alpha;
  out.verdict = !large || !significant ? Verdict::kUnchanged : change > 0 ? Verdict::kSlower : Verdict::kFaster;
  return out;
}

}  // namespace hta::analysis::diff
