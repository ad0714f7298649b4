#pragma once
// Which operators a communication kernel carries out: the one around its launch, or all those of a group call
// (ncclGroupStart ... ncclGroupEnd), which are recorded before the one launch at its end.

#include "hta/model/trace.h"

#include <cstdint>
#include <span>
#include <vector>

namespace hta::analysis::comm {

class KernelOperators {
 public:
  /// Needs the call tree and the collectives' names on host events.
  explicit KernelOperators(const Trace& trace);

  /// Operators in order; empty if none is known. Valid as long as this object.
  std::span<const HostId> of(GpuId kernel) const;

 private:
  struct LoneLaunch {
    ThreadId thread;
    Nanos start_ns = 0;
    GpuId kernel;
  };
  struct Use {
    GpuId kernel;
    std::uint32_t first = 0;  // of operators_
    std::uint32_t count = 0;
  };
  HostId enclosing(GpuId kernel) const;
  bool launches_itself(HostId op) const;
  void find_groups(std::vector<LoneLaunch> launches);
  void add(GpuId kernel, std::span<const HostId> operators);

  const Trace& trace_;
  std::vector<Use> uses_;  // by kernel
  std::vector<HostId> operators_;
};

}  // namespace hta::analysis::comm
