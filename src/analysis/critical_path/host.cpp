#include "host.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace hta::analysis::critical_path {
namespace {

bool is_busy_before(const Segment* segment) {
  return segment != nullptr && segment->busy;
}

// Cuts one thread into segments while its events come in event order.
class Cutter {
 public:
  explicit Cutter(Lane& lane) : lane_(lane) {}

  void add(HostId event, Nanos start_ns, Nanos end_ns, HostClass what, bool loads) {
    if (end_ns == start_ns) return;  // owns no time
    close_until(start_ns);
    if (!open_.empty()) emit(open_.back(), start_ns);
    at_ns_ = start_ns;
    open_.push_back({end_ns, event, what == HostClass::kWork});
    if (loads) loading_until_ns_ = std::max(loading_until_ns_, end_ns);
  }
  void finish() { close_until(INT64_MAX); }

 private:
  struct Open {
    Nanos end_ns;
    HostId event;
    bool work;
  };
  // An event below the top may end first; it is dropped when it comes to light, and then owns no more time.
  void close_until(Nanos time_ns) {
    while (!open_.empty() && open_.back().end_ns <= time_ns) {
      emit(open_.back(), open_.back().end_ns);
      open_.pop_back();
    }
  }
  void emit(const Open& inner, Nanos until_ns) {
    if (until_ns <= at_ns_) return;
    if (inner.work) lane_.busy.push_back(static_cast<std::uint32_t>(lane_.segments.size()));
    lane_.segments.push_back({at_ns_, until_ns, inner.event, inner.work, loading_until_ns_ > at_ns_});
    at_ns_ = until_ns;
  }

  Lane& lane_;
  std::vector<Open> open_;
  Nanos at_ns_ = INT64_MIN;
  Nanos loading_until_ns_ = INT64_MIN;
};

}  // namespace

/// What decides whether a thread is active, and which one is the main thread.
struct HostTimeline::ThreadFacts {
  std::uint64_t work = 0;
  std::uint64_t top_level = 0;  // outermost work, without the backward pass
  HostId first_work;
  Nanos work_until_ns = INT64_MIN;
  bool helps = false;  // launches GPU work, or runs the backward pass

  bool is_more_main_than(const ThreadFacts& other) const {
    if (top_level != other.top_level) return top_level > other.top_level;
    if (work != other.work) return work > other.work;
    return first_work < other.first_work;
  }
};

HostTimeline::HostTimeline(const Trace& trace, const NameTraits& names, ThreadId chosen)
    : trace_(trace), names_(names) {
  launch_of_.resize(trace.host.size());
  for (const LaunchId call : IdRange<LaunchId>(trace.launches.size())) {
    if (const HostId event = trace.launches.host[call]; event.valid()) launch_of_[event] = call;
  }
  choose_lanes(gather_facts(), chosen);
  cut_segments();
}

HostClass HostTimeline::class_of(HostId event) const {
  const CategoryId category = trace_.host.category[event];
  if (!category.valid()) return HostClass::kFrame;
  switch (trace_.category(category).kind) {
    case CategoryKind::kOverhead:
    case CategoryKind::kProfilerRange: return HostClass::kIgnored;
    case CategoryKind::kLaunch:
    case CategoryKind::kOperator: return names_.is_step(trace_.host.name[event]) ? HostClass::kFrame : HostClass::kWork;
    default: return HostClass::kFrame;
  }
}

std::vector<HostTimeline::ThreadFacts> HostTimeline::gather_facts() const {
  std::vector<ThreadFacts> facts(trace_.threads.size());
  const HostEvents& host = trace_.host;
  for (const HostId i : IdRange<HostId>(host.size())) {
    if (class_of(i) != HostClass::kWork) continue;
    ThreadFacts& thread = facts[host.thread[i].value()];
    const bool backward = names_.is_autograd(host.name[i]);
    ++thread.work;
    if (!thread.first_work.valid()) thread.first_work = i;
    if (backward) thread.helps = true;
    else if (thread.work_until_ns <= host.start_ns[i]) ++thread.top_level;
    thread.work_until_ns = std::max(thread.work_until_ns, host.end_ns(i));
  }
  const LaunchCalls& calls = trace_.launches;
  for (const LaunchId call : IdRange<LaunchId>(calls.size())) {
    if (!calls.gpu_events(call).empty()) facts[calls.thread[call].value()].helps = true;
  }
  std::unordered_map<std::int64_t, ThreadId> arrow_starts;
  for (const FlowPoint& point : trace_.flows) {
    if (point.phase == 's') arrow_starts.try_emplace(point.id, point.thread);
  }
  for (const FlowPoint& point : trace_.flows) {
    if (point.phase != 'f') continue;
    const auto start = arrow_starts.find(point.id);
    if (start != arrow_starts.end() && start->second != point.thread) facts[point.thread.value()].helps = true;
  }
  return facts;
}

