#pragma once
// How much memory is allocated over time, by whom, and what is live at the peak?

#include "hta/analysis/allocations.h"
#include "hta/analysis/analysis.h"
#include "hta/base/exact.h"
#include "hta/model/memory_timeline.h"

#include <string>
#include <vector>

namespace hta::analysis {

extern const AnalysisSpec kMemory;

/// A memory timeline file of PyTorch, which takes the place of a trace.
struct RankTimeline {
  std::int64_t rank = 0;
  MemoryTimeline timeline;
};
/// The tables of `memory` from such files. `ranks` by rank.
void tabulate_timelines(std::span<const RankTimeline> ranks, const Options& options, result::Document& document);

namespace memory {

/// Calls of one function of the runtime that allocates or frees.
struct AllocatorCalls {
  std::string name;
  Summary dur_ns;
  std::int64_t in_later_steps = 0;  ///< inside a step behind the rank's first one
};

struct Partial {
  std::vector<DeviceMemory> devices;
  std::vector<AllocatorCalls> calls;  ///< by total time
};

Partial map(const Trace& trace, const Options& options);
Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document);

}  // namespace memory
}  // namespace hta::analysis
