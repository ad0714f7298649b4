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

// Also who is on top in which step.
void count_steps(Ranks ranks, const std::vector<StepCosts>& costs, std::vector<Judgement>& judgements) {
  std::map<std::int64_t, std::pair<Nanos, std::size_t>> top;
  for (std::size_t r = 0; r < costs.size(); ++r) {
    for (const auto& [step, cost] : costs[r]) {
      if (step == kNoStep) continue;
      auto& [most_ns, who] = top.try_emplace(step, 0, r).first->second;
      if (cost.wait_ns > most_ns) most_ns = cost.wait_ns, who = r;
    }
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    Judgement& judgement = judgements[r];
    for (const StepWork& work : ranks[r].partial.steps) {
      if (work.step == kNoStep) continue;
      ++judgement.steps;
      judgement.time_ns += work.window_ns;
    }
    if (judgement.steps == 0) judgement.time_ns = ranks[r].partial.span_ns;
    const Nanos step_ns = judgement.steps > 0 ? judgement.time_ns / judgement.steps : 0;
    for (const auto& [step, most] : top) {
      judgement.top_steps += most.second == r && at_least(most.first, kFloorPct, step_ns) ? 1 : 0;
    }
  }
}

void decide(const StepCosts& steps, std::int64_t often_count, std::int64_t of_count, Judgement& judgement) {
  const auto most = std::max_element(steps.begin(), steps.end(),
                                     [](const auto& a, const auto& b) { return a.second.wait_ns < b.second.wait_ns; });
  const bool counts = at_least(judgement.cost.wait_ns, kFloorPct, judgement.time_ns);
  if (judgement.steps > 1 && most != steps.end() && most->first != kNoStep &&
      at_least(most->second.wait_ns, kOneStepPct, judgement.cost.wait_ns) &&
      (counts || at_least(most->second.wait_ns, kStepFloorPct, judgement.time_ns / judgement.steps))) {
    judgement.verdict = RankVerdict::kTransient;
    judgement.step = most->first;
  } else if (counts && (at_least(often_count, kOftenPct, of_count) ||
                        at_least(judgement.top_steps, kOftenPct, judgement.steps))) {
    judgement.verdict = RankVerdict::kStraggler;
  }
}

// Lateness is what is not hidden; where all is, the wait itself.
Nanos lateness(const Cost& cost) {
  return cost.exposed_ns > 0 ? cost.exposed_ns : cost.wait_ns;
}

void find_cause(Ranks ranks, std::uint32_t rank, const std::vector<std::uint32_t>& others, const StepCosts& steps,
                Judgement& judgement) {
  if (judgement.verdict == RankVerdict::kNone) return;
  std::vector<std::int64_t> concerned;
  Cost cost;
  for (const auto& [step, of_step] : steps) {
    if (judgement.step ? step != *judgement.step : step == kNoStep && judgement.steps > 0) continue;
    concerned.push_back(step);
    cost += of_step;
  }
  judgement.cause = explain(ranks, rank, others, concerned, lateness(cost));
  // In the shadow of a rank that costs more, and without a reason of its own: an echo of the other's lateness.
  if (judgement.verdict == RankVerdict::kTransient && judgement.top_steps == 0 && !judgement.cause->named()) {
    judgement.verdict = RankVerdict::kNone;
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

std::vector<Judgement> judge(Ranks ranks, const std::vector<Account>& accounts) {
  std::vector<Judgement> judgements(ranks.size());
  std::vector<StepCosts> costs;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    judgements[r].cost = accounts[r].cost;
    costs.push_back(accounts[r].steps);
  }
  count_steps(ranks, costs, judgements);
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    const Account& account = accounts[r];
    decide(costs[r], account.owed_count, account.collectives, judgements[r]);
    find_cause(ranks, r, account.peers, costs[r], judgements[r]);
  }
  return judgements;
}

std::vector<Judgement> judge_by_busy_time(Ranks ranks) {
  std::vector<Judgement> judgements(ranks.size());
  if (ranks.size() < 2) return judgements;
  std::map<std::int64_t, std::vector<Nanos>> busy;
  for (const auto& rank : ranks) {
    for (const StepWork& work : rank.partial.steps) busy[work.step].push_back(work.busy_ns());
  }
  std::vector<StepCosts> costs(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (const StepWork& work : ranks[r].partial.steps) {
      std::vector<Nanos> others = busy[work.step];
      if (others.size() < 2) continue;
      others.erase(std::find(others.begin(), others.end(), work.busy_ns()));
      const Nanos excess_ns = work.busy_ns() - divide_half_even(*median_times_2(others), 2);
      if (excess_ns <= 0) continue;
      costs[r][work.step] = {excess_ns, excess_ns};
      judgements[r].cost += costs[r][work.step];
    }
  }
  count_steps(ranks, costs, judgements);
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    decide(costs[r], 0, 0, judgements[r]);
    std::vector<std::uint32_t> others;
    for (std::uint32_t o = 0; o < ranks.size(); ++o) {
      if (o != r) others.push_back(o);
    }
    find_cause(ranks, r, others, costs[r], judgements[r]);
  }
  return judgements;
}

}  // namespace hta::analysis::comm
