#include "hta/base/text.h"

#include "hta/base/int_ranges.h"

#include <array>

#include <catch2/catch.hpp>

using namespace hta;

TEST_CASE("text: numbers in names sort as numbers") {
  CHECK(natural_less("rank-2.json", "rank-10.json"));
  CHECK_FALSE(natural_less("rank-10.json", "rank-2.json"));
  CHECK(natural_less("a01", "a1"));  // same number: by bytes
  CHECK_FALSE(natural_less("a", "a"));
}

TEST_CASE("text: names are shortened in the middle and never inside a character") {
  CHECK(shorten_middle("short", 10) == "short");
  CHECK(shorten_middle("abcdefghij", 7) == "abcd…ij");
  CHECK(shorten_middle("ééééé", 3) == "éé…");
  CHECK(display_width("日本") == 4);
  CHECK(display_width("µs") == 2);
}

TEST_CASE("text: decimals are inserted, not computed") {
  CHECK(fixed_point(1234, 3) == "1.234");
  CHECK(fixed_point(-5, 3) == "-0.005");
  CHECK(fixed_point(7, 0) == "7");
  CHECK(with_commas(-1234567) == "-1,234,567");
  CHECK(with_commas(999) == "999");
}

TEST_CASE("text: a mistyped word finds what was meant, a strange one nothing") {
  constexpr std::array<std::string_view, 3> kWords{"breakdown", "idle", "overlap"};
  CHECK(nearest("brekdown", kWords) == "breakdown");
  CHECK(nearest("ilde", kWords) == "idle");
  CHECK_FALSE(nearest("xyzzy", kWords));
}

TEST_CASE("text: broken UTF-8 becomes replacement characters, byte by byte") {
  CHECK(valid_utf8("a\xFF\x62") ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(is_valid_utf8("é€😀"));
  CHECK_FALSE(is_valid_utf8("\xED\xA0\x80"));  // a surrogate
  CHECK_FALSE(is_valid_utf8("\xC0\x80"));      // overlong
}

TEST_CASE("int ranges: lists and ranges select, anything else is said") {
  const auto ranges = IntRanges::parse("0,4-7");
  REQUIRE(ranges.ok());
  CHECK(ranges->contains(0));
  CHECK(ranges->contains(7));
  CHECK_FALSE(ranges->contains(3));
  CHECK(IntRanges::parse("-1")->contains(-1));
  CHECK(IntRanges::parse("7-4").error().text() == "'7-4' is no number or range; write e.g. 0,4-7");
  CHECK_FALSE(IntRanges::parse("").ok());
}
