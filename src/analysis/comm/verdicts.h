#pragma once
// Whether a rank is a straggler, was one in a single step, or neither; and whether the ranks take turns.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "causes.h"
#include "waits.h"

namespace hta::analysis::comm {

enum class RankVerdict : std::uint8_t { kStraggler, kTransient, kNone };
std::string_view verdict_name(RankVerdict verdict);  ///< straggler, transient, none

/// How the lateness of a rank goes on.
enum class Persistence : std::uint8_t {
  kPersistent,  ///< of a straggler
  kTransient,   ///< in one step
  kRotating,    ///< in its turn: another rank is late in almost every step
  kNone,
};
std::string_view persistence_name(Persistence persistence);  ///< persistent, transient, rotating, or empty

struct Judgement {
  RankVerdict verdict = RankVerdict::kNone;
  Persistence persistence = Persistence::kNone;
  Cost cost;                            ///< for each of the others
  StepCosts step_costs;                 ///< the same by step
  Nanos time_ns = 0;                    ///< of its steps together, or of the record
  std::int64_t steps = 0;               ///< of the rank
  std::vector<std::int64_t> top_steps;  ///< in which it costs most, and no trifle
  std::optional<std::int64_t> step;     ///< of a transient
  std::optional<Cause> cause;           ///< if there is a persistence
};

/// Lateness that goes round: most steps wait for some rank, but for none of them often.
struct Rotation {
  std::int64_t ranks = 0;  ///< that take turns
  std::int64_t late_steps = 0;
  std::int64_t steps = 0;
  Nanos cost_ns = 0;  ///< for each of the others, in the late steps
  Nanos time_ns = 0;  ///< of all steps
};

struct Verdicts {
  std::vector<Judgement> ranks;
  std::optional<Rotation> rotation;
};

/// By the accounts of all ranks. Fewer than two ranks: nobody.
Verdicts judge(Ranks ranks, const std::vector<Account>& accounts);

/// Without collectives: by how long the devices of a rank are busy in every step, against the median of the ranks.
/// Wait and cost are the excess over that.
Verdicts judge_by_busy_time(Ranks ranks);

}  // namespace hta::analysis::comm
