#include "hta/base/column.h"

#include <catch2/catch.hpp>

namespace hta {
namespace {

using Numbers = Column<HostId, std::uint32_t>;

// Sizes around those at which the storage changes its kind or its size.
constexpr std::size_t kLarge = std::size_t{3} << 20;

void fill(Numbers& column, std::size_t until) {
  for (std::size_t i = column.size(); i < until; ++i) column.push_back(static_cast<std::uint32_t>(i * 7));
}

bool holds(const Numbers& column, std::size_t rows) {
  if (column.size() != rows) return false;
  for (std::size_t i = 0; i < rows; ++i) {
    if (column[HostId(i)] != static_cast<std::uint32_t>(i * 7)) return false;
  }
  return true;
}

TEST_CASE("a column keeps its rows while it grows, through every kind of storage") {
  Numbers column;
  for (std::size_t rows = 1; rows < kLarge; rows = rows * 3 + 1) {
    fill(column, rows);
    CHECK(holds(column, rows));
  }
}

TEST_CASE("a trimmed column keeps its rows and can grow again") {
  for (const std::size_t rows : {std::size_t{0}, std::size_t{10}, kLarge / 5, kLarge / 2, kLarge / 2 + 1, kLarge}) {
    CAPTURE(rows);
    Numbers column;
    fill(column, rows);
    column.trim();
    CHECK(holds(column, rows));
    fill(column, rows + kLarge);
    CHECK(holds(column, rows + kLarge));
  }
}

TEST_CASE("a column that is trimmed after it was cleared starts afresh") {
  Numbers column;
  fill(column, kLarge);
  column.clear();
  column.trim();
  fill(column, 1000);
  CHECK(holds(column, 1000));
}

}  // namespace
}  // namespace hta
