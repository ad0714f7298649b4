#pragma once
// PyTorch's raw memory timeline: allocations and releases by what they hold.

#include "hta/base/nanos.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace hta {

/// What a block of memory holds, by the numbers of the file; any other number is unknown.
inline constexpr std::array<std::string_view, 8> kMemoryCategories{
    "parameter", "optimizer_state", "input", "temporary", "activation", "gradient", "autograd_detail", "unknown"};
inline constexpr std::size_t kUnknownMemory = kMemoryCategories.size() - 1;

struct MemoryTimeline {
  struct Entry {
    Nanos time_ns = 0;       ///< negative: there before the recording began
    std::int64_t bytes = 0;  ///< change
    std::size_t category = kUnknownMemory;
  };
  std::vector<Entry> entries;  ///< in the order of the file
};

}  // namespace hta
