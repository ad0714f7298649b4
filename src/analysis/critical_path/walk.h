#pragma once
// The walk back from the end of a window: every nanosecond goes to one event or one named gap.

#include <cstdint>
#include <vector>

#include "engine.h"
#include "window.h"

namespace hta::analysis::critical_path {

/// Whether it is the time in front of a GPU event rather than of an event.
bool is_gpu_gap(Bound bound, GpuId event);

struct Piece {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;
  Bound bound = Bound::kPythonOrIdle;
  Link link = Link::kStart;  ///< how the walk went on from here to the piece before
  GpuId gpu;                 ///< the GPU event, or the one behind the gap
  HostId host;               ///< the host event, if it is one
  ThreadId thread;           ///< of host pieces; none for the tail
  Nanos length_ns() const { return end_ns - begin_ns; }
};

/// The pieces of the window in order of time; they tile it exactly. Linear in the pieces, but for binary searches.
std::vector<Piece> walk(const Engine& engine, const Window& window);

/// What the own time of a GPU event is bound by.
Bound bound_of(const Trace& trace, GpuId event);
/// What the time of a segment of an active thread is bound by.
Bound bound_of(const Engine& engine, const Segment& segment);
/// What the gap between a predecessor and a GPU event is bound by.
Bound bound_of_gap(const Settings& settings, Link link, Nanos length_ns);

}  // namespace hta::analysis::critical_path
