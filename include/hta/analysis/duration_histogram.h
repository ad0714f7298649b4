#pragma once
// Durations counted in buckets that grow 1, 2, 5, 10, ... µs.

#include "hta/base/intervals.h"

#include <array>
#include <cstdint>
#include <string>

namespace hta::analysis {

class DurationHistogram {
 public:
  /// Below 1 µs, then 1-2-5 steps; the last bucket has no upper bound worth showing (over 5e11 µs).
  static constexpr std::size_t kBuckets = 37;
  /// [begin, end) of a bucket in ns.
  static Interval bounds(std::size_t bucket);

  void add(Nanos duration_ns);
  void merge(const DurationHistogram& other);
  std::int64_t count(std::size_t bucket) const { return counts_[bucket]; }
  /// The first and one past the last bucket that holds something; equal if there is none.
  std::size_t first_used() const;
  std::size_t end_used() const;

 private:
  std::array<std::int64_t, kBuckets> counts_{};
};

/// Buckets [first, end) as a line of bars for a terminal: ▁ is none, █ the fullest.
std::string sparkline(const DurationHistogram& histogram, std::size_t first, std::size_t end);

}  // namespace hta::analysis
