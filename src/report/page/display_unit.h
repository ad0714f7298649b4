#pragma once
// One unit for all numbers of an axis or of a column, so that they can be compared at a glance.

#include "hta/result/table.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hta::report::page {

struct DisplayUnit {
  std::string_view name;     ///< "ms", "%", "" for plain counts
  std::int64_t divisor = 1;  ///< from the integers of the CellType
  int decimals = 0;          ///< that are worth showing
};

/// The unit that suits values up to `largest` in magnitude.
DisplayUnit display_unit(result::CellType type, std::int64_t largest);

/// The value in the unit with its decimals; thousands are separated.
std::string shown(std::int64_t value, const DisplayUnit& unit);
/// The same with the unit behind: "12.30 ms".
std::string shown_with_unit(std::int64_t value, const DisplayUnit& unit);
/// The value in the unit as a JSON number, without zeros at its end.
std::string plain_number(std::int64_t value, const DisplayUnit& unit);

/// Round numbers that divide an axis into about `wanted` parts; values in the integers of the unit.
struct Ticks {
  std::int64_t first = 0;
  std::int64_t last = 0;  ///< on or beyond the largest value
  std::int64_t step = 1;
  int decimals = 0;  ///< that labels need in the unit
};
/// From `low` (on or below it) to `high`. low <= high.
Ticks round_ticks(std::int64_t low, std::int64_t high, const DisplayUnit& unit, int wanted);
/// The label of a tick, without needless decimals.
std::string tick_label(std::int64_t value, const Ticks& ticks, const DisplayUnit& unit);

}  // namespace hta::report::page
