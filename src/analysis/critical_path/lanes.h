#pragma once
// Which threads of a rank matter, and which of their events are work.

#include "hta/base/ids.h"
#include "hta/model/trace.h"

#include <cstdint>
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

enum class Role : std::uint8_t {
  kMain,    ///< drives the program of its process
  kHelper,  ///< launches GPU work, or runs the backward pass, for a main thread
};

using LaneId = Id<struct LaneTag>;

/// An active thread: one that the walk may enter.
struct Lane {
  ThreadId thread;
  Role role = Role::kHelper;
  std::uint32_t process = 0;  ///< index into Lanes::process()
};

/// The active threads of a process.
struct Process {
  LaneId main;                  ///< none if it has neither steps nor work
  std::vector<LaneId> helpers;  ///< by their first work event
};

class Lanes {
 public:
  /// `chosen`: the thread of the step or annotation that was asked for, or none. O(n) in the host events.
  Lanes(const Trace& trace, const NameTraits& names, ThreadId chosen);

  HostClass class_of(HostId event) const {
    const CategoryId category = trace_.host.category[event];
    const HostClass of_category = category.valid() ? class_of_category_[category.value()] : HostClass::kFrame;
    const bool is_step = of_category == HostClass::kWork && names_.is_step(trace_.host.name[event]);
    return is_step ? HostClass::kFrame : of_category;
  }
  /// The lane of a thread; none if it is not active.
  LaneId of(ThreadId thread) const { return thread.valid() ? lane_of_[thread.value()] : LaneId(); }
  const Lane& operator[](LaneId id) const { return lanes_[id.value()]; }
  std::span<const Lane> all() const { return lanes_; }
  const Process& process(LaneId id) const { return processes_[lanes_[id.value()].process]; }

 private:
  struct ThreadFacts;
  std::vector<ThreadFacts> gather_facts() const;
  std::vector<ThreadId> main_threads(const std::vector<ThreadFacts>& facts, ThreadId chosen) const;
  void number_processes();

  const Trace& trace_;
  const NameTraits& names_;
  std::vector<HostClass> class_of_category_;
  std::vector<std::uint32_t> process_of_;  // by ThreadId
  std::vector<LaneId> lane_of_;            // by ThreadId
  std::vector<Lane> lanes_;
  std::vector<Process> processes_;
};

}  // namespace hta::analysis::critical_path
