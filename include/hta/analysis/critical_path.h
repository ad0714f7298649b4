#pragma once
// Which chain of events bounds a window of time, on each rank?

#include "hta/analysis/analysis.h"
#include "hta/base/intervals.h"
#include "hta/base/shared_text.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hta::analysis {

extern const AnalysisSpec kCriticalPath;

namespace critical_path {

/// How the walk gets from one event to an earlier one.
enum class Link : std::uint8_t {
  kStart,     ///< not at all: here the walk ends
  kProgram,   ///< order of the program on one thread
  kGap,       ///< over the gap in front of a GPU event
  kLaunch,    ///< the launch call of a GPU event
  kStream,    ///< order of the stream
  kGraph,     ///< another stream of the same launched graph
  kEvent,     ///< a recorded wait for another stream
  kInferred,  ///< a wait for another stream that nothing records
  kSync,      ///< a host call that waited for the GPU
  kThread,    ///< another thread of the process
};
std::string_view link_name(Link link);

/// What a stretch of the path is bound by.
enum class Bound : std::uint8_t {
  kGpuCompute,
  kGpuCommunication,
  kGpuMemory,
  kGpuOther,
  kLaunchOverhead,  ///< from the return of the launch call to the start of the GPU event
  kKernelGap,       ///< between two GPU events of a stream
  kStreamWait,      ///< between an awaited event of another stream and the one that waited
  kCpu,             ///< an operator's own time
  kSyncWait,        ///< a waiting call's own time
  kRuntimeCall,     ///< any other runtime call's own time
  kDataLoading,
  kPythonOrIdle,  ///< neither operators nor runtime calls ran
  kUnexplained,   ///< a GPU event began long after everything it is known to depend on
};
inline constexpr std::size_t kBounds = 13;
std::string_view bound_name(Bound bound);

/// Time of the path that is bound by one thing.
struct BoundTime {
  Nanos time_ns = 0;
  std::int64_t pieces = 0;
};

/// Pieces of the same event name, category and bound.
struct EventTime {
  SharedText event;
  SharedText category;
  Bound bound = Bound::kPythonOrIdle;
  std::int64_t pieces = 0;
  Nanos time_ns = 0;
};

/// One piece of the path. Times on the rank's own clock.
struct PathRow {
  std::optional<SharedText> event;  ///< none: nothing was recorded
  SharedText category;
  Interval event_time;
  Interval time;
  Bound bound = Bound::kPythonOrIdle;
  Link link = Link::kStart;
  std::string track;  ///< "gpu 0/7", "host 1/2", or empty
};

/// How much later events of one name may end before the window does.
struct SlackRow {
  SharedText event;
  SharedText category;
  std::int64_t count = 0;
  Nanos min_slack_ns = 0;
  Nanos sum_ns = 0;
};

/// What the overlay adds to the rank's file, and which records of it a reduced one keeps.
struct OverlayParts {
  std::vector<std::string> tracks;  ///< pieces and arrows
  std::optional<std::vector<std::uint32_t>> keep_positions;
};

struct Partial {
  std::optional<Error> error;  ///< the rank has no such window; the rest is empty then
  std::string window;
  Interval time;  ///< own clock
  std::int64_t pieces = 0;
  std::int64_t events = 0;
  std::int64_t switches = 0;
  std::array<BoundTime, kBounds> bounds{};
  std::vector<EventTime> event_times;
  std::vector<PathRow> path;    ///< if asked for
  std::vector<SlackRow> slack;  ///< if asked for
  std::int64_t dropped_edges = 0;
  OverlayParts overlay;
};

Partial map(const Trace& trace, const Options& options);
Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document);

}  // namespace critical_path
}  // namespace hta::analysis
