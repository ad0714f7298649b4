#include "kernel_operators.h"

#include "hta/analysis/collective_kind.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace hta::analysis::comm {

KernelOperators::KernelOperators(const Trace& trace) : trace_(trace) {
  std::vector<LoneLaunch> lone;
  const GpuEvents& gpu = trace.gpu;
  for (const GpuId i : IdRange<GpuId>(gpu.size())) {
    if (gpu.type[i] != KernelType::kCommunication || trace.gpu_args[ArgKey::kCollectiveName].find(i)) continue;
    const LaunchId call = gpu.launch[i];
    if (!call.valid() || !trace.launches.host[call].valid()) continue;
    if (const HostId op = enclosing(i); op.valid()) add(i, std::span(&op, 1));
    else lone.push_back({trace.launches.thread[call], trace.launches.start_ns[call], i});
  }
  if (lone.empty()) return;
  find_groups(std::move(lone));
  std::sort(uses_.begin(), uses_.end(), [](const Use& a, const Use& b) { return a.kernel < b.kernel; });
}

std::span<const HostId> KernelOperators::of(GpuId kernel) const {
  const auto use = std::lower_bound(uses_.begin(), uses_.end(), kernel,
                                    [](const Use& a, GpuId wanted) { return a.kernel < wanted; });
  if (use == uses_.end() || use->kernel != kernel) return {};
  return std::span(operators_).subspan(use->first, use->count);
}

void KernelOperators::add(GpuId kernel, std::span<const HostId> operators) {
  uses_.push_back(
      {kernel, static_cast<std::uint32_t>(operators_.size()), static_cast<std::uint32_t>(operators.size())});
  operators_.insert(operators_.end(), operators.begin(), operators.end());
}

HostId KernelOperators::enclosing(GpuId kernel) const {
  for (HostId up = trace_.launches.host[trace_.gpu.launch[kernel]]; up.valid(); up = trace_.host.parent[up]) {
    if (trace_.host_args[ArgKey::kCollectiveName].find(up) || trace_.name(up) == "record_param_comms") return up;
  }
  return {};
}

// Even if the kernel was lost.
bool KernelOperators::launches_itself(HostId op) const {
  const HostEvents& host = trace_.host;
  for (std::size_t i = op.value() + 1; i < host.size(); ++i) {
    const HostId inner(i);
    if (host.start_ns[inner] >= host.end_ns(op)) return false;
    if (host.thread[inner] == host.thread[op] && trace_.category(host.category[inner]).kind == CategoryKind::kLaunch &&
        trace_.name(inner).find("Launch") != std::string_view::npos)
      return true;
  }
  return false;
}

// What was recorded on the thread since its last launch of a collective, and launched nothing itself.
void KernelOperators::find_groups(std::vector<LoneLaunch> launches) {
  std::sort(launches.begin(), launches.end(), [](const LoneLaunch& a, const LoneLaunch& b) {
    return std::tuple(a.thread, a.start_ns, a.kernel) < std::tuple(b.thread, b.start_ns, b.kernel);
  });
  std::unordered_map<std::uint32_t, std::vector<HostId>> ops_of_thread;
  const auto& names = trace_.host_args[ArgKey::kCollectiveName];
  for (std::size_t i = 0; i < names.size(); ++i) {
    const HostId op = names.row(i);
    ops_of_thread[trace_.host.thread[op].value()].push_back(op);
  }
  std::vector<HostId> pending;
  std::size_t next_op = 0;
  for (std::size_t l = 0; l < launches.size(); ++l) {
    if (l == 0 || launches[l].thread != launches[l - 1].thread) {
      pending.clear();
      next_op = 0;
    }
    const std::vector<HostId>& ops = ops_of_thread[launches[l].thread.value()];
    for (; next_op < ops.size() && trace_.host.end_ns(ops[next_op]) <= launches[l].start_ns; ++next_op) {
      const HostId op = ops[next_op];
      if (launches_itself(op)) pending.clear();
      else if (collective_kind(trace_.text(names.find_text(op))) != "other") pending.push_back(op);
    }
    if (!pending.empty()) add(launches[l].kernel, pending);
    pending.clear();
  }
}

}  // namespace hta::analysis::comm
