#include "hta/analysis/diff/per_step.h"

#include "hta/base/exact.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace hta::analysis::diff {

Component component_of(KernelType kind) {
  switch (kind) {
    case KernelType::kComputation: return Component::kCompute;
    case KernelType::kCommunication: return Component::kExposedComm;
    case KernelType::kMemory:
    case KernelType::kOther: break;
  }
  return Component::kExposedMemory;
}

std::vector<Nanos> share_out(Nanos total, std::span<const Nanos> sums, std::int64_t samples) {
  std::vector<Nanos> parts;
  Nanos missing = total;
  for (const Nanos sum : sums) {
    parts.push_back(sum / samples);
    missing -= parts.back();
  }
  std::vector<std::size_t> by_remainder(sums.size());
  std::iota(by_remainder.begin(), by_remainder.end(), std::size_t{0});
  std::stable_sort(by_remainder.begin(), by_remainder.end(),
                   [&](std::size_t a, std::size_t b) { return sums[a] % samples > sums[b] % samples; });
  for (Nanos i = 0; i < missing; ++i) ++parts[by_remainder[static_cast<std::size_t>(i)]];
  return parts;
}

std::array<Nanos, kMetrics> metrics_per_step(const RunProfile& run) {
  const WindowTimes sums = run.times();
  const std::int64_t samples = run.samples();
  WindowTimes per_step;
  per_step.step_ns = divide_half_even(sums.step_ns, samples);
  per_step.kernel_ns = divide_half_even(sums.kernel_ns, samples);
  const std::vector<Nanos> parts = share_out(per_step.step_ns, sums.component_ns, samples);
  std::copy(parts.begin(), parts.end(), per_step.component_ns.begin());
  std::array<Nanos, kMetrics> out{};
  for (std::size_t m = 0; m < kMetrics; ++m) out[m] = metric_of(per_step, static_cast<Metric>(m));
  return out;
}

std::vector<OwnedTime> owned_per_step(const RunProfile& run, std::span<const std::size_t> names,
                                      const std::array<Nanos, kMetrics>& metrics) {
  std::array<std::map<std::size_t, Nanos>, kBusyComponents> sums;  // by component: name -> time
  for (std::size_t i = 0; i < run.kernels.size(); ++i) {
    sums[static_cast<std::size_t>(component_of(run.kernels[i].kind))][names[i]] += run.kernels[i].owned_ns;
  }
  std::vector<OwnedTime> out;
  for (std::size_t c = 0; c < kBusyComponents; ++c) {
    std::vector<Nanos> of_names;
    for (const auto& [name, sum] : sums[c]) of_names.push_back(sum);
    const std::vector<Nanos> parts = share_out(metrics[c + 1], of_names, run.samples());
    auto part = parts.begin();
    for (const auto& [name, sum] : sums[c]) out.push_back({static_cast<Component>(c), name, *part++});
  }
  return out;
}

}  // namespace hta::analysis::diff
