#include "hta/base/intervals.h"

namespace hta {

namespace {
// First part that ends after `t`.
std::vector<Interval>::const_iterator first_ending_after(const std::vector<Interval>& parts, Nanos t) {
  return std::partition_point(parts.begin(), parts.end(), [t](const Interval& part) { return part.end <= t; });
}
}  // namespace

Nanos IntervalSet::length_in(Interval window) const {
  Nanos total = 0;
  for (auto part = first_ending_after(parts_, window.begin); part != parts_.end() && part->begin < window.end; ++part) {
    total += std::min(part->end, window.end) - std::max(part->begin, window.begin);
  }
  return total;
}

IntervalSet IntervalSet::unite(const IntervalSet& a, const IntervalSet& b) {
  IntervalSet out;
  auto left = a.parts_.begin();
  auto right = b.parts_.begin();
  while (left != a.parts_.end() || right != b.parts_.end()) {
    const bool take_left = right == b.parts_.end() || (left != a.parts_.end() && left->begin <= right->begin);
    out.append(take_left ? *left++ : *right++);
  }
  return out;
}

IntervalSet IntervalSet::intersect(const IntervalSet& a, const IntervalSet& b) {
  IntervalSet out;
  auto left = a.parts_.begin();
  auto right = b.parts_.begin();
  while (left != a.parts_.end() && right != b.parts_.end()) {
    out.append({std::max(left->begin, right->begin), std::min(left->end, right->end)});
    if (left->end < right->end) ++left;
    else ++right;
  }
  return out;
}

IntervalSet IntervalSet::subtract(const IntervalSet& a, const IntervalSet& b) {
  IntervalSet out;
  auto right = b.parts_.begin();
  for (const Interval& part : a.parts_) {
    Nanos from = part.begin;
    while (right != b.parts_.end() && right->end <= from) ++right;
    for (auto hole = right; hole != b.parts_.end() && hole->begin < part.end; ++hole) {
      out.append({from, hole->begin});
      from = std::max(from, hole->end);
    }
    out.append({from, part.end});
  }
  return out;
}

IntervalSet IntervalSet::clipped(Interval window) const {
  IntervalSet out;
  for (auto part = first_ending_after(parts_, window.begin); part != parts_.end() && part->begin < window.end; ++part) {
    out.append({std::max(part->begin, window.begin), std::min(part->end, window.end)});
  }
  return out;
}

}  // namespace hta
