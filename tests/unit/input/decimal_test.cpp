#include "hta/input/decimal.h"

#include "support/random.h"
#include "support/scanned.h"
#include <catch2/catch.hpp>

namespace hta::input {
namespace {

std::optional<Nanos> ns(std::string_view text) {
  return micros_to_nanos(text);
}

}  // namespace

TEST_CASE("decimal: microseconds become nanoseconds exactly") {
  CHECK(ns("0") == 0);
  CHECK(ns("1") == 1000);
  CHECK(ns("130.000") == 130'000);
  CHECK(ns("-5.25") == -5250);
  CHECK(ns("1722945600123100.250") == 1'722'945'600'123'100'250);
  CHECK(ns("4026150113360.396") == 4'026'150'113'360'396);  // a double would say .396484
  CHECK(ns(" 12.5\n") == 12'500);
  CHECK(ns("+3") == 3000);
  CHECK(ns(".5") == 500);
  CHECK(ns("5.") == 5000);
}

TEST_CASE("decimal: digits beyond nanoseconds are rounded half to even") {
  CHECK(ns("0.0005") == 0);
  CHECK(ns("0.0015") == 2);
  CHECK(ns("0.0025") == 2);
  CHECK(ns("0.00250000000000000000000000000000000000001") == 3);
  CHECK(ns("0.0024999999999999999999999999999") == 2);
  CHECK(ns("-0.0015") == -2);
  CHECK(ns("0.9999") == 1000);
  CHECK(ns("0.00049999") == 0);
}

TEST_CASE("decimal: exponents move the point") {
  CHECK(ns("1e3") == 1'000'000);
  CHECK(ns("1.5E+2") == 150'000);
  CHECK(ns("15e-4") == 2);
  CHECK(ns("25e-4") == 2);
  CHECK(ns("1e-400") == 0);
  CHECK(ns("0e999999999999") == 0);
  CHECK(ns("9e-4") == 1);
  CHECK(ns("9e-5") == 0);
}

TEST_CASE("decimal: what does not fit 64 bits, or is no number, is nothing") {
  CHECK(ns("9223372036854775.807") == INT64_MAX);
  CHECK(ns("-9223372036854775.808") == INT64_MIN);
  CHECK_FALSE(ns("9223372036854775.808"));
  CHECK_FALSE(ns("-9223372036854775.809"));
  CHECK_FALSE(ns("9223372036854775.8075"));  // rounds beyond
  CHECK_FALSE(ns("18446744073709551615"));
  CHECK_FALSE(ns("1e400"));
  for (const char* text : {"", " ", "-", ".", "e5", "1e", "1e+", "1.2.3", "0x10", "NaN", "inf", "1 2", "12us", "--1"}) {
    INFO(text);
    CHECK_FALSE(ns(text));
  }
  CHECK(scaled_decimal("1.2345678905", 9) == 1'234'567'890);
  CHECK(scaled_decimal("7", 0) == 7);
}

TEST_CASE("decimal: agrees with arithmetic on the digits") {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    test::Random random(seed);
    std::string text = random.chance(20) ? "-" : "";
    text += std::to_string(random.in(0, random.chance(30) ? INT64_MAX : 3'000'000));
    if (random.chance(70)) {
      text += '.';
      for (auto n = random.in(1, 12); n > 0; --n)
        text += static_cast<char>('0' + (random.chance(40) ? 5 * random.in(0, 1) : random.in(0, 9)));
    }
    if (random.chance(30)) text += "e" + std::to_string(random.in(-25, 12));
    INFO(text);
    CHECK(ns(text) == test::nanos_by_hand(text));
  }
}

}  // namespace hta::input
