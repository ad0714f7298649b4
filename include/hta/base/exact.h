#pragma once
// Exact arithmetic for reported numbers: integers in, integers out, halves to even. Fixed-point results carry their
// decimals in the name of the function or of the column (hundredths of a per cent, nanoseconds, ...).

#include "hta/base/nanos.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hta {

/// numerator / denominator rounded half to even. denominator > 0.
std::int64_t divide_half_even(Int128 numerator, Int128 denominator);

/// 100 part / whole in hundredths of a per cent; nothing for 0/0 or x/0.
std::optional<std::int64_t> percent(Int128 part, Int128 whole);

/// part / whole in ten-thousandths; nothing when whole is 0.
std::optional<std::int64_t> ratio4(Int128 part, Int128 whole);

/// Count, sum, extremes and spread of integer values (times in ns, counts, ...), mergeable over ranks.
struct Summary {
  std::int64_t count = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  Int128 sum = 0;
  long double sum_of_squares = 0;  ///< of (value - shift)
  std::int64_t shift = 0;          ///< first value: keeps the squares small, so that the deviation stays accurate

  void add(std::int64_t value, std::int64_t times = 1);
  /// Exact for count, sum, min, max; the deviation is recomputed around this object's shift.
  void merge(const Summary& other);
  std::optional<std::int64_t> mean() const;
  /// Sample deviation (n - 1), rounded to an integer; nothing for n < 2. `scale` multiplies the values first.
  std::optional<std::int64_t> deviation(std::int64_t scale = 1) const;
};

/// Quantile q = num/den of sorted values with linear interpolation (h = (n-1) q), times `scale`, half to even.
/// Nothing for no values. 0 <= num <= den.
std::optional<std::int64_t> quantile(std::span<const std::int64_t> sorted, std::int64_t num, std::int64_t den,
                                     std::int64_t scale = 1);

/// Equal values, counted.
struct Tallied {
  std::int64_t value = 0;
  std::int64_t count = 0;  ///< > 0
};
/// The same of values that are counted; each occurs once in `sorted`.
std::optional<std::int64_t> quantile(std::span<const Tallied> sorted, std::int64_t num, std::int64_t den,
                                     std::int64_t scale = 1);

/// Median of unsorted values doubled, so that it is an exact integer; nothing for no values. Reorders `values`.
std::optional<std::int64_t> median_times_2(std::vector<std::int64_t>& values);

}  // namespace hta
