#include "graph.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "path.h"

namespace hta::analysis::critical_path {
namespace {

constexpr std::uint32_t kNone = 0xffffffffu;

// Searches backwards from the end of the window. A vertex is finished when everything before it is, which gives the
// order.
class GraphBuilder {
 public:
  GraphBuilder(const Engine& engine, const Window& window, Until until)
      : engine_(engine),
        window_(window),
        until_(until),
        vertex_of_gpu_(engine.trace().gpu.size(), kNone),
        vertex_of_segment_(engine.host().segments(), kNone) {}

  ReplayGraph build() {
    const std::uint32_t end = make({.start_ns = window_.time.end}, {}, nullptr);
    open(end);
    while (!stack_.empty()) {
      Frame& top = stack_.back();
      if (top.next_edge == top.last_edge) {
        found_[top.vertex].state = State::kDone;
        order_.push_back(top.vertex);
        stack_.pop_back();
        continue;
      }
      ReplayGraph::Edge& edge = edges_[top.next_edge++];
      switch (found_[edge.from].state) {
        case State::kNew: open(edge.from); break;
        case State::kOpen:  // leads back to where it came from
          edge.from = kNone;
          ++graph_.dropped_edges;
          break;
        case State::kDone: break;
      }
    }
    return renumbered();
  }

 private:
  enum class State : std::uint8_t { kNew, kOpen, kDone };
  struct Found {
    ReplayGraph::Vertex vertex;
    LaneId lane;
    const Segment* segment;
    std::uint32_t first_edge = 0;
    std::uint32_t last_edge = 0;
    State state = State::kNew;
  };
  struct Frame {
    std::uint32_t vertex;
    std::uint32_t next_edge;
    std::uint32_t last_edge;
  };
  struct Station {
    LaneId lane;
    const Segment* segment;
  };

  std::uint32_t make(const ReplayGraph::Vertex& vertex, LaneId lane, const Segment* segment) {
    found_.push_back({vertex, lane, segment});
    return static_cast<std::uint32_t>(found_.size() - 1);
  }
  std::uint32_t vertex_of(GpuId g) {
    std::uint32_t& id = vertex_of_gpu_[g.value()];
    const GpuEvents& gpu = engine_.trace().gpu;
    if (id == kNone) id = make({.start_ns = gpu.start_ns[g], .dur_ns = gpu.dur_ns[g], .gpu = g}, {}, nullptr);
    return id;
  }
  std::uint32_t vertex_of(const Station& at) {
    const Lane& lane = engine_.host().lane(at.lane);
    std::uint32_t& id =
        vertex_of_segment_[lane.first_segment + static_cast<std::size_t>(at.segment - lane.segments.data())];
    if (id == kNone) {
      const Nanos start_ns = work_start(engine_, *at.segment);
      id = make({.start_ns = start_ns, .dur_ns = at.segment->end_ns - start_ns, .host = at.segment->event}, at.lane,
                at.segment);
    }
    return id;
  }

  void open(std::uint32_t vertex) {
    const auto first = static_cast<std::uint32_t>(edges_.size());
    const Found found = found_[vertex];  // a copy: making further vertices moves them
    if (vertex == 0) add_edges_into_end();
    else if (found.vertex.start_ns > window_.time.begin) {
      if (found.vertex.gpu.valid()) add_edges_into(found.vertex.gpu);
      else add_edges_into({found.lane, found.segment}, found.vertex.start_ns);
    }
    found_[vertex].first_edge = first;
    found_[vertex].last_edge = static_cast<std::uint32_t>(edges_.size());
    found_[vertex].state = State::kOpen;
    stack_.push_back({vertex, first, found_[vertex].last_edge});
  }

  void add(std::uint32_t from, Link link, Nanos ready_ns) { edges_.push_back({from, link, ready_ns}); }
  void add(const std::optional<Station>& from, Link link, Nanos ready_ns) {
    if (from) add(vertex_of(*from), link, ready_ns);
  }

  void add_edges_into(GpuId g) {
    engine_.candidates(g, engine_.trace().gpu.start_ns[g], nullptr, candidates_);
    for (const Candidate& each : candidates_) {
      if (each.link == Link::kLaunch) {
        const LaunchId call = engine_.trace().gpu.launch[g];
        add(station(engine_.host().lane_of(engine_.trace().launches.thread[call]), each.ready_ns), each.link,
            each.ready_ns);
      } else {
        add(vertex_of(each.event), each.link, each.ready_ns);
      }
    }
  }

  void add_edges_into(const Station& at, Nanos start_ns) {
    const Segment* before = engine_.host().before(at.lane, at.segment->begin_ns);
    if (before != nullptr && before->busy) {
      add(vertex_of(Station{at.lane, before}), Link::kProgram, before->end_ns);
    } else {
      // A call that waits began when the lull was over: what ended before the lull held it up until then.
      add_lull_edges(at.lane, at.segment->begin_ns, start_ns > at.segment->begin_ns ? Lull::kInReady : Lull::kInGap);
    }
    if (const GpuId g = engine_.awaited_in(*at.segment, at.segment->end_ns); g.valid()) {
      add(vertex_of(g), Link::kSync, std::min(engine_.trace().gpu.end_ns(g), at.segment->end_ns));
    }
  }

