#include "hta/base/intervals.h"

#include <initializer_list>
#include <set>

#include "support/random_trace.h"
#include <catch2/catch.hpp>

using namespace hta;

namespace {
IntervalSet set_of(std::initializer_list<Interval> intervals) {
  IntervalSet set;
  for (const Interval& interval : intervals) set.append(interval);
  return set;
}
}  // namespace

TEST_CASE("intervals: touching and overlapping ones become one") {
  const IntervalSet set = set_of({{0, 10}, {5, 8}, {10, 12}, {20, 20}, {30, 31}});
  CHECK(set.parts() == std::vector<Interval>{{0, 12}, {30, 31}});
  CHECK(set.length() == 13);
}

TEST_CASE("intervals: length inside a window counts only what lies in it") {
  const IntervalSet set = set_of({{0, 10}, {20, 30}, {40, 50}});
  CHECK(set.length_in({5, 25}) == 10);
  CHECK(set.length_in({10, 20}) == 0);
  CHECK(set.length_in({-5, 100}) == 30);
  CHECK(set.clipped({5, 25}).parts() == std::vector<Interval>{{5, 10}, {20, 25}});
}

TEST_CASE("intervals: set operations agree with counting instants") {
  test::Random random(7);
  for (int round = 0; round < 300; ++round) {
    std::set<Nanos> instants[2];
    IntervalSet sets[2];
    for (int side = 0; side < 2; ++side) {
      Nanos at = 0;
      for (int i = 0; i < 8; ++i) {
        at += random.in(0, 5);
        const Nanos end = at + random.in(0, 6);
        sets[side].append({at, end});
        for (Nanos t = at; t < end; ++t) instants[side].insert(t);
      }
    }
    std::size_t both = 0;
    for (const Nanos t : instants[0]) both += instants[1].count(t);
    const auto n = [](std::size_t count) { return static_cast<Nanos>(count); };
    CHECK(IntervalSet::intersect(sets[0], sets[1]).length() == n(both));
    CHECK(IntervalSet::unite(sets[0], sets[1]).length() == n(instants[0].size() + instants[1].size() - both));
    CHECK(IntervalSet::subtract(sets[0], sets[1]).length() == n(instants[0].size() - both));
  }
}
