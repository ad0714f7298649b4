#pragma once

#include "hta/input/run.h"

namespace hta::input {

/// Gives every usable input its rank: by option, metadata, name or order, and keeps capture windows of one rank apart.
/// Fails (kInput) when two files claim one rank.
Status assign_ranks(std::vector<RunInput>& inputs, const RunOptions& options, std::vector<RunNote>& notes);

}  // namespace hta::input
