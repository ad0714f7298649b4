#pragma once

#include <cstdint>
#include <string>

#include "byte_sink.h"
#include "events.h"
#include "rank_sim.h"

namespace tracegen {

struct RankResult {
  EventCounts counts;
  std::int64_t raw_bytes = 0;  ///< of the text, before compression and before it was cut
  std::string truth_json;
  std::string truth_tables;
};

/// `rank-<r>.json`, with `.gz` when the options say so. Not padded: listing order is not rank order.
[[nodiscard]] std::string trace_file_name(const Options& options, int rank);

/// Writes the whole trace of one rank to `backend` and finishes it. Safe to call for several ranks at once.
[[nodiscard]] RankResult write_rank(Job& job, int rank, const std::vector<StepRecord>& steps, Backend& backend);

/// The number of steps that makes a set of the size that `options.target_bytes` asks for.
[[nodiscard]] int steps_for_target(const Options& options);

}  // namespace tracegen
