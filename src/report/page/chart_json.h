#pragma once

#include <string>

#include "chart.h"

namespace hta::report::page {

/// The plot as JSON for the page script: numbers in one unit an axis, which is named. Valid UTF-8, one line.
std::string chart_json(const Plot& plot);

}  // namespace hta::report::page
