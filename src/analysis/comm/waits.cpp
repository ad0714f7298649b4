#include "waits.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "hta/base/exact.h"

namespace hta::analysis::comm {
namespace {

Nanos median(std::vector<Nanos>& values) {
  const auto twice = median_times_2(values);
  return twice ? divide_half_even(*twice, 2) : 0;
}

class Blame {
 public:
  Blame(Ranks ranks, const Matching& matching, const Clocks& clocks)
      : ranks_(ranks), matching_(matching), clocks_(clocks), history_(ranks.size()) {}

  std::vector<Wait> run() {
    std::vector<Wait> waits;
    for (std::uint32_t i = 0; i < matching_.instances.size(); ++i) {
      if (matching_.instances[i].count > 1) waits.push_back(measure(i));
    }
    std::sort(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) { return std::tuple(a.arrived_ns, a.instance) < std::tuple(b.arrived_ns, b.instance); });
    for (Wait& wait : waits) {
      wait.owed = wait.last ? std::optional(culprit(wait)) : std::nullopt;
      remember(wait);
    }
    return waits;
  }

 private:
  // What a rank lived through in one instance.
  struct Held {
    std::uint32_t group;
    Nanos wait_ns;
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
    if (wait.arrived_ns - clocks_.start_ns(*second) > clocks_.doubt_ns(last->rank, second->rank)) wait.last = last->rank;
    return wait;
  }

  // The last one, unless waits in other groups since this group met explain at least half of its lateness.
  std::uint32_t culprit(const Wait& wait) const {
    const std::uint32_t last = *wait.last;
    const std::uint32_t group = matching_.instances[wait.instance].group;
    std::vector<Nanos> starts;
    std::vector<Nanos> held;
    for (const Member m : members(wait)) {
      if (m.rank == last) continue;
      starts.push_back(clocks_.start_ns(m));
      held.push_back(held_up(m.rank, group).wait_ns);
    }
    const Nanos late_ns = wait.arrived_ns - median(starts);
    const Held longest = held_up(last, group);
    const Nanos excess_ns = longest.wait_ns - median(held);
    return longest.owed && excess_ns * 2 >= late_ns ? *longest.owed : last;
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
    for (const Member m : members(wait)) history_[m.rank].push_back({group, at(ranks_, m).dur_ns - wait.transfer_ns, wait.owed});
  }

  Ranks ranks_;
  const Matching& matching_;
  const Clocks& clocks_;
  std::vector<std::vector<Held>> history_;
};

}  // namespace

std::vector<Wait> find_waits(Ranks ranks, const Matching& matching, const Clocks& clocks) { return Blame(ranks, matching, clocks).run(); }

std::vector<Account> make_accounts(Ranks ranks, const Matching& matching, const std::vector<Wait>& waits) {
  std::vector<Account> accounts(ranks.size());
  std::vector<std::map<std::uint32_t, Nanos>> by_group(ranks.size());
  for (const Wait& wait : waits) {
    const Instance& instance = matching.instances[wait.instance];
    const std::span<const Member> members = matching.of(instance);
    if (signature(ranks, members.front()).pairing == Pairing::kPair) continue;
    Nanos sum_ns = 0;
    Nanos exposed_ns = 0;
    const Collective* of_owed = nullptr;
    for (const Member m : members) {
      const Nanos wait_ns = at(ranks, m).dur_ns - wait.transfer_ns;
      ++accounts[m.rank].collectives;
      accounts[m.rank].wait_suffered_ns += wait_ns;
      if (m.rank != wait.last) {
        sum_ns += wait_ns;
        exposed_ns += std::min(wait_ns, at(ranks, m).exposed_ns);
      }
      if (m.rank == wait.owed) of_owed = &at(ranks, m);
    }
    if (!wait.last) continue;
    ++accounts[*wait.last].last_count;
    accounts[*wait.last].wait_caused_ns += sum_ns;
    Account& owed = accounts[*wait.owed];
    owed.wait_owed_ns += sum_ns;
    if (of_owed == nullptr) continue;  // blame from a group of others costs no further time: they wait meanwhile
    const auto others = static_cast<Nanos>(instance.count) - 1;
    const StepBlame blame{divide_half_even(sum_ns, others), divide_half_even(exposed_ns, others)};
    ++owed.owed_count;
    owed.wait_each_ns += blame.wait_each_ns;
    owed.cost_ns += blame.cost_ns;
    StepBlame& step = owed.steps[of_owed->step];
    step.wait_each_ns += blame.wait_each_ns;
    step.cost_ns += blame.cost_ns;
    by_group[*wait.owed][instance.group] += blame.wait_each_ns;
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto worst = std::max_element(by_group[r].begin(), by_group[r].end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (worst != by_group[r].end()) accounts[r].worst_group = worst->first;
  }
  return accounts;
}

}  // namespace hta::analysis::comm
