#pragma once
// Where streams and devices have gaps, and of which of the three kinds.

#include "hta/base/intervals.h"
#include "hta/model/trace.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace hta::analysis {

enum class GapKind : std::uint8_t {
  kHostWait,    ///< what ends the gap was launched after the gap began
  kKernelWait,  ///< launched before, and the gap is short: the way from one kernel to the next
  kOther,       ///< launched before (or by nobody known), and the gap is long
};
inline constexpr std::array kGapKinds{GapKind::kHostWait, GapKind::kKernelWait, GapKind::kOther};
/// host_wait, kernel_wait, other.
std::string_view gap_kind_name(GapKind kind);

/// Lengths of the gaps of one stream by kind, in order of time.
using StreamGaps = std::array<std::vector<Nanos>, kGapKinds.size()>;

/// The gaps of every stream, by StreamId. Events that overlap leave no gap. O(events).
std::vector<StreamGaps> stream_gaps(const Trace& trace, Nanos kernel_gap_ns);

/// A time in which no stream of a device had work.
struct DeviceGap {
  Interval time;
  GapKind kind;
  GpuId before;    ///< the event whose end began it
  GpuId ended_by;  ///< of several that start together: of the smallest stream, then the first in the file
};

struct DeviceGaps {
  std::int64_t device = -1;
  Interval span;                ///< first start to last end
  std::vector<DeviceGap> gaps;  ///< in order of time
};

/// The gaps of every device with GPU events, by device number. O(events).
std::vector<DeviceGaps> device_gaps(const Trace& trace, Nanos kernel_gap_ns);

}  // namespace hta::analysis
