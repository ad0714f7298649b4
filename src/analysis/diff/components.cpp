#include "hta/analysis/diff/components.h"

#include <numeric>

namespace hta::analysis::diff {

std::string_view component_name(Component component) {
  return metric_name(static_cast<Metric>(static_cast<std::size_t>(component) + 1));
}

std::string_view component_phrase(Component component) {
  switch (component) {
    case Component::kCompute: return "computation";
    case Component::kExposedComm: return "exposed communication";
    case Component::kExposedMemory: return "exposed memory operations";
    case Component::kHostWait: return "GPU idle, waiting for the host";
    case Component::kKernelWait: return "short gaps between kernels";
    case Component::kOtherIdle: return "GPU idle for other reasons";
  }
  return {};
}

WindowTimes& WindowTimes::operator+=(const WindowTimes& other) {
  step_ns += other.step_ns;
  for (std::size_t i = 0; i < kComponents; ++i) component_ns[i] += other.component_ns[i];
  kernel_ns += other.kernel_ns;
  return *this;
}

std::string_view metric_name(Metric metric) {
  static constexpr std::array<std::string_view, kMetrics> kNames{
      "step_time",        "compute",    "exposed_comm", "exposed_memory", "idle_host_wait",
      "idle_kernel_wait", "idle_other", "gpu_busy",     "idle",           "kernel_time"};
  return kNames[static_cast<std::size_t>(metric)];
}

Nanos metric_of(const WindowTimes& times, Metric metric) {
  const auto begin = times.component_ns.begin();
  switch (metric) {
    case Metric::kStepTime: return times.step_ns;
    case Metric::kGpuBusy: return std::accumulate(begin, begin + kBusyComponents, Nanos{0});
    case Metric::kIdle: return std::accumulate(begin + kBusyComponents, times.component_ns.end(), Nanos{0});
    case Metric::kKernelTime: return times.kernel_ns;
    default: return times.component_ns[static_cast<std::size_t>(metric) - 1];
  }
}

}  // namespace hta::analysis::diff
