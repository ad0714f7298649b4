#include "clock_causality.h"

#include "hta/base/exact.h"

#include <algorithm>
#include <limits>

namespace hta::analysis::comm {
namespace {

// Each round carries a bound over one more collective between ranks. Where this many do not settle all bounds, facts
// contradict each other.
constexpr int kMaxRounds = 64;

enum class Move : std::uint8_t { kUpwards, kDownwards };

// How much further ahead each clock is than was thought. Facts say start - move <= end - move for certain pairs.
class Facts {
 public:
  Facts(Ranks ranks, const Matching& matching, const Clocks& clocks)
      : ranks_(ranks), matching_(matching), clocks_(clocks) {
    for (std::uint32_t i = 0; i < matching.instances.size(); ++i) {
      if (matching.instances[i].count < 2) continue;
      const Member first = matching.of(matching.instances[i]).front();
      const Signature& what = signature(ranks, first);
      if (synchronises(what)) together_.push_back(i);
      else if (what.pairing != Pairing::kGroup && at(ranks, first).source >= 0) pairs_.push_back(i);
    }
  }

  static constexpr Nanos kUnbounded = std::numeric_limits<Nanos>::max();
  using Moves = std::vector<Nanos>;

  // The least solution not below `moves`, or the greatest one not above them; nothing if there is none.
  std::optional<Moves> solve(Move direction, Moves moves) const {
    const auto of_rank = [](Member m) { return m.rank; };
    return settle([&] {
      bool moved = false;
      for (const std::uint32_t i : together_) moved |= relax(direction, i, of_rank, moves);
      for (const std::uint32_t i : pairs_) moved |= relax(direction, i, of_rank, moves);
      return moved;
    })
               ? std::optional(std::move(moves))
               : std::nullopt;
  }

  // The same for islands as wholes, by what is sent from one to another. Moves are by number of the island.
  std::optional<Moves> solve_islands(Move direction, Moves moves) const {
    const auto of_island = [&](Member m) { return clocks_[m.rank].island; };
    return settle([&] {
      bool moved = false;
      for (const std::uint32_t i : pairs_) {
        const std::span<const Member> ends = members(i);
        if (of_island(ends.front()) != of_island(ends.back())) moved |= relax(direction, i, of_island, moves);
      }
      return moved;
    })
               ? std::optional(std::move(moves))
               : std::nullopt;
  }

  std::uint32_t first_sender_or_receiver() const {
    std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
    for (const std::uint32_t i : pairs_) first = std::min(first, members(i).front().rank);
    return pairs_.empty() ? 0 : first;
  }

  // Collectives that contradict; adds them to the clocks concerned.
  std::int64_t count_violations(std::span<RankClock> count_into) const {
    std::int64_t count = 0;
    for (const auto* instances : {&together_, &pairs_}) {
      for (const std::uint32_t i : *instances) count += violates(i, count_into) ? 1 : 0;
    }
    return count;
  }

 private:
  std::span<const Member> members(std::uint32_t instance) const { return matching_.of(matching_.instances[instance]); }
  // Of an exchange both ends are sender and receiver.
  bool is_pair(Member m) const { return signature(ranks_, m).pairing == Pairing::kPair; }
  // Whose start comes before, and whose end comes after, what everyone has to wait for.
  bool comes_before(Member m) const {
    return !is_pair(m) || ranks_[m.rank].context.rank.rank() == at(ranks_, m).source;
  }
  bool comes_after(Member m) const {
    return !is_pair(m) || ranks_[m.rank].context.rank.rank() == at(ranks_, m).destination;
  }

  template <class Round>
  static bool settle(Round round) {
    for (int i = 0; i < kMaxRounds; ++i) {
      if (!round()) return true;
    }
    return false;
  }

  template <class NodeOf>
  bool relax(Move direction, std::uint32_t instance, NodeOf node_of, Moves& moves) const {
    const bool upwards = direction == Move::kUpwards;
    const Nanos unbounded = upwards ? -kUnbounded : kUnbounded;
    std::optional<Nanos> meeting;  // between the last start and the first end
    for (const Member m : members(instance)) {
      const Nanos move = moves[node_of(m)];
      if (move == unbounded || !(upwards ? comes_after(m) : comes_before(m))) continue;
      const Nanos time = upwards ? clocks_.end_ns(m) - move : clocks_.start_ns(m) - move;
      meeting = !meeting ? time : upwards ? std::min(*meeting, time) : std::max(*meeting, time);
    }
    if (!meeting) return false;
    bool moved = false;
    for (const Member m : members(instance)) {
      if (!(upwards ? comes_before(m) : comes_after(m))) continue;
      Nanos& move = moves[node_of(m)];
      const Nanos bound = (upwards ? clocks_.start_ns(m) : clocks_.end_ns(m)) - *meeting;
      if (upwards ? bound <= move : bound >= move) continue;
      move = bound;
      moved = true;
    }
    return moved;
  }