void HostTimeline::choose_lanes(const std::vector<ThreadFacts>& facts, ThreadId chosen) {
  std::map<TrackName, std::uint32_t> process_of;
  std::vector<ThreadId> mains;  // by process
  std::vector<std::uint32_t> process(facts.size());
  for (std::size_t t = 0; t < facts.size(); ++t) {
    const auto [at, fresh] = process_of.try_emplace(trace_.threads[t].pid, static_cast<std::uint32_t>(mains.size()));
    if (fresh) mains.emplace_back();
    process[t] = at->second;
  }
  if (chosen.valid()) mains[process[chosen.value()]] = chosen;
  for (const StepEvent& step : trace_.step_events) {
    ThreadId& main = mains[process[step.thread.value()]];
    if (!main.valid()) main = step.thread;
  }
  std::vector<ThreadId> busiest(mains.size());
  for (std::size_t t = 0; t < facts.size(); ++t) {
    ThreadId& best = busiest[process[t]];
    if (facts[t].work > 0 && (!best.valid() || facts[t].is_more_main_than(facts[best.value()]))) best = ThreadId(t);
  }
  for (std::size_t p = 0; p < mains.size(); ++p) {
    if (!mains[p].valid()) mains[p] = busiest[p];
  }

  processes_.resize(mains.size());
  lane_of_.resize(facts.size());
  for (std::size_t t = 0; t < facts.size(); ++t) {
    const bool is_main = mains[process[t]] == ThreadId(t);
    if (!is_main && !facts[t].helps) continue;
    const LaneId id(lanes_.size());
    lane_of_[t] = id;
    Lane& lane = lanes_.emplace_back();
    lane.thread = ThreadId(t);
    lane.role = is_main ? Role::kMain : Role::kHelper;
    lane.process = process[t];
    if (is_main) processes_[process[t]].main = id;
    else processes_[process[t]].helpers.push_back(id);
  }
  for (Process& each : processes_) {
    std::sort(each.helpers.begin(), each.helpers.end(), [&](LaneId a, LaneId b) {
      return facts[lane(a).thread.value()].first_work < facts[lane(b).thread.value()].first_work;
    });
  }
}

void HostTimeline::cut_segments() {
  std::vector<Cutter> cutters;
  cutters.reserve(lanes_.size());
  for (Lane& lane : lanes_) cutters.emplace_back(lane);
  const HostEvents& host = trace_.host;
  for (const HostId i : IdRange<HostId>(host.size())) {
    const LaneId lane = lane_of_[host.thread[i].value()];
    if (!lane.valid()) continue;
    const HostClass what = class_of(i);
    if (what == HostClass::kIgnored) continue;
    const bool python = host.category[i].valid() && trace_.category(host.category[i]).kind == CategoryKind::kPython;
    const bool loads = names_.is_loader(host.name[i]) || (python && names_.is_loader_file(host.name[i]));
    cutters[lane.value()].add(i, host.start_ns[i], host.end_ns(i), what, loads);
  }
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    cutters[i].finish();
    lanes_[i].first_segment = static_cast<std::uint32_t>(segments_);
    segments_ += lanes_[i].segments.size();
  }
}

const Segment* HostTimeline::before(LaneId id, Nanos c) const {
  const auto& segments = lane(id).segments;
  const auto next =
      std::partition_point(segments.begin(), segments.end(), [&](const Segment& s) { return s.begin_ns < c; });
  if (next == segments.begin() || std::prev(next)->end_ns < c) return nullptr;
  return &*std::prev(next);
}

const Segment* HostTimeline::last_busy(LaneId id, Nanos c) const {
  const Lane& on = lane(id);
  const auto next =
      std::partition_point(on.busy.begin(), on.busy.end(), [&](std::uint32_t i) { return on.segments[i].end_ns <= c; });
  return next == on.busy.begin() ? nullptr : &on.segments[*std::prev(next)];
}

Nanos HostTimeline::recorded_until(LaneId id, Nanos c) const {
  const auto& segments = lane(id).segments;
  const auto next =
      std::partition_point(segments.begin(), segments.end(), [&](const Segment& s) { return s.end_ns <= c; });
  return next == segments.begin() ? INT64_MIN : std::prev(next)->end_ns;
}

std::optional<Handover> HostTimeline::handover(LaneId id, Nanos c) const {
  const Process& process = processes_[lane(id).process];
  if (lane(id).role == Role::kHelper) {
    if (!process.main.valid()) return std::nullopt;
    if (is_busy_before(before(process.main, c))) return Handover{process.main, c};
    const Segment* last = last_busy(process.main, c);
    return last == nullptr ? std::nullopt : std::optional(Handover{process.main, last->end_ns});
  }
  std::optional<Handover> latest;
  for (const LaneId helper : process.helpers) {
    const Segment* last = last_busy(helper, c);
    if (last == nullptr || is_busy_before(before(helper, c))) continue;
    if (!latest || last->end_ns > latest->at_ns) latest = Handover{helper, last->end_ns};
  }
  return latest;
}

}  // namespace hta::analysis::critical_path
