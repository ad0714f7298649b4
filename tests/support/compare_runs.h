#pragma once
// Two runs through the comparison, as the program does it.

#include "hta/analysis/diff.h"

#include <vector>

#include "support/trace_sketch.h"

namespace hta::test {

/// The ranks of both runs (0, 1, ... each) mapped for their side.
std::vector<analysis::RankPartial> map_both(const std::vector<const Trace*>& base,
                                            const std::vector<const Trace*>& test, const analysis::Options& options);

/// hta diff of the two runs.
Outcome compare_runs(const std::vector<const Trace*>& base, const std::vector<const Trace*>& test,
                     const analysis::Options& options);
/// The same with option values as a user gives them.
Outcome compare_runs(const Trace& base, const Trace& test,
                     std::initializer_list<std::pair<std::string_view, std::string_view>> options = {});

}  // namespace hta::test
