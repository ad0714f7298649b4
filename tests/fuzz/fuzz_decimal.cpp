// Decimal text to integers: never a crash, and what RapidJSON reads as an exact integer comes out the same.

#include "hta/base/text.h"
#include "hta/input/decimal.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto whole = hta::input::scaled_decimal(text, 0);
  const auto nanos = hta::input::micros_to_nanos(text);
  const auto plain = hta::parse_integer(text);
  if (plain && (!whole || *whole != *plain)) std::abort();
  // A time that fits as nanoseconds fits as whole microseconds, and rounds to it.
  if (nanos && !whole) std::abort();
  if (nanos && plain && *nanos != *plain * 1000) std::abort();
  return 0;
}
