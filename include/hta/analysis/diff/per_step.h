#pragma once
// Sums over samples to values per step, so that columns add up to the nanosecond.

#include "hta/analysis/diff/components.h"
#include "hta/analysis/diff/profile.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace hta::analysis::diff {

/// Cuts `total` into whole parts in proportion to `sums` per `samples`: each sums[i] / samples is rounded down, and the
/// nanoseconds that are then missing go, one each, to the largest remainders (ties: the first). `total` is the sum of
/// all of them, rounded either way. samples > 0, sums >= 0.
std::vector<Nanos> share_out(Nanos total, std::span<const Nanos> sums, std::int64_t samples);

/// Per-step values of the metrics: step_time is rounded, its components are shared out of it, gpu_busy and idle are the
/// sums of their components, kernel_time is rounded.
std::array<Nanos, kMetrics> metrics_per_step(const RunProfile& run);

/// Per-step time of a component that a kernel name owns.
struct OwnedTime {
  Component component = Component::kCompute;
  std::size_t name = 0;
  Nanos per_step_ns = 0;
};
/// Every busy component shared out over the names it has; names[i] is the number of the name of run.kernels[i],
/// ascending in the order that ties take. By component, then name.
std::vector<OwnedTime> owned_per_step(const RunProfile& run, std::span<const std::size_t> names,
                                      const std::array<Nanos, kMetrics>& metrics);

/// The component that kernels of a kind can own.
Component component_of(KernelType kind);

}  // namespace hta::analysis::diff