  bool violates(std::uint32_t instance, std::span<RankClock> count_into) const {
    Nanos last_start = std::numeric_limits<Nanos>::min();
    Nanos first_end = std::numeric_limits<Nanos>::max();
    Nanos doubt = 0;
    for (const Member m : members(instance)) {
      if (comes_before(m)) last_start = std::max(last_start, clocks_.start_ns(m));
      if (comes_after(m)) first_end = std::min(first_end, clocks_.end_ns(m));
      doubt = std::max(doubt, 2 * clocks_[m.rank].residual_p95_ns.value_or(0));
    }
    const bool complete =
        last_start != std::numeric_limits<Nanos>::min() && first_end != std::numeric_limits<Nanos>::max();
    if (!complete || last_start <= first_end + doubt) return false;
    for (const Member m : members(instance)) {
      const bool too_late = comes_before(m) && clocks_.start_ns(m) > first_end + doubt;
      const bool too_early = comes_after(m) && clocks_.end_ns(m) + doubt < last_start;
      count_into[m.rank].violations += too_late || too_early ? 1 : 0;
    }
    return true;
  }

  Ranks ranks_;
  const Matching& matching_;
  const Clocks& clocks_;
  std::vector<std::uint32_t> together_;  // instances
  std::vector<std::uint32_t> pairs_;
};

std::optional<std::uint32_t> first_island(const Clocks& clocks, std::size_t ranks) {
  for (std::uint32_t r = 0; r < ranks; ++r) {
    if (clocks[r].method != ClockMethod::kNone) return r;
  }
  return std::nullopt;
}

Facts::Moves unbounded_but(std::uint32_t fixed, Nanos unbounded, std::size_t count) {
  Facts::Moves moves(count, unbounded);
  moves[fixed] = 0;
  return moves;
}

// Islands with a bound on both sides move into the middle, unless the times as they are do not contradict.
void join_islands(Ranks ranks, const Matching& matching, Clocks& clocks) {
  const Facts facts(ranks, matching, clocks);
  const std::uint32_t home = first_island(clocks, ranks.size()).value_or(facts.first_sender_or_receiver());
  const auto least = facts.solve_islands(Move::kUpwards, unbounded_but(home, -Facts::kUnbounded, ranks.size()));
  const auto most = facts.solve_islands(Move::kDownwards, unbounded_but(home, Facts::kUnbounded, ranks.size()));
  if (!least || !most) return;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    RankClock& clock = clocks.all()[r];
    const Nanos low = (*least)[clock.island];
    const Nanos high = (*most)[clock.island];
    if (clock.island == home || low == -Facts::kUnbounded || high == Facts::kUnbounded) continue;
    clock.island_doubt_ns = (high - low) / 2;
    if (low > 0 || high < 0) clock.ahead_ns += low + (high - low) / 2;
    if (clock.island == r) clock.method = ClockMethod::kCausality;
    clocks.all()[home].method = ClockMethod::kReference;
  }
}

}  // namespace

void respect_causality(Ranks ranks, const Matching& matching, Clocks& clocks) {
  if (ranks.empty()) return;
  join_islands(ranks, matching, clocks);
  const Facts facts(ranks, matching, clocks);
  const auto up = facts.solve(Move::kUpwards, Facts::Moves(ranks.size(), 0));
  const auto down = facts.solve(Move::kDownwards, Facts::Moves(ranks.size(), 0));
  if (!up || !down) return;
  // Facts are differences, so that with two solutions the middle between them is one as well.
  const auto move_of = [&](std::uint32_t r) { return divide_half_even(Int128{(*up)[r]} + (*down)[r], 2); };
  const Nanos home_moves_ns = move_of(first_island(clocks, ranks.size()).value_or(0));
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    if (clocks[r].method != ClockMethod::kNone) clocks.all()[r].ahead_ns += move_of(r) - home_moves_ns;
  }
}

void measure_causality(Ranks ranks, const Matching& matching, Clocks& clocks) {
  const Facts facts(ranks, matching, clocks);
  clocks.set_violations(facts.count_violations(clocks.all()));
  const auto home = first_island(clocks, ranks.size());
  if (!home) return;
  const auto least = facts.solve(Move::kUpwards, unbounded_but(*home, -Facts::kUnbounded, ranks.size()));
  const auto most = facts.solve(Move::kDownwards, unbounded_but(*home, Facts::kUnbounded, ranks.size()));
  if (!least || !most) return;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    RankClock& clock = clocks.all()[r];
    if ((*least)[r] != -Facts::kUnbounded) clock.least_ahead_ns = clock.ahead_ns + (*least)[r];
    if ((*most)[r] != Facts::kUnbounded) clock.most_ahead_ns = clock.ahead_ns + (*most)[r];
  }
}

}  // namespace hta::analysis::comm
