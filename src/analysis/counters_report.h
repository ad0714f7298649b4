#pragma once
// What `counters` says in words, and the traces it writes.

#include "hta/analysis/counters.h"

namespace hta::analysis::counters {

void add_heading(std::span<const Ranked<Partial>> ranks, const Options& options, result::Document& document);

/// With --augment: one overlay per file, with the tracks of all its ranks.
/// kUsage if the source is standard input or if two files would be written to one name.
Status add_counter_overlays(std::span<const Ranked<Partial>> ranks, const Options& options, result::Document& document);

}  // namespace hta::analysis::counters
