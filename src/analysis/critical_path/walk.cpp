#include "walk.h"

#include <algorithm>
#include <array>

namespace hta::analysis::critical_path {
namespace {

class Walk {
 public:
  Walk(const Engine& engine, const Window& window)
      : engine_(engine), begin_ns_(window.time.begin), c_(window.time.end), on_path_(engine.trace().gpu.size()) {}

  std::vector<Piece> run(const Window& window) {
    if (window.done_ns < window.time.end) {  // nothing ran until the window was over
      put({window.done_ns, c_, Bound::kPythonOrIdle, Link::kStart, {}, {}, {}});
      move(Link::kProgram);
    }
    if (window.last_event.valid()) to_event(window.last_event);
    else lane_ = engine_.lanes().of(window.last_thread);
    while (c_ > begin_ns_ && (event_.valid() || lane_.valid())) {
      if (event_.valid()) leave_event();
      else leave_host();
    }
    std::reverse(pieces_.begin(), pieces_.end());
    join();
    if (!pieces_.empty()) pieces_.front().link = Link::kStart;
    return std::move(pieces_);
  }

 private:
  // Adds a piece that ends where the walk stands, cut at the start of the window, and moves there.
  void put(Piece piece) {
    piece.begin_ns = std::max(piece.begin_ns, begin_ns_);
    if (piece.begin_ns >= piece.end_ns) return;
    c_ = piece.begin_ns;
    pieces_.push_back(piece);
  }
  // Zero-length stations leave no piece, so the first move behind a piece is the one that counts.
  void move(Link link) {
    if (!pieces_.empty() && pieces_.back().link == Link::kStart) pieces_.back().link = link;
  }
  void stop() {
    event_ = {};
    lane_ = {};
  }
  void to_event(GpuId event) {
    event_ = event;
    lane_ = {};
    on_path_[event.value()] = true;
  }
  void to_lane(LaneId lane) {
    lane_ = lane;
    event_ = {};
  }

  void leave_event() {
    const GpuId g = event_;
    const Trace& trace = engine_.trace();
    put({trace.gpu.start_ns[g], c_, bound_of(trace, g), Link::kStart, g, {}, {}});
    c_ = std::min(c_, trace.gpu.start_ns[g]);
    engine_.candidates(g, c_, &on_path_, candidates_);
    const Candidate* from = Engine::binding(candidates_);
    if (from == nullptr) {
      put_gap(g, begin_ns_, Bound::kUnexplained);
      return stop();
    }
    const bool to_launch = from->link == Link::kLaunch;
    const Handover station = to_launch ? engine_.launch_station(g, c_) : Handover{{}, from->ready_ns};
    put_gap(g, station.at_ns, bound_of_gap(engine_.settings(), from->link, c_ - station.at_ns));
    move(from->link);
    c_ = std::min(c_, station.at_ns);
    if (to_launch) to_lane(station.lane);
    else to_event(from->event);
  }

  void put_gap(GpuId g, Nanos from_ns, Bound bound) {
    if (std::max(from_ns, begin_ns_) < c_) move(Link::kGap);
    put({from_ns, c_, bound, Link::kStart, g, {}, {}});
  }

  void leave_host() {
    const Segment* segment = engine_.host().before(lane_, c_);
    if (segment == nullptr || !segment->busy) return leave_lull();
    const GpuId g = engine_.awaited_in(*segment, c_);
    if (g.valid() && !on_path_[g.value()]) {
      const Nanos end_ns = std::min(engine_.trace().gpu.end_ns(g), c_);
      put(host_piece(segment, end_ns, c_));
      c_ = std::min(c_, end_ns);
      move(Link::kSync);
      return to_event(g);
    }
    put(host_piece(segment, segment->begin_ns, c_));
    c_ = std::min(c_, segment->begin_ns);
    if (is_busy_before(c_)) move(Link::kProgram);
  }

  bool is_busy_before(Nanos c) const {
    const Segment* segment = engine_.host().before(lane_, c);
    return segment != nullptr && segment->busy;
  }

  void leave_lull() {
    const Segment* last = engine_.host().last_busy(lane_, c_);
    const auto other = engine_.host().handover(lane_, c_);
    const bool hands_over = other && (last == nullptr || other->at_ns > last->end_ns);
    if (!hands_over && last == nullptr) {
      move(Link::kProgram);
      put_lull(begin_ns_);
      return stop();
    }
    if (hands_over) {
      if (other->at_ns < c_) move(Link::kProgram);
      put_lull(other->at_ns);
      c_ = std::min(c_, other->at_ns);
      move(Link::kThread);
      to_lane(other->lane);
    } else {
      move(Link::kProgram);
      put_lull(last->end_ns);
      c_ = std::min(c_, last->end_ns);
      move(Link::kProgram);
    }
  }

