#include "host.h"

#include <algorithm>

namespace hta::analysis::critical_path {
namespace {

bool is_busy_before(const Segment* segment) {
  return segment != nullptr && segment->busy;
}

// Cuts one thread into segments while its events come in event order. What ends before the window leaves no segment,
// but for the last busy one: the question who was last at work may go back that far, and no further.
class Cutter {
 public:
  Cutter(LaneSegments& into, Nanos from_ns) : into_(into), from_ns_(from_ns) {}

  void add(HostId event, Nanos start_ns, Nanos end_ns, HostClass what, bool loads) {
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
    if (until_ns <= from_ns_) {
      if (inner.work) replace_last(inner, until_ns);
    } else {
      push(inner, until_ns);
    }
    at_ns_ = until_ns;
  }
  void replace_last(const Open& inner, Nanos until_ns) {
    into_.all.clear();
    into_.busy.clear();
    push(inner, until_ns);
  }
  void push(const Open& inner, Nanos until_ns) {
    if (inner.work) into_.busy.push_back(static_cast<std::uint32_t>(into_.all.size()));
    into_.all.push_back({at_ns_, until_ns, inner.event, inner.work, loading_until_ns_ > at_ns_});
  }

  LaneSegments& into_;
  Nanos from_ns_;
  std::vector<Open> open_;
  Nanos at_ns_ = INT64_MIN;
  Nanos loading_until_ns_ = INT64_MIN;
};

}  // namespace

HostTimeline::HostTimeline(const Trace& trace, const NameTraits& names, const Lanes& lanes, Interval window)
    : trace_(trace), lanes_(lanes) {
  cut(names, window);
}

void HostTimeline::cut(const NameTraits& names, Interval window) {
  segments_.resize(lanes_.all().size());
  std::vector<Cutter> cutters;
  cutters.reserve(segments_.size());
  for (LaneSegments& segments : segments_) cutters.emplace_back(segments, window.begin);
  std::vector<bool> is_python;
  for (const Category& category : trace_.categories) is_python.push_back(category.kind == CategoryKind::kPython);
  const HostEvents& host = trace_.host;
  std::vector<bool> done(segments_.size());  // by lane
  std::size_t left = segments_.size();
  for (const HostId i : IdRange<HostId>(host.size())) {
    if (left == 0) break;
    const LaneId lane = lanes_.of(host.thread[i]);
    if (!lane.valid() || done[lane.value()]) continue;
    const HostClass what = lanes_.class_of(i);
    if (what == HostClass::kIgnored || host.dur_ns[i] == 0) continue;  // such an event owns no time
    if (host.start_ns[i] >= window.end) {  // still ends the last segment that reaches into the window
      done[lane.value()] = true;
      --left;
    }
    const bool python = host.category[i].valid() && is_python[host.category[i].value()];
    const bool loads = names.is_loader(host.name[i]) || (python && names.is_loader_file(host.name[i]));
    cutters[lane.value()].add(i, host.start_ns[i], host.end_ns(i), what, loads);
  }
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    cutters[i].finish();
    segments_[i].first = static_cast<std::uint32_t>(segment_count_);
    segment_count_ += segments_[i].all.size();
  }
}

LaunchId HostTimeline::launch_of(HostId event) const {
  const CategoryId category = trace_.host.category[event];
  if (!category.valid() || trace_.category(category).kind != CategoryKind::kLaunch) return {};
  const Column<LaunchId, HostId>& rows = trace_.launches.host;  // both tables are in event order
  const auto at = std::lower_bound(rows.begin(), rows.end(), event);
  return at == rows.end() || *at != event ? LaunchId() : LaunchId(static_cast<std::size_t>(at - rows.begin()));
}

const Segment* HostTimeline::before(LaneId id, Nanos c) const {
  const auto& segments = segments_[id.value()].all;
  const auto next =
      std::partition_point(segments.begin(), segments.end(), [&](const Segment& s) { return s.begin_ns < c; });
  if (next == segments.begin() || std::prev(next)->end_ns < c) return nullptr;
  return &*std::prev(next);
}

const Segment* HostTimeline::last_busy(LaneId id, Nanos c) const {
  const LaneSegments& on = segments_[id.value()];
  const auto next =
      std::partition_point(on.busy.begin(), on.busy.end(), [&](std::uint32_t i) { return on.all[i].end_ns <= c; });
  return next == on.busy.begin() ? nullptr : &on.all[*std::prev(next)];
}

Nanos HostTimeline::recorded_until(LaneId id, Nanos c) const {
  const auto& segments = segments_[id.value()].all;
  const auto next =
      std::partition_point(segments.begin(), segments.end(), [&](const Segment& s) { return s.end_ns <= c; });
  return next == segments.begin() ? INT64_MIN : std::prev(next)->end_ns;
}

std::optional<Handover> HostTimeline::handover(LaneId id, Nanos c) const {
  const Process& process = lanes_.process(id);
  if (lanes_[id].role == Role::kHelper) {
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
