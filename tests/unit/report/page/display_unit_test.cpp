#include "page/display_unit.h"

#include <catch2/catch.hpp>

using namespace hta::report::page;
using enum hta::result::CellType;

namespace {
std::vector<std::string> labels(std::int64_t low, std::int64_t high, const DisplayUnit& unit, int wanted) {
  const Ticks ticks = round_ticks(low, high, unit, wanted);
  std::vector<std::string> out;
  for (std::int64_t value = ticks.first; value <= ticks.last; value += ticks.step)
    out.push_back(tick_label(value, ticks, unit));
  return out;
}
}  // namespace

TEST_CASE("display unit: one for all values, by the largest") {
  CHECK(display_unit(kTime, 2'500'000'000).name == "s");
  CHECK(display_unit(kTime, 2'500'000).name == "ms");
  CHECK(display_unit(kTime, 999).name == "µs");
  CHECK(display_unit(kTime, -3'000'000).name == "ms");
  CHECK(display_unit(kBytes, 1 << 20).name == "MiB");
  CHECK(display_unit(kBytes, 5).name == "B");
  CHECK(display_unit(kPercent, 1).name == "%");
  CHECK(display_unit(kInteger, 1).name.empty());
}

TEST_CASE("display unit: numbers have their decimals, and thousands are separated") {
  const DisplayUnit ms = display_unit(kTime, 2'500'000);
  CHECK(shown(1'234'567, ms) == "1.235");
  CHECK(shown_with_unit(1'234'567'890'123, ms) == "1,234,567.890 ms");
  CHECK(shown(-1'234'500'000'000, ms) == "-1,234,500.000");
  CHECK(shown_with_unit(1234567, display_unit(kInteger, 1)) == "1,234,567");
  CHECK(plain_number(1'500'000, ms) == "1.5");
  CHECK(plain_number(2'000'000, ms) == "2");
  CHECK(plain_number(-400, ms) == "0");  // half a thousandth and less
  CHECK(plain_number(0, ms) == "0");
}

TEST_CASE("ticks: round numbers that cover the values") {
  const DisplayUnit ms = display_unit(kTime, 10'000'000);
  CHECK(labels(0, 296'200'000, ms, 5) == std::vector<std::string>{"0", "100", "200", "300"});
  CHECK(labels(0, 45'000'000, ms, 5) == std::vector<std::string>{"0", "10", "20", "30", "40", "50"});
  CHECK(labels(0, 1'200'000, ms, 4) == std::vector<std::string>{"0.0", "0.5", "1.0", "1.5"});
  CHECK(labels(-30'000'000, 50'000'000, ms, 4) == std::vector<std::string>{"-40", "-20", "0", "20", "40", "60"});
  CHECK(labels(0, 0, ms, 4).size() == 2);
  CHECK(labels(0, 3, display_unit(kInteger, 3), 4) == std::vector<std::string>{"0", "1", "2", "3"});
  const DisplayUnit gib = display_unit(kBytes, std::int64_t{3} << 29);
  CHECK(labels(0, std::int64_t{3} << 29, gib, 4) == std::vector<std::string>{"0.0", "0.5", "1.0", "1.5", "2.0"});
}