  // One piece for each stretch of one innermost frame, or of none.
  void put_lull(Nanos from_ns) {
    from_ns = std::max(from_ns, begin_ns_);
    while (c_ > from_ns) {
      const Segment* segment = engine_.host().before(lane_, c_);
      if (segment != nullptr) {
        put(host_piece(segment, std::max(segment->begin_ns, from_ns), c_));
      } else {
        const Nanos recorded_until_ns = engine_.host().recorded_until(lane_, c_);
        put(host_piece(nullptr, std::max(recorded_until_ns, from_ns), c_));
      }
      if (c_ > from_ns) move(Link::kProgram);
    }
  }

  Piece host_piece(const Segment* segment, Nanos from_ns, Nanos to_ns) const {
    const ThreadId thread = engine_.lanes()[lane_].thread;
    if (segment == nullptr) return {from_ns, to_ns, Bound::kPythonOrIdle, Link::kStart, {}, {}, thread};
    return {from_ns, to_ns, bound_of(engine_, *segment), Link::kStart, {}, segment->event, thread};
  }

  void join() {
    std::size_t kept = 0;
    for (const Piece& piece : pieces_) {
      if (kept > 0) {
        Piece& before = pieces_[kept - 1];
        const bool same = before.bound == piece.bound && before.gpu == piece.gpu && before.host == piece.host &&
                          before.thread == piece.thread && before.end_ns == piece.begin_ns;
        if (same) {
          before.end_ns = piece.end_ns;
          continue;
        }
      }
      pieces_[kept++] = piece;
    }
    pieces_.resize(kept);
  }

  const Engine& engine_;
  Nanos begin_ns_;
  Nanos c_;      // the cursor never grows
  GpuId event_;  // where the walk stands: on a GPU event,
  LaneId lane_;  // or on a thread
  OnPath on_path_;
  std::vector<Piece> pieces_;  // latest first
  std::vector<Candidate> candidates_;
};

}  // namespace

std::string_view bound_name(Bound bound) {
  constexpr std::array<std::string_view, kBounds> kNames{"gpu_compute_bound", "gpu_communication_bound",
                                                         "gpu_memory_bound",  "gpu_other_bound",
                                                         "launch_overhead",   "kernel_gap",
                                                         "stream_wait",       "cpu_bound",
                                                         "sync_wait",         "runtime_call",
                                                         "data_loading",      "python_or_idle",
                                                         "unexplained"};
  return kNames[static_cast<std::size_t>(bound)];
}

bool is_gpu_gap(Bound bound, GpuId event) {
  return event.valid() && (bound == Bound::kLaunchOverhead || bound == Bound::kKernelGap ||
                           bound == Bound::kStreamWait || bound == Bound::kUnexplained);
}

std::vector<Piece> walk(const Engine& engine, const Window& window) {
  return Walk(engine, window).run(window);
}

Bound bound_of(const Trace& trace, GpuId event) {
  switch (trace.gpu.type[event]) {
    case KernelType::kComputation: return Bound::kGpuCompute;
    case KernelType::kCommunication: return Bound::kGpuCommunication;
    case KernelType::kMemory: return Bound::kGpuMemory;
    case KernelType::kOther: break;
  }
  return Bound::kGpuOther;
}

Bound bound_of(const Engine& engine, const Segment& segment) {
  if (segment.loading) return Bound::kDataLoading;
  if (!segment.busy) return Bound::kPythonOrIdle;
  const LaunchId call = engine.host().launch_of(segment.event);
  if (!call.valid()) return Bound::kCpu;
  const bool copy_waits = engine.waits().kind(call) == WaitKind::kCopy && engine.waits().awaited(call).valid();
  const bool waits = copy_waits || engine.names().is_synchronize(engine.trace().launches.name[call]);
  return waits ? Bound::kSyncWait : Bound::kRuntimeCall;
}

Bound bound_of_gap(const Settings& settings, Link link, Nanos length_ns) {
  const bool launch = link == Link::kLaunch;
  if (length_ns > (launch ? settings.launch_gap_ns : settings.kernel_gap_ns)) return Bound::kUnexplained;
  if (launch) return Bound::kLaunchOverhead;
  return link == Link::kEvent || link == Link::kInferred ? Bound::kStreamWait : Bound::kKernelGap;
}

}  // namespace hta::analysis::critical_path
