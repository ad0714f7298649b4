#include "verdicts.h"

#include "hta/base/exact.h"

#include <algorithm>
#include <map>

namespace hta::analysis::comm {
namespace {

constexpr std::int64_t kOftenPct = 50;      // last in that share of collectives or steps: no accident
constexpr std::int64_t kFloorPct = 5;       // of the step time: below, nobody is named
constexpr std::int64_t kOneStepPct = 80;    // of the cost in one step: transient
constexpr std::int64_t kStepFloorPct = 10;  // of that step's time

bool at_least(Int128 part, std::int64_t pct, Int128 whole) {
  return whole > 0 && part * 100 >= whole * pct;
}

struct Top {
  std::uint32_t rank = 0;
  Nanos cost_ns = 0;
};

// The rank that costs most in each step, where that is no trifle.
std::map<std::int64_t, Top> find_tops(Ranks ranks, std::vector<Judgement>& judgements) {
  std::map<std::int64_t, Top> tops;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    Judgement& judgement = judgements[r];
    for (const StepWork& work : ranks[r].partial.steps) {
      if (work.step == kNoStep) continue;
      ++judgement.steps;
      judgement.time_ns += work.window_ns;
    }
    if (judgement.steps == 0) judgement.time_ns = ranks[r].partial.span_ns;
    for (const auto& [step, cost] : judgement.step_costs) {
      if (step == kNoStep) continue;
      Top& top = tops.try_emplace(step, Top{r, 0}).first->second;
      if (cost.wait_ns > top.cost_ns) top = {r, cost.wait_ns};
    }
  }
  std::erase_if(tops, [&](const auto& entry) {
    const Judgement& judgement = judgements[entry.second.rank];
    return !at_least(entry.second.cost_ns, kFloorPct, judgement.steps > 0 ? judgement.time_ns / judgement.steps : 0);
  });
  for (const auto& [step, top] : tops) judgements[top.rank].top_steps.push_back(step);
  return tops;
}

void decide(std::int64_t often_count, std::int64_t of_count, Judgement& judgement) {
  const auto most = std::max_element(judgement.step_costs.begin(), judgement.step_costs.end(),
                                     [](const auto& a, const auto& b) { return a.second.wait_ns < b.second.wait_ns; });
  const bool counts = at_least(judgement.cost.wait_ns, kFloorPct, judgement.time_ns);
  if (judgement.steps > 1 && most != judgement.step_costs.end() && most->first != kNoStep &&
      at_least(most->second.wait_ns, kOneStepPct, judgement.cost.wait_ns) &&
      (counts || at_least(most->second.wait_ns, kStepFloorPct, judgement.time_ns / judgement.steps))) {
    judgement.verdict = RankVerdict::kTransient;
    judgement.persistence = Persistence::kTransient;
    judgement.step = most->first;
  } else if (counts && (at_least(often_count, kOftenPct, of_count) ||
                        at_least(static_cast<Int128>(judgement.top_steps.size()), kOftenPct, judgement.steps))) {
    judgement.verdict = RankVerdict::kStraggler;
    judgement.persistence = Persistence::kPersistent;
  }
}

// Three ranks or more are on top in at least half of the steps, mostly another one than in the late step before; none
// of them in half of those, and together they cost as much as a straggler would.
std::optional<Rotation> find_rotation(const std::map<std::int64_t, Top>& tops, std::vector<Judgement>& judgements) {
  Rotation rotation;
  std::int64_t changes = 0;
  std::optional<std::uint32_t> before;
  for (const auto& [step, top] : tops) {
    rotation.cost_ns += top.cost_ns;
    changes += before && *before != top.rank ? 1 : 0;
    before = top.rank;
  }
  rotation.late_steps = static_cast<std::int64_t>(tops.size());
  for (const Judgement& judgement : judgements) {
    if (judgement.verdict == RankVerdict::kStraggler) return std::nullopt;
    if (at_least(static_cast<Int128>(judgement.top_steps.size()), kOftenPct, rotation.late_steps)) return std::nullopt;
    rotation.ranks += judgement.top_steps.empty() ? 0 : 1;
    rotation.steps = std::max(rotation.steps, judgement.steps);
    rotation.time_ns = std::max(rotation.time_ns, judgement.time_ns);
  }
  if (rotation.ranks < 3 || !at_least(rotation.late_steps, kOftenPct, rotation.steps) ||
      !at_least(changes, kOftenPct, rotation.late_steps) || !at_least(rotation.cost_ns, kFloorPct, rotation.time_ns))
    return std::nullopt;
  for (Judgement& judgement : judgements) {
    if (!judgement.top_steps.empty()) judgement.persistence = Persistence::kRotating;
  }
  return rotation;
}

// Lateness is what is not hidden; where all is, the wait itself.
Nanos lateness(const Cost& cost) {
  return cost.exposed_ns > 0 ? cost.exposed_ns : cost.wait_ns;
}

// The steps in which to look for it; none: all.
std::vector<std::int64_t> steps_concerned(const Judgement& judgement) {
  if (judgement.persistence == Persistence::kRotating) return judgement.top_steps;
  if (judgement.step) return {*judgement.step};
  std::vector<std::int64_t> steps;
  for (const auto& [step, cost] : judgement.step_costs) {
    if (step != kNoStep || judgement.steps == 0) steps.push_back(step);
  }
  return steps;
}

// Twice the median of two sorted values or more without one of them that equals `own`.
Nanos median_of_others_times_2(const std::vector<Nanos>& sorted, Nanos own) {
  const auto gap = static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), own) - sorted.begin());
  const auto other = [&](std::size_t i) { return sorted[i < gap ? i : i + 1]; };
  const std::size_t others = sorted.size() - 1;
  return other((others - 1) / 2) + other(others / 2);
}

