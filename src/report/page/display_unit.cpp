#include "display_unit.h"

#include "hta/base/exact.h"
#include "hta/base/text.h"

#include <algorithm>
#include <array>

namespace hta::report::page {
namespace {

using result::CellType;

constexpr std::int64_t kKibi = 1024;
constexpr std::array kTimes{DisplayUnit{"s", kNanosPerSecond, 3}, DisplayUnit{"ms", kNanosPerMilli, 3},
                            DisplayUnit{"µs", kNanosPerMicro, 3}};
constexpr std::array kSizes{DisplayUnit{"GiB", kKibi* kKibi* kKibi, 2}, DisplayUnit{"MiB", kKibi* kKibi, 2},
                            DisplayUnit{"KiB", kKibi, 2}, DisplayUnit{"B", 1, 0}};

// Of units from the largest to the smallest, the first that `largest` reaches.
template <std::size_t N>
DisplayUnit fitting(const std::array<DisplayUnit, N>& units, std::int64_t largest) {
  const auto at =
      std::find_if(units.begin(), units.end(), [&](const DisplayUnit& unit) { return largest >= unit.divisor; });
  return at == units.end() ? units.back() : *at;
}

std::int64_t power_of_ten(int exponent) {
  std::int64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

std::int64_t in_decimals(std::int64_t value, const DisplayUnit& unit, int decimals) {
  return divide_half_even(Int128{value} * power_of_ten(decimals), unit.divisor);
}

std::string with_thousands(std::int64_t scaled, int decimals) {
  if (decimals == 0) return with_commas(scaled);
  std::string digits = fixed_point(scaled, decimals);
  const std::size_t point = digits.find('.');
  const std::size_t begin = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = point; at > begin + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

}  // namespace

DisplayUnit display_unit(CellType type, std::int64_t largest) {
  largest = largest < 0 ? -largest : largest;
  switch (type) {
    case CellType::kTime: return fitting(kTimes, largest);
    case CellType::kBytes: return fitting(kSizes, largest);
    case CellType::kPercent: return {"%", 100, 2};
    case CellType::kHundredths: return {"", 100, 2};
    case CellType::kRatio: return {"", 10'000, 4};
    case CellType::kRate: return {"GB/s", 1'000'000, 2};
    default: return {"", 1, 0};
  }
}

std::string shown(std::int64_t value, const DisplayUnit& unit) {
  return with_thousands(in_decimals(value, unit, unit.decimals), unit.decimals);
}

std::string shown_with_unit(std::int64_t value, const DisplayUnit& unit) {
  std::string text = shown(value, unit);
  if (!unit.name.empty()) text += " " + std::string(unit.name);
  return text;
}

std::string plain_number(std::int64_t value, const DisplayUnit& unit) {
  std::string digits = fixed_point(in_decimals(value, unit, unit.decimals), unit.decimals);
  if (digits.find('.') != std::string::npos) {
    while (digits.back() == '0') digits.pop_back();
    if (digits.back() == '.') digits.pop_back();
  }
  return digits == "-0" ? "0" : digits;
}

Ticks round_ticks(std::int64_t low, std::int64_t high, const DisplayUnit& unit, int wanted) {
  // 1, 2 or 5 of a power of ten of the unit; below one unit as far as the integers go.
  const std::int64_t span = std::max<std::int64_t>(high - low, 1);
  std::int64_t power = unit.divisor;
  int decimals = 0;
  while (power >= 10 && power * wanted > span) {
    power /= 10;
    ++decimals;
  }
  std::int64_t step = power;
  constexpr std::array kFactors{std::int64_t{1}, std::int64_t{2}, std::int64_t{5}};
  for (std::size_t i = 0; step * wanted < span; ++i) {
    if (i > 0 && i % kFactors.size() == 0) {
      power *= 10;
      decimals = std::max(0, decimals - 1);
    }
    step = power * kFactors[i % kFactors.size()];
  }
  const auto down = [&](std::int64_t value) {
    return value >= 0 ? value / step * step : -((-value + step - 1) / step * step);
  };
  Ticks ticks;
  ticks.step = step;
  ticks.first = down(low);
  ticks.last = -down(-high);
  if (ticks.last == ticks.first) ticks.last += step;
  ticks.decimals = decimals;
  return ticks;
}

std::string tick_label(std::int64_t value, const Ticks& ticks, const DisplayUnit& unit) {
  return with_thousands(in_decimals(value, unit, ticks.decimals), ticks.decimals);
}

}  // namespace hta::report::page
