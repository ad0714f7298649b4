#include "hta/analysis/diff/comparison.h"

#include "support/random_trace.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::analysis::diff;
using enum ChangeClass;

namespace {

// Calls and microseconds per step of both sides.
ChangeClass classify(Pair calls, Pair micros, const Thresholds& thresholds = {}) {
  return classify_change({calls.base * 100, calls.test * 100}, {micros.base * 1000, micros.test * 1000}, thresholds);
}

ChangeClass opposite(ChangeClass change) {
  switch (change) {
    case kUnchanged: return kUnchanged;
    case kAdded: return kRemoved;
    case kRemoved: return kAdded;
    case kMore: return kFewer;
    case kFewer: return kMore;
    case kSlower: return kFaster;
    case kFaster: return kSlower;
  }
  return change;
}

}  // namespace

TEST_CASE("classes: what one side does not call is added or removed, however short") {
  CHECK(classify({0, 1}, {0, 0}) == kAdded);
  CHECK(classify({1, 0}, {5, 0}) == kRemoved);
  CHECK(classify({0, 0}, {0, 0}) == kUnchanged);
}

TEST_CASE("classes: changes below a microsecond or two per cent are none") {
  CHECK(classify_change({100, 100}, {100, 1099}, {}) == kUnchanged);     // 0.999 µs
  CHECK(classify_change({100, 100}, {100, 1100}, {}) == kSlower);        // 1 µs
  CHECK(classify({1, 1}, {981, 1000}) == kUnchanged);                    // 1.9 % of the larger
  CHECK(classify({1, 1}, {980, 1000}) == kSlower);                       // 2 %
  CHECK(classify({1, 1}, {980, 1000}, {20'000, 2'000'000}) == kSlower);  // --min-us 20
  CHECK(classify({1, 1}, {980, 1000}, {20'001, 2'000'000}) == kUnchanged);
}

TEST_CASE("classes: the greater of both factors decides") {
  CHECK(classify({1, 2}, {50, 65}) == kMore);  // calls x 2, mean x 1.54
  CHECK(classify({2, 1}, {65, 50}) == kFewer);
  CHECK(classify({2, 3}, {100, 300}) == kSlower);  // calls x 1.5, mean x 2
  CHECK(classify({3, 2}, {300, 100}) == kFaster);
  CHECK(classify({1, 2}, {100, 400}) == kMore);  // both x 2
}

TEST_CASE("classes: a mean of zero is an infinite factor") {
  CHECK(classify({1, 9}, {0, 50}) == kSlower);
  CHECK(classify({9, 1}, {50, 0}) == kFaster);
}

TEST_CASE("classes: without thresholds equal sides are unchanged still") {
  CHECK(classify({2, 2}, {50, 50}, {0, 0}) == kUnchanged);
  CHECK(classify({1, 2}, {50, 50}, {0, 0}) == kMore);  // calls x 2, mean x 1/2: as much
  CHECK(classify({1, 2}, {0, 0}, {0, 0}) == kMore);
}

TEST_CASE("classes: swapping the sides gives the opposite") {
  test::Random random(3);
  for (int round = 0; round < 2000; ++round) {
    const Pair count{random.in(0, 5) * 50, random.in(0, 5) * 50};
    const Pair time{count.base == 0 ? 0 : random.in(0, 4) * 700, count.test == 0 ? 0 : random.in(0, 4) * 700};
    const Thresholds thresholds{random.in(0, 1500), random.in(0, 3) * 1'000'000};
    CHECK(classify_change({count.test, count.base}, {time.test, time.base}, thresholds) ==
          opposite(classify_change(count, time, thresholds)));
  }
}
