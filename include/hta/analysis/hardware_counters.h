#pragma once
// Hardware counters that CUPTI recorded for ranges, and the operators they belong to.

#include "hta/model/trace.h"

#include <string>
#include <utility>
#include <vector>

namespace hta::analysis {

/// One range with its counters. Without a launch, or without operators above it, the operator fields are empty.
struct CounterRange {
  std::string kernel_name;
  std::string top_level_op;
  std::string bottom_level_op;
  std::string op_stack;                                       ///< outermost first, joined by ` -> `
  std::vector<std::pair<std::string, std::string>> counters;  ///< name, number as text
};

enum class RangeJoin : std::uint8_t {
  kByCorrelation,
  kByOrder,   ///< k-th range to k-th kernel launch: their numbers agree
  kNotFound,  ///< neither: no operators are known
};

struct CounterRanges {
  std::vector<CounterRange> ranges;  ///< by start
  RangeJoin join = RangeJoin::kByCorrelation;
};

/// Needs Needs::profiler_ranges and Needs::call_tree.
CounterRanges counter_ranges(const Trace& trace);

}  // namespace hta::analysis
