#pragma once

#include <string_view>

namespace hta::analysis {

/// The collective operation that the name of a collective or of a communication kernel speaks of: all_reduce,
/// reduce_scatter, all_gather, all_to_all, broadcast, reduce, gather, scatter, send_recv, barrier; `other` if it does
/// not say. Spellings of NCCL, RCCL, oneCCL, c10d and the all-reduce and expert-parallel kernels of inference engines.
std::string_view collective_kind(std::string_view name);

}  // namespace hta::analysis
