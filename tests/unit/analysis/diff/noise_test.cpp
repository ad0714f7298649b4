#include "hta/analysis/diff/noise.h"

#include <cmath>

#include "support/random_trace.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::analysis::diff;
using Values = std::vector<Nanos>;

namespace {

// One standard normal number from uniform ones.
double normal(test::Random& random) {
  const auto uniform = [&] { return (static_cast<double>(random.next() >> 11) + 0.5) / 9007199254740992.0; };
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * M_PI * uniform());
}

Values steps(test::Random& random, double mean_ns, double noise) {
  Values out;
  for (int i = 0; i < 10; ++i) out.push_back(std::llround(mean_ns * (1 + noise * normal(random))));
  return out;
}

}  // namespace

TEST_CASE("noise: median and distance of odd and even counts") {
  const Spread odd = spread_of({5, 1, 9});
  CHECK(odd.median_ns == 5);
  CHECK(odd.mad_ns == 4);
  const Spread even = spread_of({1, 2, 4, 9});  // median 3; distances 2 1 1 6, their median 1.5
  CHECK(even.twice_median == 6);
  CHECK(even.mad_ns == 2);
  CHECK(spread_of({1, 2}).median_ns == 2);  // 1.5 to the even neighbour
  CHECK(spread_of({7}).mad_ns == 0);
}

TEST_CASE("noise: Mann-Whitney by hand, without ties") {
  // Fully separated, 5 against 5: U = 25, mean 12.5, variance 25/12 * 11 = 22.917, z = 12 / 4.787 = 2.5067, p = 0.0122.
  CHECK(mann_whitney_p(Values{1, 2, 3, 4, 5}, Values{6, 7, 8, 9, 10}) == 122);
  // Interleaved, U = 13 of 12.5: the continuity correction leaves nothing.
  CHECK(mann_whitney_p(Values{1, 4, 5, 8, 9}, Values{2, 3, 6, 7, 10}) == 10'000);
}

TEST_CASE("noise: Mann-Whitney with ties has a smaller variance") {
  // 1 1 1 1 1 | 2 2 2 2 2: U = 25, two groups of five: 25/12 * (11 - 240/90) = 17.361, z = 12 / 4.1667 = 2.88, p =
  // 0.0040.
  CHECK(mann_whitney_p(Values{1, 1, 1, 1, 1}, Values{2, 2, 2, 2, 2}) == 40);
  CHECK(mann_whitney_p(Values{3, 3, 3}, Values{3, 3, 3}) == 10'000);
}

TEST_CASE("noise: Mann-Whitney agrees with published values") {
  // The example of scipy.stats.mannwhitneyu with method='asymptotic': 0.11134688653314041.
  CHECK(mann_whitney_p(Values{19, 22, 16, 29, 24}, Values{20, 11, 17, 12}) == 1113);
  // Permeability of membranes (Hollander and Wolfe): W = 35 of 25, variance 66.667, z = 9.5 / 8.165 = 1.1635, p =
  // 0.2446.
  CHECK(mann_whitney_p(Values{80, 83, 189, 104, 145, 138, 191, 164, 73, 146}, Values{115, 88, 90, 74, 121}) == 2446);
}

TEST_CASE("noise: swapping the sides changes no p-value") {
  test::Random random(7);
  for (int round = 0; round < 50; ++round) {
    Values a;
    Values b;
    for (std::int64_t i = random.in(1, 12); i > 0; --i) a.push_back(random.in(0, 9));
    for (std::int64_t i = random.in(1, 12); i > 0; --i) b.push_back(random.in(0, 9));
    CHECK(mann_whitney_p(a, b) == mann_whitney_p(b, a));
  }
}

TEST_CASE("noise: a verdict needs five values a side and a p-value two") {
  const auto verdict = [](const Values& a, const Values& b) { return judge_noise(a, b, {}); };
  CHECK_FALSE(verdict({1}, {2, 3, 4, 5, 6}).p_value);
  CHECK(verdict({1, 2}, {8, 9}).p_value);
  CHECK(verdict({1, 2, 3, 4}, {11, 12, 13, 14, 15}).verdict == Verdict::kInsufficient);
  CHECK(verdict({100, 101, 102, 103, 104}, {111, 112, 113, 114, 115}).verdict == Verdict::kSlower);
  CHECK(verdict({111, 112, 113, 114, 115}, {100, 101, 102, 103, 104}).verdict == Verdict::kFaster);
}

TEST_CASE("noise: a change below the least effect is none, however certain") {
  const Values base{10'000, 10'001, 10'002, 10'003, 10'004};
  const Values test{10'050, 10'051, 10'052, 10'053, 10'054};  // half a per cent
  CHECK(judge_noise(base, test, {}).verdict == Verdict::kUnchanged);
  Significance finer;
  finer.min_effect_pct = 400'000;
  CHECK(judge_noise(base, test, finer).verdict == Verdict::kSlower);
  Significance strict;
  strict.alpha = 10'000;  // 0.01, with p = 0.0122
  strict.min_effect_pct = 0;
  CHECK(judge_noise(base, test, strict).verdict == Verdict::kUnchanged);
}

TEST_CASE("noise: equal medians are unchanged even where all values are zero") {
  Significance any;
  any.min_effect_pct = 0;
  CHECK(judge_noise({0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, any).verdict == Verdict::kUnchanged);
}

TEST_CASE("noise: of two alike runs hardly any is called slower beyond five per cent") {
  constexpr int kSeeds = 200;
  int failures = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    test::Random random(static_cast<std::uint64_t>(seed));
    const Values base = steps(random, 1e8, 0.04);
    const Values test = steps(random, 1e8, 0.04);
    Nanos change = 0;
    Nanos sum = 0;
    for (std::size_t i = 0; i < base.size(); ++i) {
      change += test[i] - base[i];
      sum += base[i];
    }
    const bool beyond = change * 20 > sum;
    failures += beyond && judge_noise(base, test, {}).verdict != Verdict::kUnchanged ? 1 : 0;
  }
  CHECK(failures * 50 <= kSeeds);  // two per cent
}

TEST_CASE("noise: a slowdown by five per cent is seen through two per cent of noise") {
  constexpr int kSeeds = 200;
  int seen = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    test::Random random(static_cast<std::uint64_t>(seed) + 1000);
    const Values base = steps(random, 1e8, 0.02);
    seen += judge_noise(base, steps(random, 1.05e8, 0.02), {}).verdict == Verdict::kSlower ? 1 : 0;
  }
  CHECK(seen * 100 >= kSeeds * 95);
}
