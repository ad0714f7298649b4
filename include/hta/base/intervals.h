#pragma once
// Half-open intervals [begin, end) of nanoseconds and the set operations that time accounting needs.

#include "hta/base/nanos.h"

#include <algorithm>
#include <vector>

namespace hta {

/// [begin, end). Empty when end <= begin.
struct Interval {
  Nanos begin = 0;
  Nanos end = 0;
  Nanos length() const { return end > begin ? end - begin : 0; }
  auto operator<=>(const Interval&) const = default;
};

/// A set of instants: sorted, disjoint, non-touching, non-empty intervals.
class IntervalSet {
 public:
  IntervalSet() = default;

  /// Adds an interval whose begin is not before the begin of any interval added earlier; merges in O(1).
  void append(Interval next) {
    if (next.end <= next.begin) return;
    if (!parts_.empty() && next.begin <= parts_.back().end) {
      parts_.back().end = std::max(parts_.back().end, next.end);
    } else {
      parts_.push_back(next);
    }
  }

  const std::vector<Interval>& parts() const { return parts_; }
  bool empty() const { return parts_.empty(); }
  Nanos length() const {
    Nanos total = 0;
    for (const Interval& part : parts_) total += part.end - part.begin;
    return total;
  }
  /// Length of what lies inside `window`; O(log n + parts inside).
  Nanos length_in(Interval window) const;

  /// Set operations, linear in the parts of both.
  static IntervalSet unite(const IntervalSet& a, const IntervalSet& b);
  static IntervalSet intersect(const IntervalSet& a, const IntervalSet& b);
  /// Instants of `a` that are not in `b`.
  static IntervalSet subtract(const IntervalSet& a, const IntervalSet& b);
  IntervalSet clipped(Interval window) const;

 private:
  std::vector<Interval> parts_;
};

}  // namespace hta
