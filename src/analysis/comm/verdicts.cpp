#include "verdicts.h"

#include <algorithm>
#include <map>

#include "hta/base/exact.h"

namespace hta::analysis::comm {
namespace {

constexpr std::int64_t kOftenPct = 50;      // last in that share of collectives or steps: no accident
constexpr std::int64_t kFloorPct = 5;       // of the step time: below, nobody is named
constexpr std::int64_t kOneStepPct = 80;    // of the cost in one step: transient
constexpr std::int64_t kStepFloorPct = 10;  // of that step's time

bool at_least(Int128 part, std::int64_t pct, Int128 whole) { return whole > 0 && part * 100 >= whole * pct; }

// Costs of all ranks by step: who is on top where.
using StepCosts = std::vector<std::map<std::int64_t, Nanos>>;

void count_steps(Ranks ranks, const StepCosts& costs, std::vector<Judgement>& judgements) {
  std::map<std::int64_t, std::pair<Nanos, std::size_t>> top;
  for (std::size_t r = 0; r < costs.size(); ++r) {
    for (const auto& [step, cost_ns] : costs[r]) {
      if (step == kNoStep) continue;
      auto& [most_ns, who] = top.try_emplace(step, 0, r).first->second;
      if (cost_ns > most_ns) most_ns = cost_ns, who = r;
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

void decide(const std::map<std::int64_t, Nanos>& step_costs, std::int64_t often_count, std::int64_t of_count, Judgement& judgement) {
  const auto most = std::max_element(step_costs.begin(), step_costs.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const bool counts = at_least(judgement.cost_ns, kFloorPct, judgement.time_ns);
  if (judgement.steps > 1 && most != step_costs.end() && most->first != kNoStep && at_least(most->second, kOneStepPct, judgement.cost_ns) &&
      (counts || at_least(most->second, kStepFloorPct, judgement.time_ns / judgement.steps))) {
    judgement.verdict = RankVerdict::kTransient;
    judgement.step = most->first;
  } else if (counts && (at_least(often_count, kOftenPct, of_count) || at_least(judgement.top_steps, kOftenPct, judgement.steps))) {
    judgement.verdict = RankVerdict::kStraggler;
  }
}

void find_cause(Ranks ranks, std::uint32_t rank, const std::vector<std::uint32_t>& others, const std::map<std::int64_t, Nanos>& step_costs, Judgement& judgement) {
  if (judgement.verdict == RankVerdict::kNone) return;
  std::vector<std::int64_t> steps;
  Nanos late_ns = judgement.cost_ns;
  if (judgement.step) {
    steps = {*judgement.step};
    late_ns = step_costs.at(*judgement.step);
  } else if (judgement.steps > 0) {
    late_ns = 0;
    for (const auto& [step, cost_ns] : step_costs) {
      if (step == kNoStep) continue;
      steps.push_back(step);
      late_ns += cost_ns;
    }
    if (steps.empty()) late_ns = judgement.cost_ns;
  }
  judgement.cause = explain(ranks, rank, others, steps, late_ns);
}

// Ranks of the group in which the rank costs most: those do the same work.
std::vector<std::uint32_t> peers(Ranks ranks, const Matching& matching, std::uint32_t rank, std::uint32_t group) {
  const std::vector<std::int64_t>& members = matching.groups[group].ranks;
  std::vector<std::uint32_t> out;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    if (r != rank && (members.empty() || std::binary_search(members.begin(), members.end(), ranks[r].context.rank.rank()))) out.push_back(r);
  }
  return out;
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

std::vector<Judgement> judge(Ranks ranks, const Matching& matching, const std::vector<Account>& accounts) {
  std::vector<Judgement> judgements(ranks.size());
  StepCosts costs;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    judgements[r].cost_ns = accounts[r].cost_ns;
    costs.push_back(accounts[r].step_cost_ns);
  }
  count_steps(ranks, costs, judgements);
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    const Account& account = accounts[r];
    decide(costs[r], account.owed_count, account.collectives, judgements[r]);
    if (account.worst_group) find_cause(ranks, r, peers(ranks, matching, r, *account.worst_group), costs[r], judgements[r]);
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
  StepCosts costs(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (const StepWork& work : ranks[r].partial.steps) {
      std::vector<Nanos> others = busy[work.step];
      if (others.size() < 2) continue;
      others.erase(std::find(others.begin(), others.end(), work.busy_ns()));
      const Nanos excess_ns = work.busy_ns() - divide_half_even(*median_times_2(others), 2);
      if (excess_ns <= 0) continue;
      costs[r][work.step] = excess_ns;
      judgements[r].cost_ns += excess_ns;
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
