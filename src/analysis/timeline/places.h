#pragma once

#include "hta/analysis/device_time.h"
#include "hta/analysis/timeline.h"

#include <map>
#include <optional>
#include <vector>

namespace hta::analysis::timeline {

/// A place without its window.
struct Candidate {
  PlaceKind kind = PlaceKind::kHostWait;
  std::optional<std::int64_t> device;  ///< none: it is about all of the rank
  Interval time;
  Nanos weight_ns = 0;
  GpuId event;      ///< that ends the gap, or that it is about; none for a step
  ThreadId thread;  ///< of the host, to be shown beside the device; or none
  StepId step;
  HostId host;  ///< what the host was doing; or none
};

/// The worst place of each kind on the rank, in the order of the kinds; kinds that do not occur are left out.
/// O(events).
std::vector<Candidate> worst_places(const Trace& trace, const std::map<std::int64_t, TypeSets>& devices,
                                    Nanos kernel_gap_ns);

}  // namespace hta::analysis::timeline
