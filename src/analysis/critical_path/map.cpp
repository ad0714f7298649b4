// One rank's path to plain values.

#include "hta/analysis/critical_path.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "graph.h"
#include "overlay.h"
#include "path.h"

namespace hta::analysis::critical_path {
namespace {

// Name and folded category of what a piece is about; invalid ids if nothing was recorded.
using EventName = std::pair<StringId, StringId>;
struct EventNameHash {
  std::size_t operator()(const EventName& name) const {
    return std::hash<std::uint64_t>()((std::uint64_t{name.first.value()} << 32) ^ name.second.value());
  }
};
EventName event_name(const Trace& trace, GpuId gpu, HostId host) {
  const auto folded = [&](CategoryId id) { return id.valid() ? trace.category(id).folded : StringId(); };
  if (gpu.valid()) return {trace.gpu.name[gpu], folded(trace.gpu.category[gpu])};
  if (host.valid()) return {trace.host.name[host], folded(trace.host.category[host])};
  return {};
}

SharedText text_or_empty(const Trace& trace, StringId id) {
  return id.valid() ? SharedText(trace.text(id)) : SharedText();
}

void count(const Trace& trace, const std::vector<Piece>& pieces, Partial& out) {
  std::vector<bool> gpu_seen(trace.gpu.size());
  std::vector<bool> host_seen(trace.host.size());
  const auto see = [&](std::vector<bool>& seen, auto event) {
    if (!event.valid() || seen[event.value()]) return;
    seen[event.value()] = true;
    ++out.events;
  };
  std::unordered_map<EventName, std::array<BoundTime, kBounds>, EventNameHash> by_event;
  for (const Piece& piece : pieces) {
    BoundTime& bound = out.bounds[static_cast<std::size_t>(piece.bound)];
    auto& of_event = by_event[event_name(trace, piece.gpu, piece.host)];
    for (BoundTime* into : {&bound, &of_event[static_cast<std::size_t>(piece.bound)]}) {
      into->time_ns += piece.length_ns();
      ++into->pieces;
    }
    see(gpu_seen, piece.gpu);
    see(host_seen, piece.host);
    const bool stays = piece.link == Link::kProgram || piece.link == Link::kGap || piece.link == Link::kStream ||
                       piece.link == Link::kStart;
    if (!stays) ++out.switches;
  }
  out.pieces = static_cast<std::int64_t>(pieces.size());
  for (const auto& [name, bounds] : by_event) {
    for (std::size_t i = 0; i < kBounds; ++i) {
      if (bounds[i].pieces == 0) continue;
      out.event_times.push_back({text_or_empty(trace, name.first), text_or_empty(trace, name.second),
                                 static_cast<Bound>(i), bounds[i].pieces, bounds[i].time_ns});
    }
  }
}

std::string track_of(const Trace& trace, const Piece& piece) {
  if (piece.gpu.valid()) {
    const Stream& on = trace.stream_of(piece.gpu);
    return "gpu " + std::to_string(on.device) + "/" + std::to_string(on.stream);
  }
  if (!piece.thread.valid()) return "";
  const Thread& thread = trace.threads[piece.thread.value()];
  return "host " + trace.track_text(thread.pid) + "/" + trace.track_text(thread.tid);
}

std::vector<PathRow> path_rows(const Trace& trace, const std::vector<Piece>& pieces) {
  std::vector<PathRow> rows;
  rows.reserve(pieces.size());
  for (const Piece& piece : pieces) {
    PathRow& row = rows.emplace_back();
    const auto [name, category] = event_name(trace, piece.gpu, piece.host);
    if (piece.gpu.valid() || piece.host.valid()) row.event = text_or_empty(trace, name);
    row.category = text_or_empty(trace, category);
    if (piece.gpu.valid()) row.event_time = {trace.gpu.start_ns[piece.gpu], trace.gpu.end_ns(piece.gpu)};
    if (piece.host.valid()) row.event_time = {trace.host.start_ns[piece.host], trace.host.end_ns(piece.host)};
    row.time = {piece.begin_ns, piece.end_ns};
    row.bound = piece.bound;
    row.link = piece.link;
    row.track = track_of(trace, piece);
  }
  return rows;
}

// Slack of everything that starts in the window, by name. What the end does not depend on may run until the end.
class SlackTable {
 public:
  SlackTable(const RankPath& path, const ReplayGraph& graph)
      : path_(path), engine_(path.engine()), trace_(engine_.trace()), window_(path.window().time) {
    const std::vector<Nanos> slack = slack_of(graph);
    for (std::size_t v = 0; v + 1 < graph.vertices.size(); ++v) {
      const ReplayGraph::Vertex& vertex = graph.vertices[v];
      if (vertex.gpu.valid()) of_gpu_.emplace_back(vertex.gpu, slack[v]);
      else of_host_.emplace_back(std::pair(vertex.host, vertex.end_ns()), slack[v]);
    }
    std::sort(of_gpu_.begin(), of_gpu_.end());
    std::sort(of_host_.begin(), of_host_.end());
  }

