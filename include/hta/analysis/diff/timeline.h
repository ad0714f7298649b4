#pragma once
// To whom every instant of a rank belongs.

#include "hta/analysis/diff/components.h"
#include "hta/base/intervals.h"
#include "hta/model/trace.h"

#include <cstdint>
#include <span>
#include <vector>

namespace hta::analysis::diff {

/// The rank's time, cut into pieces of one component. Busy pieces also name an owner: of the events that run and are of
/// the component's kinds, the first in event order. So a component is the sum over its owners, exactly.
class Timeline {
 public:
  /// `owner[i]` is what stands for GPU event i (its kernel). A gap shorter than `kernel_gap_ns` that no late launch
  /// explains is a kernel wait. O(n) for events in event order.
  Timeline(const Trace& trace, std::span<const std::uint32_t> owner, Nanos kernel_gap_ns);

  /// Adds what lies in `window` to `times` (the components) and, by owner, to `owned_ns`. O(log n + pieces in it).
  void add(Interval window, WindowTimes& times, std::span<Nanos> owned_ns) const;

 private:
  struct Piece {
    Nanos begin;  // it lasts until the next one begins
    Component component;
    std::uint32_t owner;
  };
  class Sweep;

  std::vector<Piece> pieces_;
};

}  // namespace hta::analysis::diff
