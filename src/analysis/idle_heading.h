#pragma once

#include "hta/analysis/idle.h"

namespace hta::analysis::idle {

/// The answer in words: how idle, on which rank, what for, and where in the program.
void add_heading(std::span<Ranked<Partial>> ranks, result::Document& document);

}  // namespace hta::analysis::idle
