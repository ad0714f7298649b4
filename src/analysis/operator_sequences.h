#pragma once

#include "hta/analysis/launch.h"

#include <span>
#include <vector>

#include "launch_pairs.h"

namespace hta::analysis {

/// The kernel sequences of every aten:: operator that launches: by count descending, operator, kernels. Pairs in the
/// order of launch_pairs(). Needs the call tree. O(n log n).
std::vector<launch::OperatorSequence> operator_sequences(const Trace& trace, std::span<const LaunchPair> pairs);

}  // namespace hta::analysis
