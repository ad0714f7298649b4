#include "hta/base/exact.h"

#include <catch2/catch.hpp>

using namespace hta;

TEST_CASE("exact: halves go to the even neighbour, on both sides of zero") {
  CHECK(divide_half_even(5, 2) == 2);
  CHECK(divide_half_even(7, 2) == 4);
  CHECK(divide_half_even(-5, 2) == -2);
  CHECK(divide_half_even(-7, 2) == -4);
  CHECK(divide_half_even(8, 3) == 3);
  CHECK(divide_half_even(0, 9) == 0);
}

TEST_CASE("exact: a share of nothing is no number") {
  CHECK(percent(1, 3) == 3333);
  CHECK(percent(0, 5) == 0);
  CHECK_FALSE(percent(0, 0));
}

TEST_CASE("exact: quantiles interpolate between neighbours") {
  const std::vector<std::int64_t> values{10, 20, 30, 40};
  CHECK(quantile(values, 1, 2) == 25);
  CHECK(quantile(values, 1, 4) == 18);  // 17.5 goes to the even neighbour
  CHECK(quantile(values, 1, 4, 10) == 175);
  CHECK(quantile(values, 1, 1) == 40);
  CHECK_FALSE(quantile(std::vector<std::int64_t>(), 1, 2));
}

TEST_CASE("exact: counted values have the quantiles and the spread of the values one by one") {
  const std::vector<Tallied> tallied{{-3, 1}, {0, 3}, {7, 2}, {100, 1}};
  std::vector<std::int64_t> values;
  Summary counted;
  Summary one_by_one;
  for (const auto& [value, count] : tallied) {
    counted.add(value, count);
    values.insert(values.end(), static_cast<std::size_t>(count), value);
  }
  for (const std::int64_t value : values) one_by_one.add(value);
  for (std::int64_t num = 0; num <= 24; ++num) CHECK(quantile(tallied, num, 24, 100) == quantile(values, num, 24, 100));
  CHECK_FALSE(quantile(std::vector<Tallied>(), 1, 2));
  CHECK(counted.count == 7);
  CHECK(counted.sum == one_by_one.sum);
  CHECK(counted.min == -3);
  CHECK(counted.max == 100);
  CHECK(counted.deviation(1000) == one_by_one.deviation(1000));
}

TEST_CASE("exact: deviation of a sample, and none of one value") {
  Summary summary;
  summary.add(2);
  CHECK_FALSE(summary.deviation());
  for (const int value : {4, 4, 4, 5, 5, 7, 9}) summary.add(value);
  CHECK(summary.mean() == 5);
  CHECK(summary.deviation(1000) == 2138);  // sqrt(32 / 7)
}

TEST_CASE("exact: merged summaries equal one summary of all values") {
  Summary all;
  Summary left;
  Summary right;
  for (std::int64_t i = 0; i < 1000; ++i) {
    const std::int64_t value = 1'000'000'000'000 + i * i % 977;
    all.add(value);
    (i % 3 == 0 ? left : right).add(value);
  }
  left.merge(right);
  CHECK(left.count == all.count);
  CHECK(left.sum == all.sum);
  CHECK(left.min == all.min);
  CHECK(left.max == all.max);
  CHECK(left.deviation(1000) == all.deviation(1000));
}
