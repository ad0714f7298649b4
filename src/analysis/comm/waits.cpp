#include "waits.h"

#include "hta/base/exact.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace hta::analysis::comm {
namespace {

Nanos median(std::vector<Nanos>& values) {
  const auto twice = median_times_2(values);
  return twice ? divide_half_even(*twice, 2) : 0;
}

class Blame {
 public:
  Blame(Ranks ranks, const Matching& matching, const Clocks& clocks)
      : ranks_(ranks), matching_(matching), clocks_(clocks), history_(ranks.size()), debts_(ranks.size()) {}

  std::vector<Wait> run() {
    std::vector<Wait> waits;
    for (std::uint32_t i = 0; i < matching_.instances.size(); ++i) {
      if (matching_.instances[i].count > 1) waits.push_back(measure(i));
    }
    std::sort(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) {
      return std::tuple(a.arrived_ns, a.instance) < std::tuple(b.arrived_ns, b.instance);
    });
    for (Wait& wait : waits) {
      grow_debts(wait);
      wait.owed = wait.last ? std::optional(culprit(wait)) : std::nullopt;
      settle_debts(wait);
      remember(wait);
    }
    return waits;
  }

 private:
  // What a rank waited in a group, and for whom.
  struct Held {
    std::uint32_t group = 0;
    Nanos wait_ns = 0;
    std::optional<std::uint32_t> owed;
  };

  std::span<const Member> members(const Wait& wait) const { return matching_.of(matching_.instances[wait.instance]); }

  Wait measure(std::uint32_t instance) const {
    Wait wait;
    wait.instance = instance;
    wait.transfer_ns = INT64_MAX;
    std::optional<Member> last;
    std::optional<Member> second;
    for (const Member m : members(wait)) {
      wait.transfer_ns = std::min(wait.transfer_ns, at(ranks_, m).dur_ns);
      if (!last || clocks_.start_ns(m) > clocks_.start_ns(*last)) second = std::exchange(last, m);
      else if (!second || clocks_.start_ns(m) > clocks_.start_ns(*second)) second = m;
    }
    wait.arrived_ns = clocks_.start_ns(*last);
    if (wait.arrived_ns - clocks_.start_ns(*second) > clocks_.doubt_ns(last->rank, second->rank))
      wait.last = last->rank;
    return wait;
  }

  // The last one, unless what holds it up in other groups explains at least half of its lateness.
  std::uint32_t culprit(const Wait& wait) {
    const std::uint32_t last = *wait.last;
    std::vector<Nanos> starts;
    for (const Member m : members(wait)) {
      if (m.rank != last) starts.push_back(clocks_.start_ns(m));
    }
    const Nanos late_ns = wait.arrived_ns - median(starts);
    const Held& debt = debts_[last][matching_.instances[wait.instance].group];
    return debt.owed && debt.wait_ns * 2 >= late_ns ? *debt.owed : last;
  }

  // A rank that waited longer in other groups than its partners here comes late without fault of its own. That lasts
  // until the partners have waited for it with nothing else to do: waits that their own work hides change nothing.
  void grow_debts(const Wait& wait) {
    const std::uint32_t group = matching_.instances[wait.instance].group;
    std::vector<Held> held;
    std::vector<Nanos> times;
    for (const Member m : members(wait)) times.push_back(held.emplace_back(held_up(m.rank, group)).wait_ns);
    const Nanos usual_ns = median(times);
    for (std::size_t i = 0; i < held.size(); ++i) {
      Held& debt = debts_[members(wait)[i].rank].try_emplace(group, Held{group, 0, std::nullopt}).first->second;
      const Nanos excess_ns = held[i].wait_ns - usual_ns;
      if (excess_ns > debt.wait_ns) debt.owed = held[i].owed;
      debt.wait_ns = std::max<Nanos>(0, debt.wait_ns + excess_ns);
    }
  }

  void settle_debts(const Wait& wait) {
    Nanos exposed_ns = 0;
    for (const Member m : members(wait))
      exposed_ns += std::min(at(ranks_, m).dur_ns - wait.transfer_ns, at(ranks_, m).exposed_ns);
    const Nanos settled_ns = exposed_ns / static_cast<Nanos>(members(wait).size() - 1);
    for (const Member m : members(wait)) {
      Held& debt = debts_[m.rank][matching_.instances[wait.instance].group];
      debt.wait_ns = std::max<Nanos>(0, debt.wait_ns - settled_ns);
    }
  }

  // Sum of the waits of `rank` in other groups since it last met `group`, and who is to blame for the longest.
  Held held_up(std::uint32_t rank, std::uint32_t group) const {
    Held sum{group, 0, std::nullopt};
    Nanos longest_ns = 0;
    const std::vector<Held>& past = history_[rank];
    for (auto at = past.rbegin(); at != past.rend() && at->group != group; ++at) {
      sum.wait_ns += at->wait_ns;
      if (at->wait_ns > longest_ns) {
        longest_ns = at->wait_ns;
        sum.owed = at->owed;
      }
    }
    return sum;
  }

