#pragma once
// A second opinion on slow ranks, which needs no collectives.

#include <cstdint>
#include <optional>
#include <vector>

#include "match.h"

namespace hta::analysis::comm {

/// How fast each rank runs the kernels (name and grid) that it shares with others, compared with their medians over the
/// ranks, in 1e-4: 0.5556 takes 180 us for what usually takes 100. Weighted by time. Nothing for a rank that shares
/// none. O(n log n) in kernels times ranks.
std::vector<std::optional<std::int64_t>> kernel_speeds(Ranks ranks);

}  // namespace hta::analysis::comm
