#include "hta/base/exact.h"

#include <algorithm>
#include <cmath>

namespace hta {

std::int64_t divide_half_even(Int128 numerator, Int128 denominator) {
  const bool negative = numerator < 0;
  const Int128 magnitude = negative ? -numerator : numerator;
  Int128 quotient = magnitude / denominator;
  const Int128 twice_rest = (magnitude % denominator) * 2;
  if (twice_rest > denominator || (twice_rest == denominator && (quotient & 1) != 0)) ++quotient;
  return static_cast<std::int64_t>(negative ? -quotient : quotient);
}

std::optional<std::int64_t> percent(Int128 part, Int128 whole) {
  if (whole == 0) return std::nullopt;
  if (whole < 0) return divide_half_even(-part * 10'000, -whole);
  return divide_half_even(part * 10'000, whole);
}

std::optional<std::int64_t> ratio4(Int128 part, Int128 whole) {
  return percent(part, whole);
}

void Summary::add(std::int64_t value, std::int64_t times) {
  if (count == 0) {
    min = max = shift = value;
  } else {
    min = std::min(min, value);
    max = std::max(max, value);
  }
  count += times;
  sum += Int128{value} * times;
  const auto offset = static_cast<long double>(value - shift);
  sum_of_squares += offset * offset * static_cast<long double>(times);
}

void Summary::merge(const Summary& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  // sum (x - s)^2 = sum (x - t)^2 + 2 (t - s) sum (x - t) + n (t - s)^2, with t the other's shift and s ours.
  const auto move = static_cast<long double>(other.shift - shift);
  const auto other_offset = static_cast<long double>(other.sum - Int128{other.shift} * other.count);
  sum_of_squares +=
      other.sum_of_squares + 2 * move * other_offset + static_cast<long double>(other.count) * move * move;
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  count += other.count;
  sum += other.sum;
}

std::optional<std::int64_t> Summary::mean() const {
  if (count == 0) return std::nullopt;
  return divide_half_even(sum, count);
}

std::optional<std::int64_t> Summary::deviation(std::int64_t scale) const {
  if (count < 2) return std::nullopt;
  const auto n = static_cast<long double>(count);
  const auto offset = static_cast<long double>(sum - Int128{shift} * count);
  const long double variance = (sum_of_squares - offset * offset / n) / (n - 1);
  return std::llrint(std::sqrt(std::max(variance, 0.0L)) * static_cast<long double>(scale));
}

namespace {

// `at(i)` is the i-th of `count` values in order.
template <class At>
std::int64_t interpolated(std::int64_t count, std::int64_t num, std::int64_t den, std::int64_t scale, At at) {
  const Int128 position = Int128{count - 1} * num;
  const auto below = static_cast<std::int64_t>(position / den);
  const Int128 rest = position % den;
  const Int128 low = at(below);
  const Int128 high = rest == 0 ? low : Int128{at(below + 1)};
  return divide_half_even((low * (den - rest) + high * rest) * scale, den);
}

}  // namespace

std::optional<std::int64_t> quantile(std::span<const std::int64_t> sorted, std::int64_t num, std::int64_t den,
                                     std::int64_t scale) {
  if (sorted.empty()) return std::nullopt;
  return interpolated(static_cast<std::int64_t>(sorted.size()), num, den, scale,
                      [&](std::int64_t i) { return sorted[static_cast<std::size_t>(i)]; });
}

std::optional<std::int64_t> quantile(std::span<const Tallied> sorted, std::int64_t num, std::int64_t den,
                                     std::int64_t scale) {
  std::int64_t count = 0;
  for (const Tallied& each : sorted) count += each.count;
  if (count == 0) return std::nullopt;
  return interpolated(count, num, den, scale, [&](std::int64_t i) {
    auto at = sorted.begin();
    for (; i >= at->count; ++at) i -= at->count;
    return at->value;
  });
}

std::optional<std::int64_t> median_times_2(std::vector<std::int64_t>& values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return quantile(values, 1, 2, 2);
}

}  // namespace hta
