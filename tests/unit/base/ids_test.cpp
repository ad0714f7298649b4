#include "hta/base/ids.h"

#include <unordered_set>

#include <catch2/catch.hpp>

namespace {

using hta::StringId;

TEST_CASE("ids: a default id names nothing") {
  CHECK_FALSE(StringId{}.valid());
  CHECK_FALSE(static_cast<bool>(StringId{}));
  CHECK(StringId{} != StringId{0});
}

TEST_CASE("ids: an id holds the row it was made from") {
  CHECK(StringId{0}.valid());
  CHECK(StringId{7}.value() == 7);
  CHECK(StringId{6} < StringId{7});
}

TEST_CASE("ids: equal ids meet in a hash table") {
  const std::unordered_set<StringId> ids{StringId{1}, StringId{2}, StringId{1}};
  CHECK(ids.size() == 2);
}

}  // namespace