  std::vector<SlackRow> rows() {
    for (const GpuId g : IdRange<GpuId>(trace_.gpu.size())) {
      add(event_name(trace_, g, {}), trace_.gpu.start_ns[g], trace_.gpu.end_ns(g), find(of_gpu_, g));
    }
    for (std::size_t lane = 0; lane < engine_.lanes().all().size(); ++lane) {
      const LaneSegments& segments = engine_.host().segments(LaneId(lane));
      for (const std::uint32_t i : segments.busy) {
        const Segment& segment = segments.all[i];
        if (segment.begin_ns >= window_.end || segment.end_ns < window_.begin) continue;
        add(event_name(trace_, {}, segment.event), work_start(engine_, segment), segment.end_ns,
            find(of_host_, std::pair(segment.event, segment.end_ns)));
      }
    }
    std::vector<SlackRow> out;
    for (const auto& [name, row] : by_name_) {
      out.push_back({text_or_empty(trace_, name.first), text_or_empty(trace_, name.second), row.count, row.min_slack_ns,
                     row.sum_ns});
    }
    return out;
  }

 private:
  template <class Key>
  static std::optional<Nanos> find(const std::vector<std::pair<Key, Nanos>>& sorted, const Key& key) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), std::pair(key, INT64_MIN));
    return at == sorted.end() || at->first != key ? std::nullopt : std::optional(at->second);
  }
  void add(const EventName& name, Nanos start_ns, Nanos end_ns, std::optional<Nanos> slack_ns) {
    if (start_ns < window_.begin || start_ns >= window_.end) return;
    SlackRow& row = by_name_.try_emplace(name, SlackRow{{}, {}, 0, INT64_MAX, 0}).first->second;
    ++row.count;
    row.min_slack_ns = std::min(row.min_slack_ns, slack_ns.value_or(std::max<Nanos>(0, window_.end - end_ns)));
    row.sum_ns += std::min(end_ns, window_.end) - start_ns;
  }

  const RankPath& path_;
  const Engine& engine_;
  const Trace& trace_;
  Interval window_;
  std::vector<std::pair<GpuId, Nanos>> of_gpu_;
  std::vector<std::pair<std::pair<HostId, Nanos>, Nanos>> of_host_;  // (event, end of its segment)
  std::unordered_map<EventName, SlackRow, EventNameHash> by_name_;
};

}  // namespace

Partial map(const Trace& trace, const Options& options) {
  Partial out;
  const auto path = RankPath::find(trace, options);
  if (!path) {
    out.error = path.error();
    return out;
  }
  const RankPath& found = **path;
  out.window = found.window().label;
  out.time = found.window().time;
  count(trace, found.pieces(), out);
  if (options.wants_large("critical_path")) out.path = path_rows(trace, found.pieces());
  if (options.flag("slack") || options.wants_large("critical_path_slack")) {
    const ReplayGraph graph = make_graph(found.engine(), found.window(), Until::kPath);
    out.slack = SlackTable(found, graph).rows();
    out.dropped_edges = graph.dropped_edges;
  }
  if (options.has("overlay"))
    out.overlay = overlay_parts(found, options.flag("only-critical") ? Keep::kCritical : Keep::kAll);
  return out;
}

}  // namespace hta::analysis::critical_path
