#pragma once
// Who waits in each collective, and whom that wait is owed to.
//
// The transfer is the shortest duration over the ranks; what a rank spends beyond it, it waits. The rank that arrives
// last makes the others wait, unless it was itself held up in another group in between: then the blame is passed on to
// the rank that held it up (a tensor-parallel peer of a slow rank is a victim, although its data-parallel group waits
// for it).

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "clocks.h"

namespace hta::analysis::comm {

/// What happened in one instance with two or more ranks.
struct Wait {
  std::uint32_t instance = 0;
  Nanos transfer_ns = 0;
  Nanos arrived_ns = 0;               ///< the last start, common clock
  std::optional<std::uint32_t> last;  ///< rank that arrived last; none if the difference is within the clocks' doubt
  std::optional<std::uint32_t> owed;  ///< rank to blame for it; `last`, or one that held `last` up
};

/// By `arrived_ns`. O(n log n).
std::vector<Wait> find_waits(Ranks ranks, const Matching& matching, const Clocks& clocks);

/// What a rank costs each of the others, on average.
struct Cost {
  Nanos wait_ns = 0;
  Nanos exposed_ns = 0;  ///< of it, what no computation of theirs hides
  Cost& operator+=(const Cost& other) {
    wait_ns += other.wait_ns;
    exposed_ns += other.exposed_ns;
    return *this;
  }
};

/// By step number.
using StepCosts = std::map<std::int64_t, Cost>;

/// Waits of one rank in some collectives.
struct Tally {
  Nanos wait_caused_ns = 0;  ///< of the others, where this rank was last
  Nanos wait_suffered_ns = 0;
  Nanos wait_owed_ns = 0;  ///< of others, by blame
  std::int64_t last_count = 0;
  std::int64_t owed_count = 0;  ///< own instances with the blame for them
  std::int64_t collectives = 0;
};

/// One rank's account over all collectives but sends and receives, where the receiver has to wait by design.
struct Account {
  Tally all;
  std::map<std::int64_t, Tally> by_step;
  std::map<std::uint32_t, Tally> by_group;  ///< also groups of others in which it is to blame; Matching::groups
  /// Among the ranks that it costs most. One lateness shows in several groups (first the tensor-parallel one, then the
  /// data-parallel one), so what it costs in different sets of ranks does not add up.
  Cost cost;
  StepCosts steps;
  RankSet within;  ///< those ranks, itself among them; none: all
};

std::vector<Account> make_accounts(Ranks ranks, const Matching& matching, const std::vector<Wait>& waits);

}  // namespace hta::analysis::comm
