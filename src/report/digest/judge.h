#pragma once
// Rules applied to measures.

#include "hta/report/digest.h"

#include <string_view>
#include <vector>

#include "measures.h"

namespace hta::report {

/// Adds the findings to `document`, the gravest first, and notes about the rules that could not be applied; these are
/// returned.
std::vector<std::string_view> judge(const Measures& measures, const RuleBook& rules, result::Document& document);

}  // namespace hta::report
