#pragma once
// What each active thread of a rank was doing at every moment of a window.

#include "hta/base/intervals.h"
#include "hta/model/trace.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "lanes.h"
#include "names.h"

namespace hta::analysis::critical_path {

/// A longest stretch of one thread in which one event was innermost: of those open the last in event order.
struct Segment {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;
  HostId event;
  bool busy = false;     ///< the event is work
  bool loading = false;  ///< a data-loading event was open when the segment began
};

/// The segments of one lane, by time; nothing was recorded between them.
struct LaneSegments {
  std::vector<Segment> all;
  std::vector<std::uint32_t> busy;  ///< indices of the busy ones
  std::uint32_t first = 0;          ///< running number of all[0] over all lanes
};

/// Where another thread was last at work, which a thread that does nothing may have waited for.
struct Handover {
  LaneId lane;
  Nanos at_ns = 0;
};

class HostTimeline {
 public:
  /// Knows the segments that reach into `window`, and of each lane the last busy one before it. O(n) in the host
  /// events.
  HostTimeline(const Trace& trace, const NameTraits& names, const Lanes& lanes, Interval window);

  const Lanes& lanes() const { return lanes_; }
  /// The launch call that is this host event, or none. O(log n).
  LaunchId launch_of(HostId event) const;
  const LaneSegments& segments(LaneId lane) const { return segments_[lane.value()]; }
  std::size_t segment_count() const { return segment_count_; }

  /// The segment of the lane that contains the instant just before `c`; null if nothing was recorded there. O(log n).
  const Segment* before(LaneId lane, Nanos c) const;
  /// The last busy segment that ends at or before `c`, or null. O(log n).
  const Segment* last_busy(LaneId lane, Nanos c) const;
  /// The latest end of a segment up to `c`; INT64_MIN if there is none. O(log n).
  Nanos recorded_until(LaneId lane, Nanos c) const;
  /// Of a helper: the last moment up to `c` at which the main thread was busy. Of a main thread: of the helpers that
  /// are not busy just before `c` the latest end of work. None if there is no such moment.
  std::optional<Handover> handover(LaneId lane, Nanos c) const;

 private:
  void cut(const NameTraits& names, Interval window);

  const Trace& trace_;
  const Lanes& lanes_;
  std::vector<LaneSegments> segments_;  // by LaneId
  std::size_t segment_count_ = 0;
};

}  // namespace hta::analysis::critical_path
