#include "hta/analysis/hardware_counters.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace hta::analysis {
namespace {

// The launch of every range; none where it has no correlation or nothing has the same.
std::vector<LaunchId> launches_by_correlation(const Trace& trace) {
  std::unordered_map<std::int64_t, LaunchId> wanted;
  for (const ProfilerRange& range : trace.profiler_ranges) {
    if (range.correlation != 0) wanted.try_emplace(range.correlation);
  }
  for (const LaunchId call : IdRange<LaunchId>(trace.launches.size())) {
    const auto at = wanted.find(trace.launches.correlation[call]);
    if (at != wanted.end() && !at->second.valid()) at->second = call;
  }
  std::vector<LaunchId> out;
  for (const ProfilerRange& range : trace.profiler_ranges) {
    out.push_back(range.correlation == 0 ? LaunchId() : wanted.at(range.correlation));
  }
  return out;
}

// Calls that launch a kernel, whatever the interface: cudaLaunchKernel, cuLaunchKernelEx, hipExtModuleLaunchKernel, ...
std::vector<LaunchId> kernel_launches(const Trace& trace) {
  std::vector<LaunchId> out;
  for (const LaunchId call : IdRange<LaunchId>(trace.launches.size())) {
    if (trace.name(call).find("LaunchKernel") != std::string_view::npos) out.push_back(call);
  }
  return out;
}

bool is_operator(const Trace& trace, HostId event) {
  return trace.category(trace.host.category[event]).kind == CategoryKind::kOperator &&
         !trace.name(event).starts_with("ProfilerStep#");
}

void add_operators(const Trace& trace, LaunchId call, CounterRange& range) {
  std::vector<std::string_view> stack;  // innermost first
  for (HostId event = trace.launches.host[call]; event.valid(); event = trace.host.parent[event]) {
    if (is_operator(trace, event)) stack.push_back(trace.name(event));
  }
  if (stack.empty()) return;
  range.top_level_op = stack.back();
  range.bottom_level_op = stack.front();
  for (auto name = stack.rbegin(); name != stack.rend(); ++name) {
    if (!range.op_stack.empty()) range.op_stack += " -> ";
    range.op_stack += *name;
  }
}

}  // namespace

CounterRanges counter_ranges(const Trace& trace) {
  CounterRanges out;
  std::vector<LaunchId> launches = launches_by_correlation(trace);
  if (std::none_of(launches.begin(), launches.end(), [](LaunchId call) { return call.valid(); })) {
    const std::vector<LaunchId> all = kernel_launches(trace);
    out.join = all.size() == launches.size() ? RangeJoin::kByOrder : RangeJoin::kNotFound;
    if (out.join == RangeJoin::kByOrder) launches = all;
  }
  for (std::size_t i = 0; i < trace.profiler_ranges.size(); ++i) {
    const ProfilerRange& from = trace.profiler_ranges[i];
    CounterRange range;
    range.kernel_name = trace.text(from.name);
    for (const auto& [name, value] : from.counters) range.counters.emplace_back(trace.text(name), trace.text(value));
    if (launches[i].valid()) add_operators(trace, launches[i], range);
    out.ranges.push_back(std::move(range));
  }
  return out;
}

}  // namespace hta::analysis
