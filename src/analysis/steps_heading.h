#pragma once

#include "hta/analysis/steps.h"

namespace hta::analysis::steps {

/// How even the steps are; the step that stands out most, on which ranks, and what grew there. `outliers` by rank.
void add_heading(std::span<const Ranked<Partial>> ranks, std::span<const std::vector<Outlier>> outliers,
                 result::Document& document);

}  // namespace hta::analysis::steps
