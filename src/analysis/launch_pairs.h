#pragma once
// GPU events with the calls that launched them.

#include "hta/model/trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hta::analysis {

struct LaunchPair {
  LaunchId launch;
  GpuId event;
};

enum class MemoryEvents : std::uint8_t { kIncluded, kLeftOut };

/// All pairs by launch start, then event start, then position of the event. O(n) for launches that start apart.
std::vector<LaunchPair> launch_pairs(const Trace& trace, MemoryEvents memory);

struct LaunchCutoffs {
  Nanos runtime_ns = 0;
  Nanos delay_ns = 0;
};

/// How a pair is unusual, as bits.
enum LaunchClass : std::uint8_t {
  kNormalLaunch = 0,
  kShortKernel = 1,     ///< the call is quick, and yet takes longer than what it starts
  kRuntimeOutlier = 2,  ///< the call itself is slow
  kDelayOutlier = 4,    ///< the event starts long after the call returned
};
struct LaunchTimes {
  Nanos cpu_ns = 0;
  Nanos gpu_ns = 0;
  Nanos delay_ns = 0;  ///< never negative
};
LaunchTimes launch_times(const Trace& trace, const LaunchPair& pair);
std::uint8_t launch_class(const LaunchTimes& times, const LaunchCutoffs& cutoffs);
/// "short+delay_outlier", or "normal".
std::string launch_class_name(std::uint8_t launch_class);

}  // namespace hta::analysis
