#pragma once

#include "hta/analysis/analysis.h"

#include <span>

namespace hta::analysis {

/// All analyses, in the order in which the help lists them.
std::span<const AnalysisSpec* const> registry();
/// The analysis of that name, or null.
const AnalysisSpec* find_analysis(std::string_view name);

}  // namespace hta::analysis
