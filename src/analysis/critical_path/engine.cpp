#include "engine.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace hta::analysis::critical_path {

std::string_view link_name(Link link) {
  constexpr std::array<std::string_view, 10> kNames{"start", "program", "gap",      "launch", "stream",
                                                    "graph", "event",   "inferred", "sync",   "thread"};
  return kNames[static_cast<std::size_t>(link)];
}

Engine::Engine(const Trace& trace, const NameTraits& names, const Lanes& lanes, const Settings& settings,
               Interval window)
    : trace_(trace),
      names_(names),
      settings_(settings),
      host_(trace, names, lanes, window),
      gpu_(trace),
      waits_(trace, names, gpu_, settings) {}

void Engine::candidates(GpuId g, Nanos c, const OnPath* on_path, std::vector<Candidate>& out) const {
  out.clear();
  const GpuEvents& gpu = trace_.gpu;
  const auto add = [&](Link link, GpuId event) {
    if (!event.valid() || (on_path != nullptr && (*on_path)[event.value()])) return;
    out.push_back({link, event, std::min(gpu.end_ns(event), c)});
  };
  const auto awaited = waits_.awaited_by(g);
  for (auto wait = awaited.rbegin(); wait != awaited.rend(); ++wait) {  // of equals the last in event order wins
    if (gpu.end_ns(wait->second) <= gpu.start_ns[g] + settings_.clock_slack_ns) add(Link::kEvent, wait->second);
  }
  add(Link::kStream, gpu_.stream_predecessor(g));
  add(Link::kGraph, gpu_.graph_predecessor(g, c));

  Candidate launch;
  if (const LaunchId call = gpu.launch[g]; call.valid()) {
    // A call that copies cannot return before the copy is done, so its end says nothing.
    const bool held_by_g = waits_.blocks_on(call, g);
    const LaunchCalls& calls = trace_.launches;
    launch = {Link::kLaunch, {}, std::min(held_by_g ? calls.start_ns[call] : calls.end_ns(call), c)};
  }
  if (settings_.inference == Inference::kOn && !waits_.has_stream_waits()) {
    std::optional<Nanos> ready_ns;
    if (launch.link == Link::kLaunch) ready_ns = launch.ready_ns;
    for (const Candidate& known : out) ready_ns = std::max(ready_ns.value_or(known.ready_ns), known.ready_ns);
    add(Link::kInferred, inferred_predecessor(g, c, ready_ns));
  }
  if (launch.link == Link::kLaunch) out.push_back(launch);
}

const Candidate* Engine::binding(const std::vector<Candidate>& candidates) {
  const auto best = std::max_element(candidates.begin(), candidates.end(),
                                     [](const Candidate& a, const Candidate& b) { return a.ready_ns < b.ready_ns; });
  return best == candidates.end() ? nullptr : &*best;
}

// Where nothing that is known explains the wait, the event of another stream that had just ended probably does.
GpuId Engine::inferred_predecessor(GpuId g, Nanos c, std::optional<Nanos> ready_ns) const {
  if (ready_ns && c - *ready_ns <= settings_.kernel_gap_ns) return {};
  const GpuEvents& gpu = trace_.gpu;
  const LaunchId own = gpu.launch[g];
  Nanos after_ns = ready_ns.value_or(INT64_MIN);
  if (own.valid()) after_ns = std::max(after_ns, c - settings_.kernel_gap_ns - 1);
  return last_ending(gpu, gpu_.device_of(g), after_ns, c, [&](GpuId other) {
    if (gpu.stream[other] == gpu.stream[g]) return false;
    const LaunchId launch = gpu.launch[other];
    return !own.valid() || !launch.valid() || trace_.launches.start_ns[launch] < trace_.launches.start_ns[own];
  });
}

Handover Engine::launch_station(GpuId g, Nanos c) const {
  const LaunchId call = trace_.gpu.launch[g];
  return {host_.lanes().of(trace_.launches.thread[call]), std::min(trace_.launches.end_ns(call), c)};
}

GpuId Engine::awaited_in(const Segment& segment, Nanos c) const {
  const LaunchId call = host_.launch_of(segment.event);
  if (!call.valid()) return {};
  const GpuId g = waits_.awaited(call);
  if (!g.valid()) return {};
  const Nanos end_ns = trace_.gpu.end_ns(g);
  const bool returns_here = c == trace_.launches.end_ns(call);
  const Nanos until_ns = returns_here ? c + settings_.clock_slack_ns : c;
  return segment.begin_ns < end_ns && end_ns <= until_ns ? g : GpuId();
}

}  // namespace hta::analysis::critical_path
