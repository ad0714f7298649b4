#include "hta/analysis/replay.h"

#include <algorithm>

namespace hta::analysis::critical_path {
namespace {

constexpr Nanos kNever = INT64_MAX;

// When `u`, which starts and ends as given instead of as measured, lets go over this edge. Where a measured time was
// cut (r before the end of u), what follows may move with the end of u, but not to before its start.
Nanos ready(const ReplayGraph::Vertex& u, Nanos start_ns, Nanos end_ns, const ReplayGraph::Edge& edge) {
  const Nanos behind_start_ns = std::min<Nanos>(0, edge.ready_ns - u.start_ns);
  return std::max(end_ns + edge.ready_ns - u.end_ns(), start_ns + behind_start_ns);
}

bool is_hidden(const Changes& changes, std::size_t vertex) {
  return !changes.hidden.empty() && changes.hidden[vertex];
}

enum class HiddenLengths : std::uint8_t { kNone, kOwn };

// Starts of all vertices. With kNone hidden vertices take no time; with kOwn only they are computed, from what `others`
// says of the rest.
void run(const ReplayGraph& graph, const Changes& changes, HiddenLengths lengths, const std::vector<Nanos>& others,
         std::vector<Nanos>& starts) {
  for (std::size_t v = 0; v < graph.vertices.size(); ++v) {
    const ReplayGraph::Vertex& vertex = graph.vertices[v];
    const bool is_end = v + 1 == graph.vertices.size();
    if (lengths == HiddenLengths::kOwn && !is_hidden(changes, v)) {
      starts[v] = others[v];
      continue;
    }
    Nanos bound_ns = INT64_MIN;
    for (const ReplayGraph::Edge& edge : graph.edges_into(v)) {
      if (edge.link == Link::kSync && changes.host_waits == Changes::Waits::kDropped && !is_end) continue;
      const bool takes_time = lengths == HiddenLengths::kOwn || !is_hidden(changes, edge.from);
      const Nanos end_ns = starts[edge.from] + (takes_time ? changes.dur_ns[edge.from] : 0);
      bound_ns = std::max(bound_ns, ready(graph.vertices[edge.from], starts[edge.from], end_ns, edge));
    }
    starts[v] = (bound_ns == INT64_MIN ? vertex.bound_ns : bound_ns) + changes.gap_ns[v];
  }
}

}  // namespace

std::vector<Nanos> slack_of(const ReplayGraph& graph) {
  std::vector<Nanos> slack(graph.vertices.size(), kNever);
  if (!slack.empty()) slack.back() = 0;
  for (std::size_t v = graph.vertices.size(); v-- > 0;) {
    if (slack[v] == kNever) continue;
    for (const ReplayGraph::Edge& edge : graph.edges_into(v)) {
      slack[edge.from] = std::min(slack[edge.from], slack[v] + graph.vertices[v].bound_ns - edge.ready_ns);
    }
  }
  for (std::size_t v = 0; v < slack.size(); ++v) {
    if (slack[v] == kNever) slack[v] = std::max<Nanos>(0, graph.window.end - graph.vertices[v].end_ns());
  }
  return slack;
}

Changes::Changes(const ReplayGraph& graph) {
  dur_ns.reserve(graph.vertices.size());
  gap_ns.reserve(graph.vertices.size());
  for (const ReplayGraph::Vertex& vertex : graph.vertices) {
    dur_ns.push_back(vertex.dur_ns);
    gap_ns.push_back(vertex.gap_ns());
  }
}

std::vector<Nanos> replay(const ReplayGraph& graph, const Changes& changes) {
  std::vector<Nanos> starts(graph.vertices.size());
  run(graph, changes, HiddenLengths::kNone, {}, starts);
  if (changes.hidden.empty()) return starts;
  // Hidden work runs beside the rest and still has to be done by the end.
  std::vector<Nanos> own(starts.size());
  run(graph, changes, HiddenLengths::kOwn, starts, own);
  for (std::size_t v = 0; v + 1 < own.size(); ++v) {
    if (!changes.hidden[v]) continue;
    starts[v] = own[v];
    if (graph.vertices[v].end_ns() <= graph.window.end)
      starts.back() = std::max(starts.back(), own[v] + changes.dur_ns[v]);
  }
  return starts;
}

Nanos replayed_window(const ReplayGraph& graph, const Changes& changes) {
  const std::vector<Nanos> starts = replay(graph, changes);
  return starts.empty() ? 0 : starts.back() - graph.window.begin;
}

}  // namespace hta::analysis::critical_path
