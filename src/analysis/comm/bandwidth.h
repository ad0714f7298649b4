#pragma once
// How much a collective moves.

#include <cstdint>
#include <optional>

#include "collect.h"

namespace hta::analysis::comm {

struct Volume {
  std::int64_t message_bytes = 0;  ///< what the algorithm bandwidth counts
  std::int64_t bus_bytes = 0;      ///< what crosses the links of one rank, as nccl-tests counts it
};

/// Nothing if sizes or element type were not recorded. A barrier moves nothing.
std::optional<Volume> volume_of(const Collective& collective, const Signature& signature, const Group& group);

/// GB/s (10^9 bytes) in 1e-6; nothing for no time.
std::optional<std::int64_t> rate_of(Int128 bytes, Int128 time_ns);

}  // namespace hta::analysis::comm
