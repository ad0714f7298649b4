#pragma once
// What the host did while a device waited for it.
//
// A host_wait gap [begin, end) is split at the start of the launch call that ended it. Before that, every instant
// belongs to the innermost host event open on the launching thread; where nothing is open there, to the innermost one
// on the thread that launched the work before the gap (the forward pass hands over to the autograd thread this way);
// else to nobody. From the launch call's start on it is launch latency. So the parts of a gap sum to the gap exactly.

#include "hta/analysis/host_cause.h"
#include "hta/model/trace.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "idle_gaps.h"

namespace hta::analysis {

using CauseTimes = std::array<Nanos, kHostCauses>;

/// Idle time of one cause with the name behind it.
struct HostSource {
  HostCause cause = HostCause::kNotRecorded;
  StringId activity;  ///< the region or innermost event that gives the cause; none if nothing was recorded
  StringId
      place;  ///< innermost frame of the user's program, else annotation, else outermost operator around it; or none
  Nanos idle_ns = 0;
};

/// One of the longest gaps that wait for the host.
struct ExplainedGap {
  std::uint32_t gap = 0;  ///< index in DeviceGaps::gaps
  CauseTimes by_cause{};  ///< sums to the gap
  /// The innermost event that covers more than half of the time before the launch call, else the outermost one that
  /// covers most; none if mostly nothing was recorded, or if most of the gap is launch latency.
  HostId during;
  StringId place;        ///< of `during`
  Nanos covered_ns = 0;  ///< how much of the gap `during` covers
  StringId after_sync;   ///< the synchronising call that the thread was in when the gap began, or none

  HostCause main_cause() const;  ///< the largest of by_cause
};

/// The host's part in the idle time of one device.
struct HostActivity {
  CauseTimes idle_ns{};                               ///< sums to the host_wait time of the device
  std::array<std::int64_t, kHostCauses> gap_count{};  ///< gaps in which the cause occurs
  Nanos after_sync_ns = 0;                            ///< length of the gaps that began inside a synchronising call
  CauseTimes after_sync_by_cause{};   ///< of idle_ns, in those gaps, as far as the call was the launching thread's own
  std::vector<HostSource> sources;    ///< in no order
  std::vector<ExplainedGap> longest;  ///< longest first, then by time
};

/// For each of `devices`; at most `gaps_explained` (0 = all) single gaps each. O(events log events).
std::vector<HostActivity> host_activity(const Trace& trace, std::span<const DeviceGaps> devices,
                                        std::size_t gaps_explained);

}  // namespace hta::analysis
