#include "overlay.h"

#include "hta/base/text.h"

#include <algorithm>

namespace hta::analysis::critical_path {
namespace {

constexpr std::string_view kTrack = R"("pid":"hta critical path","tid":0)";
constexpr int kTimeDecimals = 3;

std::string micros(Nanos time_ns) {
  return fixed_point(time_ns, kTimeDecimals);
}

std::string id_json(const Trace& trace, const TrackName& name) {
  return name.text.valid() ? json_quoted(trace.text(name.text)) : std::to_string(name.number);
}

std::string track_json(const Trace& trace, ThreadId thread) {
  const Thread& on = trace.threads[thread.value()];
  return "\"pid\":" + id_json(trace, on.pid) + ",\"tid\":" + id_json(trace, on.tid);
}

// GPU time or work, as opposed to gaps and lulls.
bool is_station(const Engine& engine, const Piece& piece) {
  if (piece.gpu.valid()) return !is_gpu_gap(piece.bound, piece.gpu);
  return piece.host.valid() && engine.lanes().class_of(piece.host) == HostClass::kWork;
}

// Where the event of a station is drawn in the file.
ThreadId thread_of(const Trace& trace, const Piece& station) {
  return station.gpu.valid() ? trace.gpu.thread[station.gpu] : station.thread;
}

std::string slice(const Engine& engine, const Piece& piece, std::size_t order) {
  const Trace& trace = engine.trace();
  std::string_view name = bound_name(piece.bound);
  if (is_station(engine, piece)) name = piece.gpu.valid() ? trace.name(piece.gpu) : trace.name(piece.host);
  return R"({"ph":"X","cat":"hta_critical_path","name":)" + json_quoted(name) + "," + std::string(kTrack) +
         R"(,"ts":)" + micros(piece.begin_ns) + R"(,"dur":)" + micros(piece.length_ns()) + R"(,"args":{"order":)" +
         std::to_string(order) + R"(,"bound_by":")" + std::string(bound_name(piece.bound)) + R"(","link":")" +
         std::string(link_name(piece.link)) + "\"}}";
}

// The two ends of an arrow; both lie inside the slices that they connect, so that viewers bind them.
void add_arrow(const Trace& trace, const Piece& from, const Piece& to, std::size_t order,
               std::vector<std::string>& out) {
  const std::string id = std::to_string(order);
  const std::string head = R"(","cat":"hta_critical_path","name":"hta_critical_path","id":)" + id + ",";
  const Nanos from_ns = std::max(from.begin_ns, from.end_ns - 1);
  out.push_back(R"({"ph":"s)" + head + track_json(trace, thread_of(trace, from)) + R"(,"ts":)" + micros(from_ns) + "}");
  out.push_back(R"({"ph":"f)" + head + track_json(trace, thread_of(trace, to)) + R"(,"ts":)" + micros(to.begin_ns) +
                R"(,"bp":"e"})");
}

bool same_track(const Trace& trace, const Piece& a, const Piece& b) {
  if (a.gpu.valid() && b.gpu.valid()) return trace.gpu.stream[a.gpu] == trace.gpu.stream[b.gpu];
  return !a.gpu.valid() && !b.gpu.valid() && a.thread == b.thread;
}

std::vector<std::uint32_t> critical_positions(const Trace& trace, const std::vector<Piece>& pieces) {
  std::vector<std::uint32_t> positions;
  for (const Piece& piece : pieces) {
    if (piece.gpu.valid()) positions.push_back(trace.gpu.position[piece.gpu]);
    if (piece.host.valid()) positions.push_back(trace.host.position[piece.host]);
  }
  for (const StepEvent& step : trace.step_events) positions.push_back(step.position);
  for (const Annotation& annotation : trace.annotations) positions.push_back(annotation.position);
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

}  // namespace

OverlayParts overlay_parts(const RankPath& path, Keep keep) {
  const Engine& engine = path.engine();
  const Trace& trace = engine.trace();
  OverlayParts out;
  const Piece* before = nullptr;  // the last station
  for (std::size_t i = 0; i < path.pieces().size(); ++i) {
    const Piece& piece = path.pieces()[i];
    out.tracks.push_back(slice(engine, piece, i + 1));
    if (!is_station(engine, piece)) continue;
    if (before != nullptr && !same_track(trace, *before, piece)) add_arrow(trace, *before, piece, i + 1, out.tracks);
    before = &piece;
  }
  if (keep == Keep::kCritical) out.keep_positions = critical_positions(trace, path.pieces());
  return out;
}

std::vector<std::string> overlay_track(const RankContext& context) {
  const std::string name = "critical path of rank " + std::to_string(context.rank.rank());
  const std::string head = R"({"ph":"M",)" + std::string(kTrack);
  return {head + R"(,"name":"process_name","args":{"name":)" + json_quoted(name) + "}}",
          head + R"(,"name":"process_sort_index","args":{"sort_index":-1}})"};
}

}  // namespace hta::analysis::critical_path
