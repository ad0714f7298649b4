#include "lanes.h"

#include <algorithm>
#include <map>

namespace hta::analysis::critical_path {
namespace {

HostClass class_of_kind(CategoryKind kind) {
  switch (kind) {
    case CategoryKind::kOverhead:
    case CategoryKind::kProfilerRange: return HostClass::kIgnored;
    case CategoryKind::kLaunch:
    case CategoryKind::kOperator: return HostClass::kWork;
    default: return HostClass::kFrame;
  }
}

}  // namespace

/// What decides whether a thread is active, and which one is the main thread.
struct Lanes::ThreadFacts {
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

Lanes::Lanes(const Trace& trace, const NameTraits& names, ThreadId chosen) : trace_(trace), names_(names) {
  for (const Category& category : trace.categories) class_of_category_.push_back(class_of_kind(category.kind));
  number_processes();
  const std::vector<ThreadFacts> facts = gather_facts();
  const std::vector<ThreadId> mains = main_threads(facts, chosen);
  lane_of_.resize(facts.size());
  for (std::size_t t = 0; t < facts.size(); ++t) {
    const std::uint32_t process = process_of_[t];
    const bool is_main = mains[process] == ThreadId(t);
    if (!is_main && !facts[t].helps) continue;
    const LaneId id(lanes_.size());
    lane_of_[t] = id;
    lanes_.push_back({ThreadId(t), is_main ? Role::kMain : Role::kHelper, process});
    if (is_main) processes_[process].main = id;
    else processes_[process].helpers.push_back(id);
  }
  for (Process& each : processes_) {
    std::sort(each.helpers.begin(), each.helpers.end(), [&](LaneId a, LaneId b) {
      return facts[(*this)[a].thread.value()].first_work < facts[(*this)[b].thread.value()].first_work;
    });
  }
}

void Lanes::number_processes() {
  std::map<TrackName, std::uint32_t> numbers;
  for (const Thread& thread : trace_.threads) {
    const auto number = static_cast<std::uint32_t>(numbers.size());
    process_of_.push_back(numbers.try_emplace(thread.pid, number).first->second);
  }
  processes_.resize(numbers.size());
}

std::vector<Lanes::ThreadFacts> Lanes::gather_facts() const {
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
  for (const ThreadId thread : trace_.backward_threads) facts[thread.value()].helps = true;
  return facts;
}

// By process: the chosen thread, else that of the first step, else the busiest one.
std::vector<ThreadId> Lanes::main_threads(const std::vector<ThreadFacts>& facts, ThreadId chosen) const {
  std::vector<ThreadId> mains(processes_.size());
  if (chosen.valid()) mains[process_of_[chosen.value()]] = chosen;
  for (const StepEvent& step : trace_.step_events) {
    ThreadId& main = mains[process_of_[step.thread.value()]];
    if (!main.valid()) main = step.thread;
  }
  std::vector<ThreadId> busiest(processes_.size());
  for (std::size_t t = 0; t < facts.size(); ++t) {
    ThreadId& best = busiest[process_of_[t]];
    if (facts[t].work > 0 && (!best.valid() || facts[t].is_more_main_than(facts[best.value()]))) best = ThreadId(t);
  }
  for (std::size_t p = 0; p < mains.size(); ++p) {
    if (!mains[p].valid()) mains[p] = busiest[p];
  }
  return mains;
}

}  // namespace hta::analysis::critical_path
