#include "hta/base/human.h"

#include <catch2/catch.hpp>

using namespace hta;

TEST_CASE("human: times take the unit that leaves three or four digits") {
  CHECK(human_time(0) == "0 µs");
  CHECK(human_time(7) == "0.007 µs");
  CHECK(human_time(12'340) == "12.34 µs");
  CHECK(human_time(123'456'000) == "123.5 ms");
  CHECK(human_time(-2'500'000'000) == "-2.50 s");
}

TEST_CASE("human: a share of nothing is a dash") {
  CHECK(human_percent(1, 3) == "33.33 %");
  CHECK(human_percent(0, 0) == "–");
}

TEST_CASE("human: a count goes with its noun") {
  CHECK(human_count(1, "step", "steps") == "1 step");
  CHECK(human_count(0, "step", "steps") == "0 steps");
  CHECK(human_count(1'234, "step", "steps") == "1,234 steps");
}
