#pragma once
// The device side of a rank: what ran before what on a stream, and what ended when on a device.

#include "hta/base/column.h"
#include "hta/model/trace.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace hta::analysis::critical_path {

/// A GPU event by its end; ordered by (end, event order).
struct GpuEnd {
  Nanos end_ns = 0;
  GpuId event;
  auto operator<=>(const GpuEnd&) const = default;

  static GpuEnd of(const GpuEvents& gpu, GpuId event) { return {gpu.end_ns(event), event}; }
};

class GpuTimeline {
 public:
  /// O(n log n) in the GPU events.
  explicit GpuTimeline(const Trace& trace);

  /// Of the events before `g` on its stream the one that ends last (of equal ends the last in event order), or none.
  GpuId stream_predecessor(GpuId g) const { return stream_predecessor_[g]; }
  /// Of the events of the same launch and device on other streams that end at or before `c` the one that ends last (of
  /// equal ends the last in event order), or none. O(log n).
  GpuId graph_predecessor(GpuId g, Nanos c) const;
  /// The events of each device by (end, event order).
  std::span<const std::vector<GpuId>> devices() const { return by_end_; }
  /// Those of the device of `g`.
  std::span<const GpuId> device_of(GpuId g) const { return by_end_[device_of_stream_[trace_.gpu.stream[g].value()]]; }

 private:
  // An event of a launch that runs on several streams. Siblings are sorted by (launch, device, end, event order).
  struct Sibling {
    LaunchId launch;
    std::uint32_t device;
    GpuEnd end;
    std::uint32_t other_stream;  // the nearest one before it of the same launch and device on another stream, or kNone
    auto key() const { return std::tie(launch, device, end); }
  };
  static constexpr std::uint32_t kNone = 0xffffffffu;
  void group_siblings();

  const Trace& trace_;
  Column<GpuId, GpuId> stream_predecessor_;
  std::vector<std::uint32_t> device_of_stream_;
  std::vector<std::vector<GpuId>> by_end_;
  std::vector<Sibling> siblings_;
};

/// Calls `accept(event)` for the events of `by_end`, which is in order of their ends, that end in (after, until],
/// latest first, until it says yes; returns that event, or none.
template <class Accept>
GpuId last_ending(const GpuEvents& gpu, std::span<const GpuId> by_end, Nanos after_ns, Nanos until_ns, Accept accept) {
  auto at = std::partition_point(by_end.begin(), by_end.end(), [&](GpuId g) { return gpu.end_ns(g) <= until_ns; });
  while (at != by_end.begin()) {
    --at;
    if (gpu.end_ns(*at) <= after_ns) break;
    if (accept(*at)) return *at;
  }
  return {};
}

}  // namespace hta::analysis::critical_path
