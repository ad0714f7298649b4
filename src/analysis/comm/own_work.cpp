#include "own_work.h"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>

namespace hta::analysis::comm {
namespace {

constexpr Nanos kLaunchLatency =
    20 * kNanosPerMicro;                          // from the return of a launch call to the start on an idle device
constexpr Nanos kShortGap = 20 * kNanosPerMicro;  // what the host did in shorter ones is not looked up

// What a host thread was doing at a time.
class HostLookup {
 public:
  explicit HostLookup(const Trace& trace) : trace_(trace), of_thread_(trace.threads.size()) {
    for (const HostId i : IdRange<HostId>(trace.host.size())) of_thread_[trace.host.thread[i].value()].push_back(i);
  }

  HostCause cause_at(ThreadId thread, Nanos t) {
    const std::vector<HostId>& events = of_thread_[thread.value()];
    const auto next = std::upper_bound(events.begin(), events.end(), t,
                                       [&](Nanos time, HostId i) { return time < trace_.host.start_ns[i]; });
    HostId at = next == events.begin() ? HostId() : *std::prev(next);
    while (at.valid() && trace_.host.end_ns(at) <= t) at = trace_.host.parent[at];
    if (!at.valid()) return HostCause::kNotRecorded;
    const CategoryKind kind = trace_.category(trace_.host.category[at]).kind;
    const NameHint own = hint(at);
    if (outranks_region(kind, own)) return own_cause(kind, own);
    for (HostId up = at; up.valid(); up = trace_.host.parent[up]) {
      if (const HostCause cause = region_cause(hint(up)); cause != HostCause::kNotRecorded) return cause;
    }
    return step_number(trace_.name(at)) ? HostCause::kNotRecorded : own_cause(kind, own);
  }

 private:
  NameHint hint(HostId i) {
    const auto [at, fresh] = hints_.try_emplace(trace_.host.name[i].value(), NameHint::kNone);
    if (fresh) at->second = name_hint(trace_.name(i));
    return at->second;
  }

  const Trace& trace_;
  std::vector<std::vector<HostId>> of_thread_;
  std::unordered_map<std::uint32_t, NameHint> hints_;
};

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  return (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6u) + (a >> 2u))) * 0xff51afd7ed558ccdu;
}

class Worker {
 public:
  explicit Worker(const Trace& trace) : trace_(trace), host_(trace), grids_(trace.gpu_args[ArgKey::kGrid]) {}

  std::vector<StepWork> run() {
    const GpuEvents& gpu = trace_.gpu;
    for (const GpuId i : IdRange<GpuId>(gpu.size())) {
      Sums& sums = of_step(gpu.step[i]);
      add_gap(i, sums.work);
      if (gpu.type[i] != KernelType::kCommunication) add_work(i, sums);
      device_end_ns_ = std::max(device_end_ns_, gpu.end_ns(i));
    }
    return finish();
  }

 private:
  struct Sums {
    StepWork work;
    std::unordered_map<std::uint64_t, KernelWork> kernels;
  };

  Sums& of_step(StepId id) {
    const std::int64_t number = id.valid() ? trace_.step(id).number : kNoStep;
    Sums& sums = sums_[number];
    sums.work.step = number;
    if (id.valid()) sums.work.window_ns = trace_.step(id).dur_ns();
    return sums;
  }

  void add_gap(GpuId i, StepWork& work) {
    const GpuEvents& gpu = trace_.gpu;
    const LaunchId call = gpu.launch[i];
    // Nothing is known of the time before the first event, but that its step had begun.
    if (device_end_ns_ == INT64_MIN)
      device_end_ns_ = gpu.step[i].valid() ? trace_.step(gpu.step[i]).start_ns : gpu.start_ns[i];
    if (!call.valid() || gpu.start_ns[i] <= device_end_ns_) return;
    // Until the call returns, and on to the start if that follows at once: else something other than the host held it
    // up.
    Nanos until_ns = std::min(trace_.launches.end_ns(call), gpu.start_ns[i]);
    if (until_ns > device_end_ns_ && gpu.start_ns[i] - until_ns <= kLaunchLatency) until_ns = gpu.start_ns[i];
    const Nanos wait_ns = until_ns - device_end_ns_;
    if (wait_ns <= 0) return;
    work.host_wait_ns += wait_ns;
    if (wait_ns < kShortGap) return;
    const HostCause cause = host_.cause_at(trace_.launches.thread[call], device_end_ns_ + wait_ns / 2);
    work.host_ns[static_cast<std::size_t>(cause)] += wait_ns;
  }

  void add_work(GpuId i, Sums& sums) {
    const GpuEvents& gpu = trace_.gpu;
    const Nanos added_ns = std::max<Nanos>(0, gpu.end_ns(i) - std::max(gpu.start_ns[i], own_end_ns_));
    own_end_ns_ = std::max(own_end_ns_, gpu.end_ns(i));
    if (gpu.type[i] != KernelType::kComputation) {
      sums.work.copy_ns += added_ns;
      return;
    }
    sums.work.compute_ns += added_ns;
    while (next_grid_ < grids_.size() && grids_.row(next_grid_) < i) ++next_grid_;
    const bool has_grid = next_grid_ < grids_.size() && grids_.row(next_grid_) == i;
    const std::uint64_t key =
        mix(digest(gpu.name[i]), has_grid ? digest(StringId(static_cast<std::size_t>(grids_.value(next_grid_)))) : 0);
    KernelWork& kernel = sums.kernels[key];
    kernel.kernel = key;
    ++kernel.count;
    kernel.sum_ns += gpu.dur_ns[i];
  }

  std::uint64_t digest(StringId text) {
    const auto [at, fresh] = digests_.try_emplace(text.value(), 0);
    if (fresh) at->second = std::hash<std::string_view>{}(trace_.text(text));
    return at->second;
  }

  std::vector<StepWork> finish() {
    std::vector<StepWork> out;
    for (auto& [number, sums] : sums_) {
      for (const auto& [key, kernel] : sums.kernels) sums.work.kernels.push_back(kernel);
      std::sort(sums.work.kernels.begin(), sums.work.kernels.end(),
                [](const KernelWork& a, const KernelWork& b) { return a.kernel < b.kernel; });
      out.push_back(std::move(sums.work));
    }
    return out;
  }

  const Trace& trace_;
  HostLookup host_;
  const ArgColumn<GpuId>& grids_;
  std::size_t next_grid_ = 0;
  Nanos device_end_ns_ = INT64_MIN;
  Nanos own_end_ns_ = INT64_MIN;
  std::map<std::int64_t, Sums> sums_;
  std::unordered_map<std::uint32_t, std::uint64_t> digests_;
};

}  // namespace

std::vector<StepWork> own_work(const Trace& trace) {
  return Worker(trace).run();
}

}  // namespace hta::analysis::comm
