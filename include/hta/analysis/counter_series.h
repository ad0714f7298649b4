#pragma once
// Values over time that follow from the events: launches waiting in the queues, traffic of copies.

#include "hta/model/trace.h"
#include "hta/result/document.h"

#include <string>
#include <string_view>
#include <vector>

namespace hta::analysis {

using SeriesPoint = result::CounterTrack::Point;
/// Points in order of time; a value holds until the next point. Several at one time are several changes.
using Series = std::vector<SeriesPoint>;

/// Launched but not yet started GPU events of one stream.
struct QueueSeries {
  Stream stream;
  TrackName pid;  ///< of its events, for writing tracks
  Series points;  ///< queue lengths, >= 0
};

/// Queue lengths of all streams with linked events, by device and stream. One point up at each launch's start and one
/// down at the event's start (but never before its launch); launches first at equal times. O(n log n).
std::vector<QueueSeries> queue_lengths(const Trace& trace);

/// Traffic of one kind of copy on one device.
struct BandwidthSeries {
  std::int64_t device = -1;
  std::string label;  ///< `Memcpy HtoD`, `Memset`, ...
  TrackName pid;
  Series points;  ///< bytes per second, exactly 0 when nothing is active
};
inline constexpr int kBandwidthDecimals = 9;  ///< of GB/s, for a value in bytes per second

/// Arguments of GPU events that copy_bandwidths needs.
ArgSet bandwidth_args();
/// Bytes moved by a GPU event, if recorded.
std::optional<std::int64_t> bytes_moved(const Trace& trace, GpuId event);
/// Traffic of the MEMORY events whose bandwidth is known, by device and label: the recorded one if it is a number >= 0,
/// else bytes / duration; never known without duration. O(n log n).
std::vector<BandwidthSeries> copy_bandwidths(const Trace& trace);

/// The kind of copy that a MEMORY event's name says: `Memset`, `Memcpy HtoD`, ..., else `Memcpy Unknown`.
std::string_view copy_label(std::string_view name);

}  // namespace hta::analysis
