#include "analysis/comm/rank_set.h"

#include <algorithm>

#include "support/random.h"
#include <catch2/catch.hpp>

namespace hta::analysis::comm {
namespace {

void check(std::vector<std::int64_t> ranks) {
  const RankSet set(ranks);
  std::sort(ranks.begin(), ranks.end());
  REQUIRE(set.size() == ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) CHECK(set[i] == ranks[i]);
  for (std::int64_t rank = -1; rank < 60; ++rank) {
    const auto first = std::lower_bound(ranks.begin(), ranks.end(), rank);
    const auto found = set.index_of(rank);
    REQUIRE(found.has_value() == (first != ranks.end() && *first == rank));
    if (found) CHECK(ranks[*found] == rank);
  }
}

}  // namespace

TEST_CASE("rank set: it holds the numbers that it was made of, in order") {
  check({});
  check({5});
  check({3, 2, 1, 0});
  check({0, 8, 16, 24, 1, 9, 17, 25});
  check({4, 4, 4});
  test::Random random(7);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::int64_t> ranks(static_cast<std::size_t>(random.in(0, 20)));
    for (std::int64_t& rank : ranks) rank = random.in(0, 40);
    check(ranks);
  }
}

TEST_CASE("rank set: sets compare as their lists do") {
  test::Random random(8);
  const auto list = [&] {
    std::vector<std::int64_t> ranks(static_cast<std::size_t>(random.in(0, 5)));
    for (std::int64_t& rank : ranks) rank = random.in(0, 6);
    std::sort(ranks.begin(), ranks.end());
    return ranks;
  };
  for (int i = 0; i < 2000; ++i) {
    const auto a = list();
    const auto b = list();
    CHECK((RankSet(a) <=> RankSet(b)) == (a <=> b));
    CHECK((RankSet(a) == RankSet(b)) == (a == b));
  }
}

TEST_CASE("rank set: an even stride is known, of three numbers or more") {
  CHECK(RankSet({0, 8, 16}).stride() == 8);
  CHECK(RankSet({3, 4, 5, 6}).stride() == 1);
  CHECK_FALSE(RankSet({0, 8}).stride());
  CHECK_FALSE(RankSet({0, 8, 17}).stride());
}

}  // namespace hta::analysis::comm
