#include "hta/base/human.h"

#include "hta/base/exact.h"
#include "hta/base/text.h"

#include <string_view>

namespace hta {

std::string human_time(std::int64_t nanos) {
  struct Unit {
    std::int64_t nanos;
    std::string_view name;
  };
  static constexpr Unit kUnits[] = {{kNanosPerSecond, "s"}, {kNanosPerMilli, "ms"}, {kNanosPerMicro, "µs"}};
  const std::int64_t magnitude = nanos < 0 ? -nanos : nanos;
  for (const Unit& unit : kUnits) {
    if (magnitude < unit.nanos && &unit != &kUnits[2]) continue;
    if (magnitude == 0) break;
    // Three digits, at least: 1.23, 12.3, 123.
    const int decimals = magnitude >= 100 * unit.nanos ? 1 : 2;
    const std::int64_t scale = decimals == 2 ? 100 : 10;
    std::int64_t value = divide_half_even(Int128{nanos} * scale, unit.nanos);
    std::string digits = fixed_point(value, decimals);
    if (magnitude < kNanosPerMicro) digits = fixed_point(nanos, 3);
    return digits + " " + std::string(unit.name);
  }
  return "0 µs";
}

std::string human_bytes(std::int64_t bytes) {
  struct Unit {
    std::int64_t bytes;
    std::string_view name;
  };
  const std::int64_t magnitude = bytes < 0 ? -bytes : bytes;
  for (const Unit& unit : {Unit{std::int64_t{1} << 30, "GiB"}, Unit{1 << 20, "MiB"}, Unit{1 << 10, "KiB"}}) {
    if (magnitude >= unit.bytes)
      return fixed_point(divide_half_even(Int128{bytes} * 100, unit.bytes), 2) + " " + std::string(unit.name);
  }
  return std::to_string(bytes) + " B";
}

std::string human_percent(Int128 part, Int128 whole) {
  const auto value = percent(part, whole);
  return value ? fixed_point(*value, 2) + " %" : std::string("–");
}

std::string human_count(std::int64_t count, std::string_view one, std::string_view many) {
  return with_commas(count) + " " + std::string(count == 1 ? one : many);
}

}  // namespace hta
