#pragma once
// What a rank does between its collectives: its own work, and the time in which its devices wait for its host.

#include "hta/analysis/host_cause.h"
#include "hta/model/trace.h"

#include <array>
#include <cstdint>
#include <vector>

namespace hta::analysis::comm {

inline constexpr std::int64_t kNoStep = INT64_MIN;

/// Kernels of one name and grid.
struct KernelWork {
  std::uint64_t kernel = 0;  ///< digest of both
  std::int64_t count = 0;
  Nanos sum_ns = 0;
};

/// Own work of one step: GPU events belong to the step of their launch, a gap to the step of the event that ends it.
struct StepWork {
  std::int64_t step = kNoStep;
  Nanos window_ns = 0;     ///< length of the step window; 0 for kNoStep
  Nanos compute_ns = 0;    ///< in which computation ran
  Nanos copy_ns = 0;       ///< in which only copies or fills ran
  Nanos host_wait_ns = 0;  ///< in which no device had work because the event that ended it was launched too late
  std::array<Nanos, kHostCauses> host_ns{};  ///< of host_wait_ns, what the host did; short gaps are left out
  std::vector<KernelWork> kernels;           ///< computation, by digest
  Nanos busy_ns() const { return compute_ns + copy_ns; }
};

/// By step number. Needs the call tree and the grids of GPU events. O(events log events).
std::vector<StepWork> own_work(const Trace& trace);

}  // namespace hta::analysis::comm
