#pragma once
// The window of a critical path as a graph that can be run again with other lengths.

#include "hta/analysis/critical_path.h"
#include "hta/base/ids.h"
#include "hta/base/intervals.h"

#include <cstdint>
#include <span>
#include <vector>

namespace hta::analysis::critical_path {

/// Vertices in an order in which every edge points forward; the last one is the end of the window.
///
/// A vertex is a GPU event, a stretch of an active thread with one operator or runtime call innermost (its wait for the
/// GPU cut off), or the end. Only what the end depends on is there. An edge u -> v with a ready time r says that v
/// could not start before r, because of u.
struct ReplayGraph {
  struct Vertex {
    Nanos start_ns = 0;
    Nanos dur_ns = 0;
    Nanos bound_ns = 0;            ///< greatest ready time of the edges; the start if there are none
    Link bound_by = Link::kStart;  ///< kind of that edge; kStart if there are none
    GpuId gpu{};
    HostId host{};
    std::uint32_t first_edge = 0;
    Nanos end_ns() const { return start_ns + dur_ns; }
    Nanos gap_ns() const { return start_ns - bound_ns; }
  };
  struct Edge {
    std::uint32_t from = 0;
    Link link = Link::kProgram;
    Nanos ready_ns = 0;
  };
  Interval window;
  std::vector<Vertex> vertices;
  std::vector<Edge> edges;
  std::int64_t dropped_edges = 0;  ///< they would have closed a cycle: clocks disagree by more than the slack

  std::span<const Edge> edges_into(std::size_t vertex) const {
    const std::size_t first = vertices[vertex].first_edge;
    const std::size_t last = vertex + 1 < vertices.size() ? vertices[vertex + 1].first_edge : edges.size();
    return std::span(edges).subspan(first, last - first);
  }
};

/// What the end of the window depends on.
enum class Until : std::uint8_t {
  kPath,  ///< what the walk starts from
  kIdle,  ///< that, and all GPU work that was done by then: for changes that let the host run ahead
};

/// The graph of the window that the options of critical-path choose; kInsufficient if there is none. O(n log n).
Result<ReplayGraph> replay_graph(const Trace& trace, const Options& options, Until until);

/// How much later each vertex may end before the window's end moves. O(edges).
std::vector<Nanos> slack_of(const ReplayGraph& graph);

/// What a scenario changes. Lengths by vertex.
struct Changes {
  enum class Waits : std::uint8_t { kKept, kDropped };
  std::vector<Nanos> dur_ns;
  std::vector<Nanos> gap_ns;        ///< in front of the vertex, behind what bound it
  Waits host_waits = Waits::kKept;  ///< of host calls for the GPU
  std::vector<bool> hidden;         ///< vertices that hold up only each other and the end; empty: none

  /// Everything as measured.
  explicit Changes(const ReplayGraph& graph);
};

/// When each vertex starts with these changes; nothing changed gives back the measured starts to the nanosecond.
/// Shorter lengths never give later starts. O(edges).
std::vector<Nanos> replay(const ReplayGraph& graph, const Changes& changes);
/// The length of the window with these changes.
Nanos replayed_window(const ReplayGraph& graph, const Changes& changes);

}  // namespace hta::analysis::critical_path
