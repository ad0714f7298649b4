#pragma once

#include "hta/result/table.h"

#include <cstddef>
#include <vector>

namespace hta::report {

/// The rows of a long table by rank that tell most, ascending, at most `most`: those farthest from the median of their
/// kind. Rows whose text cells are equal are of one kind; the distance is the largest over all measures, each in units
/// of its usual spread (median absolute deviation), where differences that do not matter count little: below 0.5 % of
/// the kind's longest time, half a percentage point, 1 % of other values.
/// A rare kind (the one rank with another verdict) counts by its rarity on top.
/// All rows if there are no more than `most`, or no column holds ranks.
std::vector<std::size_t> telling_rows(const result::Table& table, std::size_t most);

}  // namespace hta::report
