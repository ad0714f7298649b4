#pragma once
// Whether a rank is a straggler, was one in a single step, or neither.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "causes.h"
#include "waits.h"

namespace hta::analysis::comm {

enum class RankVerdict : std::uint8_t { kStraggler, kTransient, kNone };
std::string_view verdict_name(RankVerdict verdict);  ///< straggler, transient, none

struct Judgement {
  RankVerdict verdict = RankVerdict::kNone;
  Cost cost;                         ///< for each of the others
  Nanos time_ns = 0;                 ///< of its steps together, or of the record
  std::int64_t top_steps = 0;        ///< steps in which it costs most
  std::int64_t steps = 0;            ///< steps of the rank
  std::optional<std::int64_t> step;  ///< of a transient
  std::optional<Cause> cause;        ///< unless the verdict is none
};

/// By the accounts of all ranks. Fewer than two ranks: nobody.
std::vector<Judgement> judge(Ranks ranks, const std::vector<Account>& accounts);

/// Without collectives: by how long the devices of a rank are busy in every step, against the median of the ranks.
/// Wait and cost are the excess over that.
std::vector<Judgement> judge_by_busy_time(Ranks ranks);

}  // namespace hta::analysis::comm
