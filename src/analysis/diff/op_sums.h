#pragma once

#include "hta/analysis/diff/samples.h"
#include "hta/base/intervals.h"

#include <vector>

namespace hta::analysis::diff {

/// Which steps of a rank are samples; indexed by StepId.
struct ChosenSteps {
  std::vector<char> chosen;
  bool contains(StepId step) const { return step.valid() && chosen[step.value()] != 0; }
};

/// Sums of operators and calls over the chosen steps and over the whole rank.
struct OpSums {
  std::vector<OpSum> steps;
  std::vector<OpSum> whole;
  std::optional<Interval> extent;  ///< earliest start to latest end of operators and calls
};
/// Needs host events. O(n log steps).
OpSums sum_ops(const Trace& trace, const ChosenSteps& chosen);

}  // namespace hta::analysis::diff
