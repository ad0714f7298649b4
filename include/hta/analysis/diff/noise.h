#pragma once
// Is a change more than noise?

#include "hta/base/nanos.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace hta::analysis::diff {

/// Middle and spread of step values.
struct Spread {
  Nanos twice_median = 0;  ///< doubled, so that it is exact
  Nanos median_ns = 0;     ///< half to even
  Nanos mad_ns = 0;        ///< median of the distances to the median, half to even
};
/// Of at least one value.
Spread spread_of(std::vector<Nanos> values);

/// Two-sided p-value of the Mann-Whitney test with mid-ranks, tie and continuity correction (normal approximation), in
/// ten-thousandths. Neither side is empty. The same if the sides are swapped. O(n log n).
std::int64_t mann_whitney_p(std::span<const Nanos> base, std::span<const Nanos> test);

enum class Verdict : std::uint8_t { kInsufficient, kUnchanged, kSlower, kFaster };
std::string_view verdict_name(Verdict verdict);

/// With fewer values on a side no p-value below 0.05 is certain to be reachable, so nothing is said.
inline constexpr std::size_t kFewestForVerdict = 5;
inline constexpr std::size_t kFewestForPValue = 2;

struct Significance {
  std::int64_t alpha = 50'000;              ///< p-values below count; in 10^-6
  std::int64_t min_effect_pct = 1'000'000;  ///< of the larger median; in 10^-6
};

struct NoiseResult {
  Spread base;
  Spread test;
  std::optional<std::int64_t> p_value;  ///< ten-thousandths; with kFewestForPValue values on both sides
  Verdict verdict = Verdict::kInsufficient;
};
NoiseResult judge_noise(const std::vector<Nanos>& base, const std::vector<Nanos>& test,
                        const Significance& significance);

}  // namespace hta::analysis::diff
