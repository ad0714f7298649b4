#pragma once
// The host side of a rank: which threads matter, and what each of them was doing at every moment.

#include "hta/base/column.h"
#include "hta/model/trace.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "names.h"

namespace hta::analysis::critical_path {

/// What a host event is to the walk.
enum class HostClass : std::uint8_t {
  kIgnored,  ///< the profiler's own cost, counter ranges
  kFrame,    ///< says where the program was: annotations, python functions
  kWork,     ///< launch calls and operators
};

/// A longest stretch of one thread in which one event was innermost: of those open the last in event order.
struct Segment {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;
  HostId event;
  bool busy = false;     ///< the event is work
  bool loading = false;  ///< a data-loading event was open when the segment began
};

enum class Role : std::uint8_t {
  kMain,    ///< drives the program of its process
  kHelper,  ///< launches GPU work, or runs the backward pass, for a main thread
};

using LaneId = Id<struct LaneTag>;

/// An active thread: one that the walk may enter.
struct Lane {
  ThreadId thread;
  Role role = Role::kHelper;
  std::uint32_t process = 0;        ///< index into processes
  std::uint32_t first_segment = 0;  ///< running number of segments[0] over all lanes
  std::vector<Segment> segments;    ///< by time; nothing was recorded between them
  std::vector<std::uint32_t> busy;  ///< indices of the busy ones
};

/// Where another thread was last at work, which a thread that does nothing may have waited for.
struct Handover {
  LaneId lane;
  Nanos at_ns = 0;
};

class HostTimeline {
 public:
  /// `chosen`: the thread of the step or annotation that was asked for, or none. O(n) in the host events.
  HostTimeline(const Trace& trace, const NameTraits& names, ThreadId chosen);

  HostClass class_of(HostId event) const;
  /// The launch call that is this host event, or none.
  LaunchId launch_of(HostId event) const { return launch_of_[event]; }
  /// The lane of a thread; none if it is not active.
  LaneId lane_of(ThreadId thread) const { return thread.valid() ? lane_of_[thread.value()] : LaneId(); }
  const Lane& lane(LaneId id) const { return lanes_[id.value()]; }
  std::span<const Lane> lanes() const { return lanes_; }
  std::size_t segments() const { return segments_; }

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
  struct Process {
    LaneId main;
    std::vector<LaneId> helpers;  // by their first work event
  };
  struct ThreadFacts;

  std::vector<ThreadFacts> gather_facts() const;
  void choose_lanes(const std::vector<ThreadFacts>& facts, ThreadId chosen);
  void cut_segments();

  const Trace& trace_;
  const NameTraits& names_;
  Column<HostId, LaunchId> launch_of_;
  std::vector<LaneId> lane_of_;  // by ThreadId
  std::vector<Lane> lanes_;
  std::vector<Process> processes_;
  std::size_t segments_ = 0;
};

}  // namespace hta::analysis::critical_path
