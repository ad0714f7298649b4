#pragma once

#include "hta/analysis/timeline.h"

#include <cstddef>

#include "places.h"

namespace hta::analysis::timeline {

/// Cuts windows out of one trace.
class Windows {
 public:
  /// O(GPU events).
  explicit Windows(const Trace& trace);
  /// The events around a place: of the host thread, nested, and of all streams of the rank. At most `most` of either
  /// kind, the longest. O(log events + events in the window and shortly before it).
  Window around(const Candidate& place, std::size_t most) const;

 private:
  const Trace& trace_;
  Nanos longest_gpu_ns_ = 0;
};

}  // namespace hta::analysis::timeline