  void remember(const Wait& wait) {
    const std::uint32_t group = matching_.instances[wait.instance].group;
    for (const Member m : members(wait))
      history_[m.rank].push_back({group, at(ranks_, m).dur_ns - wait.transfer_ns, wait.owed});
  }

  Ranks ranks_;
  const Matching& matching_;
  const Clocks& clocks_;
  std::vector<std::vector<Held>> history_;            // by rank, in order of time
  std::vector<std::map<std::uint32_t, Held>> debts_;  // by rank and group: unsettled, and to whom it is owed
};

// Groups with the same ranks are one: their waits follow one another.
std::vector<std::uint32_t> rank_sets(const Matching& matching) {
  std::map<RankSet, std::uint32_t> first_with;
  std::vector<std::uint32_t> out;
  for (std::uint32_t g = 0; g < matching.groups.size(); ++g) {
    const RankSet& ranks = matching.groups[g].ranks;
    out.push_back(ranks.empty() ? g : first_with.try_emplace(ranks, g).first->second);
  }
  return out;
}

class Accountant {
 public:
  Accountant(Ranks ranks, const Matching& matching)
      : ranks_(ranks),
        matching_(matching),
        set_of_(rank_sets(matching)),
        accounts_(ranks.size()),
        by_set_(ranks.size()) {}

  std::vector<Account> run(const std::vector<Wait>& waits) {
    for (const Wait& wait : waits) {
      const Member first = matching_.of(matching_.instances[wait.instance]).front();
      if (signature(ranks_, first).pairing == Pairing::kGroup) book(wait);
    }
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) take_worst(r);
    return std::move(accounts_);
  }

 private:
  // The three tallies of a rank that an instance of `group` in `step` belongs to.
  template <class Change>
  void change(std::uint32_t rank, std::uint32_t group, std::int64_t step, Change apply) {
    Account& account = accounts_[rank];
    for (Tally* tally : {&account.all, &account.by_step[step], &account.by_group[group]}) apply(*tally);
  }

  void book(const Wait& wait) {
    const Instance& instance = matching_.instances[wait.instance];
    Cost sum;
    const Collective* of_owed = nullptr;
    const Collective* of_last = nullptr;
    for (const Member m : matching_.of(instance)) {
      const Collective& c = at(ranks_, m);
      const Nanos wait_ns = c.dur_ns - wait.transfer_ns;
      change(m.rank, instance.group, c.step, [&](Tally& tally) {
        ++tally.collectives;
        tally.wait_suffered_ns += wait_ns;
      });
      if (m.rank != wait.last) sum += {wait_ns, std::min(wait_ns, c.exposed_ns)};
      if (m.rank == wait.last) of_last = &c;
      if (m.rank == wait.owed) of_owed = &c;
    }
    if (!wait.last) return;
    change(*wait.last, instance.group, of_last->step, [&](Tally& tally) {
      ++tally.last_count;
      tally.wait_caused_ns += sum.wait_ns;
    });
    change(*wait.owed, instance.group, of_last->step, [&](Tally& tally) {
      tally.wait_owed_ns += sum.wait_ns;
      tally.owed_count += of_owed != nullptr ? 1 : 0;
    });
    if (of_owed == nullptr) return;  // passed on from a group of others: its own group tells what that costs
    const auto others = static_cast<Nanos>(instance.count) - 1;
    by_set_[*wait.owed][set_of_[instance.group]][of_owed->step] +=
        {divide_half_even(sum.wait_ns, others), divide_half_even(sum.exposed_ns, others)};
  }

  void take_worst(std::uint32_t rank) {
    Account& account = accounts_[rank];
    std::optional<std::uint32_t> worst;
    for (const auto& [set, steps] : by_set_[rank]) {
      Cost cost;
      for (const auto& [step, of_step] : steps) cost += of_step;
      if (worst && cost.wait_ns <= account.cost.wait_ns) continue;
      worst = set;
      account.cost = cost;
      account.steps = steps;
    }
    if (worst) account.within = matching_.groups[*worst].ranks;
  }

  Ranks ranks_;
  const Matching& matching_;
  std::vector<std::uint32_t> set_of_;
  std::vector<Account> accounts_;
  std::vector<std::map<std::uint32_t, StepCosts>> by_set_;  // by rank: what it costs in every set of ranks
};

}  // namespace

std::vector<Wait> find_waits(Ranks ranks, const Matching& matching, const Clocks& clocks) {
  return Blame(ranks, matching, clocks).run();
}

std::vector<Account> make_accounts(Ranks ranks, const Matching& matching, const std::vector<Wait>& waits) {
  return Accountant(ranks, matching).run(waits);
}

}  // namespace hta::analysis::comm
