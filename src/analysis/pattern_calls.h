#pragma once
// Operator calls with the GPU events below them.

#include "hta/base/intervals.h"
#include "hta/model/trace.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "name_sequences.h"

namespace hta::analysis {

/// One call of a root and what it put on the GPU.
struct PatternCall {
  HostId root;
  NameSequences::Sequence sequence = NameSequences::kEmpty;  ///< root name, then GPU events by start
  std::uint32_t events = 0;
  Nanos gpu_ns = 0;     ///< summed durations
  Interval gpu_extent;  ///< first start to last end
};

/// All calls with at least `min_events` GPU events, in event order of the roots. Roots are host events whose name
/// contains `name_part`, or operators if none is given, that lie in no other root. Needs the call tree. O(n log n).
std::vector<PatternCall> pattern_calls(const Trace& trace, const std::optional<std::string>& name_part,
                                       std::size_t min_events, NameSequences& sequences);

}  // namespace hta::analysis
