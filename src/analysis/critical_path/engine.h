#pragma once
// Everything the walk and the graph ask about one rank, and the rule that both share: what can hold an event back.

#include "hta/analysis/critical_path.h"
#include "hta/model/trace.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "gpu.h"
#include "host.h"
#include "names.h"
#include "settings.h"
#include "waits.h"

namespace hta::analysis::critical_path {

/// One thing that had to come before a GPU event could start.
struct Candidate {
  Link link = Link::kStart;
  GpuId event;         ///< none for kLaunch: the walk goes on in the launch call
  Nanos ready_ns = 0;  ///< when it let go, at most the time it is asked for
};

/// GPU events that are on the path already.
using OnPath = std::vector<bool>;

class Engine {
 public:
  Engine(const Trace& trace, const NameTraits& names, const Lanes& lanes, const Settings& settings, Interval window);

  const Trace& trace() const { return trace_; }
  const Lanes& lanes() const { return host_.lanes(); }
  const HostTimeline& host() const { return host_; }
  const GpuTimeline& gpu() const { return gpu_; }
  const Waits& waits() const { return waits_; }
  const NameTraits& names() const { return names_; }
  const Settings& settings() const { return settings_; }

  /// Replaces `out` by what held `g` back at time `c`, those that win ties first. `on_path` may be null; events on it
  /// are no candidates again. O(log n) plus what ended shortly before.
  void candidates(GpuId g, Nanos c, const OnPath* on_path, std::vector<Candidate>& out) const;
  /// The one that let go last; null if there is none.
  static const Candidate* binding(const std::vector<Candidate>& candidates);
  /// Where the walk goes on in the launch call of `g`, which has one: its lane, and the time.
  Handover launch_station(GpuId g, Nanos c) const;
  /// The GPU event that the busy segment waited for, as seen at `c` in it, or none.
  GpuId awaited_in(const Segment& segment, Nanos c) const;

 private:
  GpuId inferred_predecessor(GpuId g, Nanos c, std::optional<Nanos> ready_ns) const;

  const Trace& trace_;
  const NameTraits& names_;
  Settings settings_;
  HostTimeline host_;
  GpuTimeline gpu_;
  Waits waits_;
};

}  // namespace hta::analysis::critical_path
