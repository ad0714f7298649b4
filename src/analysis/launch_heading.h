#pragma once

#include "hta/analysis/launch.h"

namespace hta::analysis::launch {

/// The answer in words: whether the GPU runs dry, on which rank and step, how launches are, and bars of their delays.
void add_heading(std::span<Ranked<Partial>> ranks, result::Document& document);

}  // namespace hta::analysis::launch
