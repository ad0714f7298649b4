#pragma once
// Why is the GPU idle?

#include "hta/analysis/analysis.h"
#include "hta/analysis/host_cause.h"
#include "hta/base/exact.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hta::analysis {

extern const AnalysisSpec kIdle;

namespace idle {

/// Gaps of one kind on one stream.
struct StreamIdle {
  std::int64_t device = -1;
  std::int64_t stream = -1;
  std::string_view kind;  ///< host_wait, kernel_wait, other
  Summary gap_ns;
  std::optional<std::int64_t> p25_ns;
  std::optional<std::int64_t> p50_ns;
  std::optional<std::int64_t> p75_ns;
};

struct KindIdle {
  Nanos idle_ns = 0;
  std::int64_t count = 0;
  void add(Nanos gap_ns) {
    idle_ns += gap_ns;
    ++count;
  }
};

struct CauseIdle {
  HostCause cause = HostCause::kNotRecorded;
  Nanos idle_ns = 0;
  std::int64_t count = 0;
  Nanos after_sync_ns = 0;  ///< of idle_ns, in gaps that began inside a synchronising call
};

struct SourceIdle {
  HostCause cause = HostCause::kNotRecorded;
  std::string activity;
  std::string place;
  Nanos idle_ns = 0;
};

struct Gap {
  Nanos start_ns = 0;
  Nanos dur_ns = 0;
  HostCause cause = HostCause::kNotRecorded;
  std::string activity;
  std::string place;
  Nanos covered_ns = 0;
  std::string after_sync;
  std::string ended_by;
  std::int64_t stream = -1;
  std::string launch_name;
  std::string launch_thread;
  std::optional<std::int64_t> step;
};

struct DeviceIdle {
  std::int64_t device = -1;
  Nanos span_ns = 0;
  std::array<KindIdle, 3> kinds;    ///< host_wait, kernel_wait, other
  std::array<KindIdle, 3> bare;     ///< of these, before events whose launch call is not known
  std::vector<CauseIdle> causes;    ///< sums to host_wait; without causes that take no time
  std::vector<SourceIdle> sources;  ///< sums to host_wait
  std::vector<Gap> longest;
  Nanos after_sync_ns = 0;

  Nanos idle_ns() const { return kinds[0].idle_ns + kinds[1].idle_ns + kinds[2].idle_ns; }
};

struct Partial {
  std::vector<StreamIdle> streams;  ///< by device, stream, kind
  std::vector<DeviceIdle> devices;  ///< by device
};

Partial map(const Trace& trace, const Options& options);
Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document);

}  // namespace idle
}  // namespace hta::analysis
