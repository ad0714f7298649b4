#pragma once

#include "hta/analysis/memory.h"

namespace hta::analysis::memory {

/// The highest peak, what made it up, growth over the recording, and allocator calls that should not be in the loop.
void add_heading(std::span<const Ranked<Partial>> ranks, result::Document& document);

}  // namespace hta::analysis::memory
