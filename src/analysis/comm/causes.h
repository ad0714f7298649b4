#pragma once
// Why a rank is late: how its own work in the steps concerned differs from that of the ranks it keeps waiting.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "match.h"

namespace hta::analysis::comm {

enum class CausePart : std::uint8_t {
  kSlowerKernels,  ///< the same kernels take longer
  kMoreWork,       ///< more kernels, or others
  kLateLaunches,   ///< devices wait for the host
  kCopies,         ///< copies and fills outside of computation
};
inline constexpr std::size_t kCauseParts = 4;
std::string_view cause_part_name(CausePart part);  ///< slower_kernels, more_work, late_launches, copies

struct Cause {
  std::array<Nanos, kCauseParts> more_ns{};  ///< than the other ranks; negative where it is less
  Nanos late_ns = 0;                         ///< what is to be explained
  std::int64_t kernel_ratio_4 = 0;           ///< duration of the same kernels against the others', in 1e-4; 0 = unknown
  HostCause host = HostCause::kNotRecorded;  ///< what the host does longer, if launches are late
  /// Largest part; what it explains is more_ns / late_ns.
  CausePart main() const;
  /// Whether the largest part explains at least 80 %.
  bool named() const;
  /// "slower kernels (x1.18)", "more work", "late launches (data loading)", "memory copies", or "unexplained".
  std::string text() const;
};

/// Compares `rank` with `others`, over `steps` (all if empty). Works on medians, so one odd rank among others is no
/// matter.
Cause explain(Ranks ranks, std::uint32_t rank, std::span<const std::uint32_t> others,
              std::span<const std::int64_t> steps, Nanos late_ns);

}  // namespace hta::analysis::comm
