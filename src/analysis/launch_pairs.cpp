#include "launch_pairs.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace hta::analysis {

std::vector<LaunchPair> launch_pairs(const Trace& trace, MemoryEvents memory) {
  const LaunchCalls& calls = trace.launches;
  const GpuEvents& gpu = trace.gpu;
  std::vector<LaunchPair> pairs;
  pairs.reserve(calls.gpu_of.size());
  const auto by_event = [&](const LaunchPair& a, const LaunchPair& b) {
    return std::pair(gpu.start_ns[a.event], gpu.position[a.event]) <
           std::pair(gpu.start_ns[b.event], gpu.position[b.event]);
  };
  std::size_t together = 0;  // the pairs from here on have launches that start at the same time
  Nanos start_ns = 0;
  const auto sort_together = [&] {
    std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(together), pairs.end(), by_event);
  };
  for (const LaunchId call : IdRange<LaunchId>(calls.size())) {
    if (calls.start_ns[call] != start_ns) {
      sort_together();
      together = pairs.size();
      start_ns = calls.start_ns[call];
    }
    for (const GpuId event : calls.gpu_events(call)) {
      if (memory == MemoryEvents::kIncluded || gpu.type[event] != KernelType::kMemory) pairs.push_back({call, event});
    }
  }
  sort_together();
  return pairs;
}

LaunchTimes launch_times(const Trace& trace, const LaunchPair& pair) {
  const Nanos returned_ns = trace.launches.end_ns(pair.launch);
  return {trace.launches.dur_ns[pair.launch], trace.gpu.dur_ns[pair.event],
          std::max<Nanos>(0, trace.gpu.start_ns[pair.event] - returned_ns)};
}

std::uint8_t launch_class(const LaunchTimes& times, const LaunchCutoffs& cutoffs) {
  std::uint8_t out = kNormalLaunch;
  if (times.cpu_ns > cutoffs.runtime_ns) out |= kRuntimeOutlier;
  else if (times.gpu_ns < times.cpu_ns) out |= kShortKernel;
  if (times.delay_ns > cutoffs.delay_ns) out |= kDelayOutlier;
  return out;
}

std::string launch_class_name(std::uint8_t launch_class) {
  std::string name;
  const auto add = [&](LaunchClass bit, std::string_view text) {
    if ((launch_class & bit) == 0) return;
    if (!name.empty()) name += "+";
    name += text;
  };
  add(kShortKernel, "short");
  add(kRuntimeOutlier, "runtime_outlier");
  add(kDelayOutlier, "delay_outlier");
  return name.empty() ? "normal" : name;
}

}  // namespace hta::analysis
