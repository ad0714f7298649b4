#pragma once
// What happens over time, and around the places that matter: small enough to draw.

#include "hta/analysis/analysis.h"
#include "hta/base/intervals.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hta::analysis {

extern const AnalysisSpec kTimeline;

namespace timeline {

/// Why a place is worth a look. On each rank, and then over all ranks, the longest of its kind is taken.
enum class PlaceKind : std::uint8_t {
  kHostWait,         ///< a device waits for the host
  kDataLoading,      ///< the same, while the host loads data
  kSynchronisation,  ///< the same, while the host is in a synchronising call
  kAllocation,       ///< the same, while memory is allocated
  kCompilation,      ///< the same, while code is compiled or loaded
  kOptimizer,        ///< the same, inside the optimizer
  kKernelGaps,       ///< short gaps between kernels, close together
  kOtherWait,        ///< a device waits for another stream or device
  kExposedComm,      ///< communication that nothing hides
  kExposedCopy,      ///< copies that nothing hides, pageable ones not counted
  kPageableCopy,     ///< a copy from or to pageable memory
  kLongStep,         ///< the step that is farthest over the median
};
inline constexpr std::size_t kPlaceKinds = 12;
/// host_wait, data_loading, ...
std::string_view place_name(PlaceKind kind);

/// What an interval of a window or of a strip shows.
enum class Shows : std::uint8_t { kComputation, kCommunication, kMemory, kOther, kIdle, kHost };
std::string_view shows_name(Shows shows);

/// A bar on a track. Own clock.
struct Bar {
  Interval time;
  std::uint32_t name = 0;   ///< index in Window::names
  std::uint16_t track = 0;  ///< index in Window::tracks
  Shows shows = Shows::kOther;
};

/// The events around a place.
struct Window {
  Interval time;
  std::vector<std::string> tracks;
  std::vector<std::string> names;
  std::vector<Bar> bars;      ///< by track, then time
  std::int64_t left_out = 0;  ///< events that are too many to draw: the shortest
};

struct Place {
  PlaceKind kind = PlaceKind::kHostWait;
  std::optional<std::int64_t> device;  ///< none: it is about all of the rank
  std::optional<std::int64_t> step;
  Interval time;
  Nanos weight_ns = 0;  ///< the larger the worse
  std::string what;     ///< the event that it is about
  Window window;
};

/// A value over time: what holds from each point on. Own clock.
struct SampledSeries {
  std::int64_t device = -1;
  std::int64_t stream = -1;  ///< of queues
  std::string name;          ///< of copies, memory
  std::vector<std::pair<Nanos, std::int64_t>> points;
};

/// Shares of one slice of the time, in hundredths of a per cent; the rest is idle.
struct ActivityShare {
  std::int32_t compute = 0;
  std::int32_t exposed_comm = 0;
  std::int32_t exposed_memory = 0;
};

struct Partial {
  std::vector<Place> places;
  Interval span;                        ///< of the GPU events
  std::vector<ActivityShare> activity;  ///< slices of the span, all devices together
  std::optional<std::int64_t> step;     ///< of the strip; none: the strip covers the span
  std::vector<std::pair<Interval, Shows>> strip;
  std::vector<SampledSeries> queues;
  std::vector<SampledSeries> copies;  ///< bytes per second
  std::vector<SampledSeries> memory;  ///< allocated, reserved bytes
};

Partial map(const Trace& trace, const Options& options);
Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document);

}  // namespace timeline
}  // namespace hta::analysis
