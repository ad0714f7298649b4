#include "hta/report/people_rows.h"

#include <array>

#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::result;
using Rows = std::vector<std::size_t>;

namespace {

constexpr std::array kColumns{ColumnSpec{"rank", CellType::kRank}, ColumnSpec{"kind", CellType::kText},
                              ColumnSpec{"span_us", CellType::kTime}, ColumnSpec{"idle_us", CellType::kTime},
                              ColumnSpec{"idle_pct", CellType::kPercent}};
constexpr TableSpec kSpec{"temporal", "Time", kColumns};

// 100 ranks of 1 s with a jitter of up to 2 ms, idle for 10 ms.
Table hundred_ranks() {
  Table table(kSpec);
  for (int rank = 0; rank < 100; ++rank)
    table.add({RankKey(rank, 0), "all", 1'000'000'000 + (rank % 5 - 2) * 1'000'000, 10'000'000, 100});
  return table;
}

}  // namespace

TEST_CASE("people's rows: a short table is shown whole") {
  CHECK(report::telling_rows(hundred_ranks(), 100).size() == 100);
}

TEST_CASE("people's rows: ranks far from the median are shown, in the order of the table") {
  Table table = hundred_ranks();
  table.add({RankKey(100, 0), "all", 1'200'000'000, 10'000'000, 83});
  table.add({RankKey(101, 0), "all", 1'000'000'000, 300'000'000, 3'000});
  CHECK(report::telling_rows(table, 2) == Rows{100, 101});
}

TEST_CASE("people's rows: small times beside long ones do not matter, however far from their own median") {
  Table table = hundred_ranks();
  table.add({RankKey(100, 0), "all", 1'000'000'000, 14'000'000, 140});  // 40 % more idle, 0.4 points of the span
  table.add({RankKey(101, 0), "all", 1'050'000'000, 10'000'000, 95});
  CHECK(report::telling_rows(table, 1) == Rows{101});
}

TEST_CASE("people's rows: kinds are compared with their own kind, and the rank of a rare kind is shown") {
  Table table = hundred_ranks();
  for (int rank = 0; rank < 100; ++rank) table.add({RankKey(rank, 0), "other", 5'000'000, 1'000'000, 2'000});
  table.add({RankKey(7, 0), "straggler", 1'000'000'000, 10'000'000, 100});
  CHECK(report::telling_rows(table, 1) == Rows{200});
}

TEST_CASE("people's rows: texts that name single rows make no kinds") {
  Table table(kSpec);
  for (int rank = 0; rank < 50; ++rank)
    table.add({RankKey(rank, 0), "file" + std::to_string(rank), 1'000'000'000, 0, rank == 31 ? 9'000 : 100});
  CHECK(report::telling_rows(table, 1) == Rows{31});
}
