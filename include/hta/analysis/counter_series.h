#pragma once
// Values over time that follow from the events: launches waiting in the queues, traffic of copies.

#include "hta/model/trace.h"
#include "hta/result/document.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hta::analysis {

using SeriesPoint = result::CounterTrack::Point;
/// Points in order of time; a value holds until the next point. Several at one time are several changes.
using Series = std::vector<SeriesPoint>;

/// Launched but not yet started GPU events of one stream: a range of points, queue lengths >= 0. One up at each
/// launch's start and one down at the event's start (but never before its launch); launches first at equal times.
/// Points are worked out while one goes through them, since they take far more memory than the events. Refers to the
/// trace.
class QueueSeries {
 public:
  class Iterator;

  /// `launched` and `started` hold the same events, in order of the launches and of the starts.
  QueueSeries(const Trace& trace, std::vector<GpuId> launched, std::vector<GpuId> started)
      : trace_(&trace), launched_(std::move(launched)), started_(std::move(started)) {}

  const Stream& stream() const { return trace_->stream_of(launched_.front()); }
  /// Of its events, for writing tracks.
  const TrackName& pid() const { return trace_->threads[trace_->gpu.thread[started_.front()].value()].pid; }
  std::size_t size() const { return launched_.size() + started_.size(); }
  Iterator begin() const;
  Iterator end() const;

  static Nanos launched_ns(const Trace& trace, GpuId event) { return trace.launches.start_ns[trace.gpu.launch[event]]; }
  static Nanos started_ns(const Trace& trace, GpuId event) {
    return std::max(trace.gpu.start_ns[event], launched_ns(trace, event));
  }

 private:
  const Trace* trace_;
  std::vector<GpuId> launched_;
  std::vector<GpuId> started_;
};

class QueueSeries::Iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = SeriesPoint;
  using difference_type = std::ptrdiff_t;
  using pointer = const SeriesPoint*;
  using reference = const SeriesPoint&;

  Iterator() = default;
  reference operator*() const { return point_; }
  pointer operator->() const { return &point_; }
  Iterator& operator++() {
    ++at_;
    if (at_ < series_->size()) take();
    return *this;
  }
  Iterator operator++(int) {
    Iterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Iterator& other) const { return at_ == other.at_; }

 private:
  friend class QueueSeries;
  Iterator(const QueueSeries& series, std::size_t at) : series_(&series), at_(at) {
    if (at_ < series.size()) take();
  }
  void take();

  const QueueSeries* series_ = nullptr;
  std::size_t at_ = 0;        // how many points come before this one
  std::size_t launched_ = 0;  // of the events, up to this point
  std::size_t started_ = 0;
  SeriesPoint point_{};
};

/// Queue lengths of all streams with linked events, by device and stream. O(n log n).
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
