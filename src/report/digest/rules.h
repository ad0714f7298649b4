#pragma once
// The rules as they are if nobody changes a threshold.

#include "hta/report/digest.h"

#include <span>

namespace hta::report {

/// Ordered as findings of the same severity and gain are.
std::span<const RuleSpec> default_rules();

}  // namespace hta::report