// The others of `within`, or of all ranks if it is empty.
std::vector<std::uint32_t> peers_of(Ranks ranks, std::uint32_t rank, const RankSet& within) {
  std::vector<std::uint32_t> peers;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    if (r != rank && (within.empty() || within.index_of(ranks[r].context.rank.rank()))) peers.push_back(r);
  }
  return peers;
}

void find_cause(Ranks ranks, std::uint32_t rank, const RankSet& within, Judgement& judgement) {
  if (judgement.persistence == Persistence::kNone) return;
  const std::vector<std::uint32_t> others = peers_of(ranks, rank, within);
  const std::vector<std::int64_t> concerned = steps_concerned(judgement);
  Cost cost;
  for (const std::int64_t step : concerned) cost += judgement.step_costs.at(step);
  judgement.cause = explain(ranks, rank, others, concerned, lateness(cost));
  // In the shadow of a rank that costs more, and without a reason of its own: an echo of the other's lateness.
  if (judgement.steps > 0 && judgement.top_steps.empty() && !judgement.cause->named()) {
    judgement.verdict = RankVerdict::kNone;
    judgement.persistence = Persistence::kNone;
    judgement.cause.reset();
  }
}

}  // namespace

std::string_view verdict_name(RankVerdict verdict) {
  switch (verdict) {
    case RankVerdict::kStraggler: return "straggler";
    case RankVerdict::kTransient: return "transient";
    case RankVerdict::kNone: return "none";
  }
  return {};
}

std::string_view persistence_name(Persistence persistence) {
  switch (persistence) {
    case Persistence::kPersistent: return "persistent";
    case Persistence::kTransient: return "transient";
    case Persistence::kRotating: return "rotating";
    case Persistence::kNone: return {};
  }
  return {};
}

Verdicts judge(Ranks ranks, const std::vector<Account>& accounts) {
  std::vector<Judgement> judgements(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    judgements[r].cost = accounts[r].cost;
    judgements[r].step_costs = accounts[r].steps;
  }
  const std::map<std::int64_t, Top> tops = find_tops(ranks, judgements);
  for (std::size_t r = 0; r < ranks.size(); ++r)
    decide(accounts[r].all.owed_count, accounts[r].all.collectives, judgements[r]);
  const std::optional<Rotation> rotation = find_rotation(tops, judgements);
  for (std::uint32_t r = 0; r < ranks.size(); ++r) find_cause(ranks, r, accounts[r].within, judgements[r]);
  return {std::move(judgements), rotation};
}

Verdicts judge_by_busy_time(Ranks ranks) {
  std::vector<Judgement> judgements(ranks.size());
  if (ranks.size() < 2) return {std::move(judgements), std::nullopt};
  std::map<std::int64_t, std::vector<Nanos>> busy;
  for (const auto& rank : ranks) {
    for (const StepWork& work : rank.partial.steps) busy[work.step].push_back(work.busy_ns());
  }
  for (auto& [step, times] : busy) std::sort(times.begin(), times.end());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (const StepWork& work : ranks[r].partial.steps) {
      const std::vector<Nanos>& all = busy[work.step];
      if (all.size() < 2) continue;
      const Nanos excess_ns = work.busy_ns() - divide_half_even(median_of_others_times_2(all, work.busy_ns()), 2);
      if (excess_ns <= 0) continue;
      const Cost cost{excess_ns, excess_ns};
      judgements[r].step_costs[work.step] = cost;
      judgements[r].cost += cost;
    }
  }
  const std::map<std::int64_t, Top> tops = find_tops(ranks, judgements);
  for (Judgement& judgement : judgements) decide(0, 0, judgement);
  const std::optional<Rotation> rotation = find_rotation(tops, judgements);
  for (std::uint32_t r = 0; r < ranks.size(); ++r) find_cause(ranks, r, RankSet(), judgements[r]);
  return {std::move(judgements), rotation};
}

}  // namespace hta::analysis::comm
