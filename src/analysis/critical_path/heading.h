#pragma once
// What a person reads before the tables.

#include "hta/analysis/critical_path.h"

#include <span>
#include <vector>

namespace hta::analysis::critical_path {

/// What occurs on the path, by time descending, then name.
std::vector<Bound> largest_first(const Partial& partial);

/// The event times of the ranks are sorted, the longest first.
void add_heading(std::span<Ranked<Partial>> ranks, result::Document& document);

}  // namespace hta::analysis::critical_path
