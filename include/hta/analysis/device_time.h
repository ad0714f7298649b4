#pragma once
// Time of one device by what was running, the base of breakdown, overlap, steps and diff.

#include "hta/base/intervals.h"
#include "hta/model/trace.h"

#include <array>
#include <map>
#include <span>
#include <vector>

namespace hta::analysis {

/// A set of kernel types as bits: 1 << KernelType.
using TypeMask = unsigned;
inline constexpr std::size_t kTypeMasks = 16;
constexpr TypeMask mask_of(KernelType type) {
  return 1u << static_cast<unsigned>(type);
}

/// When events of each type were running on one device (or on all of a rank).
struct TypeSets {
  std::array<IntervalSet, 4> of;
  Interval span;  ///< first start to last end of the events
  const IntervalSet& operator[](KernelType type) const { return of[static_cast<std::size_t>(type)]; }
};

/// The sets of every device of the rank, by device number. O(events).
std::map<std::int64_t, TypeSets> device_type_sets(const Trace& trace);
/// The sets over all devices of the rank together.
TypeSets rank_type_sets(const Trace& trace);

/// Nanoseconds for each exact set of types active, inside `window`; [0] is idle. The entries sum to the window's
/// length.
using MaskTimes = std::array<Nanos, kTypeMasks>;
MaskTimes mask_times(const TypeSets& sets, Interval window);

/// The parts of a window; they sum to it exactly.
struct TimeParts {
  Nanos span_ns = 0;
  Nanos idle_ns = 0;
  Nanos compute_ns = 0;
  Nanos exposed_comm_ns = 0;    ///< communication without computation
  Nanos exposed_memory_ns = 0;  ///< memory or other, without either
  Nanos non_compute_ns() const { return exposed_comm_ns + exposed_memory_ns; }
  Nanos busy_ns() const { return span_ns - idle_ns; }
  TimeParts& operator+=(const TimeParts& other);
};
TimeParts time_parts(const MaskTimes& times);

/// "COMPUTATION overlapping MEMORY" for a mask.
std::string type_mask_name(TypeMask mask);

}  // namespace hta::analysis
