#include "hta/base/compact_column.h"

#include "hta/base/ids.h"

#include <utility>

#include <catch2/catch.hpp>

namespace hta {
namespace {

constexpr std::int64_t kLarge = std::int64_t{1} << 60;

TEST_CASE("a compact column gives back small and large numbers, also where their storage changes") {
  CompactColumn<HostId> column;
  const std::vector<std::int64_t> values{0, 1, 4'026'531'839, 4'026'531'840, 4'294'967'295, 4'294'967'296, kLarge, 2};
  for (const std::int64_t value : values) column.push_back(value);
  REQUIRE(column.size() == values.size());
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(column[HostId(i)] == values[i]);
}

TEST_CASE("cells of a compact column keep their meaning when they change places") {
  CompactColumn<HostId> column;
  for (const std::int64_t value : {kLarge, std::int64_t{3}, kLarge + 1}) column.push_back(value);
  std::swap(column.cells()[HostId(0)], column.cells()[HostId(1)]);
  CHECK(column[HostId(0)] == 3);
  CHECK(column[HostId(1)] == kLarge);
  CHECK(column[HostId(2)] == kLarge + 1);
}

TEST_CASE("a cleared compact column starts afresh") {
  CompactColumn<HostId> column;
  column.push_back(kLarge);
  column.clear();
  CHECK(column.size() == 0);
  column.push_back(kLarge + 1);
  CHECK(column[HostId(0)] == kLarge + 1);
}

}  // namespace
}  // namespace hta