  // Whether the length of a lull is counted to the ready times in front of it, or is left to the gap behind them.
  enum class Lull : std::uint8_t { kInReady, kInGap };
  void add_lull_edges(LaneId lane, Nanos c, Lull lull) {
    const Segment* last = engine_.host().last_busy(lane, c);
    const auto other = engine_.host().handover(lane, c);
    Nanos until_ns = INT64_MIN;
    if (last != nullptr) until_ns = last->end_ns;
    if (other) until_ns = std::max(until_ns, other->at_ns);
    const Nanos length_ns = lull == Lull::kInReady && until_ns != INT64_MIN ? c - until_ns : 0;
    if (last != nullptr) add(vertex_of(Station{lane, last}), Link::kProgram, last->end_ns + length_ns);
    if (other) add(station(other->lane, other->at_ns), Link::kThread, other->at_ns + length_ns);
  }

  void add_edges_into_end() {
    if (window_.last_event.valid()) {
      add(vertex_of(window_.last_event), Link::kStream, window_.done_ns);
    } else if (const LaneId lane = engine_.host().lane_of(window_.last_thread); lane.valid()) {
      const Segment* segment = engine_.host().before(lane, window_.done_ns);
      if (segment != nullptr && segment->busy) add(station(lane, window_.done_ns), Link::kProgram, window_.done_ns);
      else add_lull_edges(lane, window_.done_ns, Lull::kInGap);
    }
    if (until_ == Until::kIdle) add_drain();
  }

  // The last event of each stream that was done when the window was.
  void add_drain() {
    const Trace& trace = engine_.trace();
    std::vector<GpuEnd> last(trace.streams.size());
    for (const GpuId g : IdRange<GpuId>(trace.gpu.size())) {
      const GpuEnd self{trace.gpu.end_ns(g), g};
      if (self.end_ns <= window_.time.begin || self.end_ns > window_.done_ns) continue;
      GpuEnd& best = last[trace.gpu.stream[g].value()];
      if (!best.event.valid() || best < self) best = self;
    }
    for (const GpuEnd& end : last) {
      if (end.event.valid()) add(vertex_of(end.event), Link::kSync, end.end_ns);
    }
  }

  // The busy segment on which the walk goes on from `c` on `lane`, or none.
  std::optional<Station> station(LaneId lane, Nanos c) const {
    const HostTimeline& host = engine_.host();
    while (true) {
      const Segment* segment = host.before(lane, c);
      if (segment != nullptr && segment->busy) {
        if (c >= work_start(engine_, *segment)) return Station{lane, segment};
        c = segment->begin_ns;  // inside the wait: what had led to the call
        continue;
      }
      const Segment* last = host.last_busy(lane, c);
      const auto other = host.handover(lane, c);
      if (other && (last == nullptr || other->at_ns > last->end_ns)) {
        lane = other->lane;
        c = other->at_ns;
      } else if (last != nullptr) {
        c = last->end_ns;
      } else {
        return std::nullopt;
      }
    }
  }

  ReplayGraph renumbered() {
    std::vector<std::uint32_t> number(found_.size(), kNone);
    for (std::size_t i = 0; i < order_.size(); ++i) number[order_[i]] = static_cast<std::uint32_t>(i);
    graph_.window = window_.time;
    graph_.vertices.reserve(order_.size());
    graph_.edges.reserve(edges_.size());
    for (const std::uint32_t id : order_) {
      const Found& found = found_[id];
      ReplayGraph::Vertex vertex = found.vertex;
      vertex.first_edge = static_cast<std::uint32_t>(graph_.edges.size());
      vertex.bound_ns = vertex.start_ns;
      for (std::uint32_t e = found.first_edge; e < found.last_edge; ++e) {
        ReplayGraph::Edge edge = edges_[e];
        if (edge.from == kNone) continue;
        edge.from = number[edge.from];
        if (vertex.bound_by == Link::kStart || edge.ready_ns > vertex.bound_ns) {
          vertex.bound_ns = edge.ready_ns;
          vertex.bound_by = edge.link;
        }
        graph_.edges.push_back(edge);
      }
      graph_.vertices.push_back(vertex);
    }
    return std::move(graph_);
  }

  const Engine& engine_;
  const Window& window_;
  Until until_;
  std::vector<std::uint32_t> vertex_of_gpu_;
  std::vector<std::uint32_t> vertex_of_segment_;
  std::vector<Found> found_;
  std::vector<ReplayGraph::Edge> edges_;
  std::vector<Frame> stack_;
  std::vector<std::uint32_t> order_;
  std::vector<Candidate> candidates_;
  ReplayGraph graph_;
};

}  // namespace

ReplayGraph make_graph(const Engine& engine, const Window& window, Until until) {
  return GraphBuilder(engine, window, until).build();
}

Result<ReplayGraph> replay_graph(const Trace& trace, const Options& options, Until until) {
  const auto path = RankPath::find(trace, options);
  if (!path) return path.error();
  return make_graph((*path)->engine(), (*path)->window(), until);
}

Nanos work_start(const Engine& engine, const Segment& segment) {
  const GpuId g = engine.awaited_in(segment, segment.end_ns);
  return g.valid() ? std::min(engine.trace().gpu.end_ns(g), segment.end_ns) : segment.begin_ns;
}

}  // namespace hta::analysis::critical_path
