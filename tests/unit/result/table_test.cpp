#include "hta/result/table.h"

#include <array>

#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::result;

namespace {
constexpr std::array kColumns{
    ColumnSpec{"rank", CellType::kRank},   ColumnSpec{"step", CellType::kInteger, Presence::kOptional},
    ColumnSpec{"name", CellType::kText},   ColumnSpec{"time_us", CellType::kTime},
    ColumnSpec{"pct", CellType::kPercent},
};
constexpr TableSpec kSpec{"times", "Times", kColumns};
}  // namespace

TEST_CASE("table: cells print in the unit of their column") {
  Table table(kSpec);
  table.add({RankKey(3, 0), "a", std::int64_t{1234}, std::nullopt});
  CHECK(table.plain(0, 0) == "3");
  CHECK(table.plain(0, 1) == "a");
  CHECK(table.plain(0, 2) == "1.234");
  CHECK(table.plain(0, 3).empty());
  CHECK_FALSE(table.has_windows());
}

TEST_CASE("table: optional columns stand where the contract puts them") {
  const Table table(kSpec, {"step"});
  CHECK(table.columns()[1].name == "step");
  CHECK(Table(kSpec).columns().size() == 4);
}

TEST_CASE("table: a rank with several windows shows which one") {
  Table table(kSpec);
  table.add({RankKey(3, 2), "a", 1, 1});
  table.add({RankKey(4, 0), "a", 1, 1});
  CHECK(table.has_windows());
  CHECK(table.window(0) == 2);
  CHECK_FALSE(table.window(1));
}

TEST_CASE("table: sorting keeps the order of equals and puts nothing last") {
  Table table(kSpec);
  table.add({RankKey(0, 0), "first", 5, 1});
  table.add({RankKey(1, 0), "none", std::nullopt, 1});
  table.add({RankKey(2, 0), "second", 5, 1});
  table.add({RankKey(3, 0), "largest", 9, 1});
  table.sort(2, Direction::kDescending);
  std::string order;
  for (std::size_t row = 0; row < table.rows(); ++row) order += table.plain(row, 1) + " ";
  CHECK(order == "largest first second none ");
}
