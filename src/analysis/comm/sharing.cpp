#include "sharing.h"

#include "hta/base/exact.h"
#include "hta/base/human.h"
#include "hta/base/text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "bandwidth.h"

namespace hta::analysis::comm {
namespace {

using result::Cell;

constexpr std::int64_t kWorthWordsPct = 5;  // of the transfer time of either

// When the data of a collective moved, on one rank.
struct Transfer {
  Nanos start_ns = 0;
  Nanos end_ns = 0;
  std::uint32_t kind = 0;  // of group
  std::optional<std::int64_t> bus_bytes;
};

struct Shared {
  Nanos overlap_ns = 0;
  Int128 bytes = 0;  // moved by both meanwhile
  bool sized = true;
  std::set<std::uint32_t> ranks;
};

// Groups that differ in their members alone are of one kind: "dp (8 ranks)".
std::string kind_of(const Group& group) {
  const std::string text = group.description.empty() ? "groups" : group.description;
  return group.size > 0 ? text + " (" + std::to_string(group.size) + " ranks)" : text;
}

class Sharing {
 public:
  Sharing(Ranks ranks, const Matching& matching) : of_rank_(ranks.size()) {
    std::map<std::string, std::uint32_t> ids;
    for (const Group& group : matching.groups) ids.try_emplace(kind_of(group), 0);
    for (auto& [name, id] : ids) {
      id = static_cast<std::uint32_t>(names_.size());
      names_.push_back(name);
    }
    transfer_ns_.resize(names_.size());
    for (const Instance& instance : matching.instances) {
      if (instance.count < 2) continue;
      const Group& group = matching.groups[instance.group];
      Nanos shortest_ns = INT64_MAX;
      for (const Member m : matching.of(instance)) shortest_ns = std::min(shortest_ns, at(ranks, m).dur_ns);
      for (const Member m : matching.of(instance)) {
        const Collective& c = at(ranks, m);
        const auto volume = volume_of(c, signature(ranks, m), group);
        const std::uint32_t kind = ids.at(kind_of(group));
        of_rank_[m.rank].push_back(
            {c.end_ns() - shortest_ns, c.end_ns(), kind, volume ? std::optional(volume->bus_bytes) : std::nullopt});
        transfer_ns_[kind] += shortest_ns;
      }
    }
    for (std::uint32_t r = 0; r < of_rank_.size(); ++r) sweep(r);
  }

  void tabulate(result::Table& table) const {
    for (const auto& [kinds, shared] : pairs_) {
      table.add({names_[kinds.first], names_[kinds.second], static_cast<std::int64_t>(shared.ranks.size()),
                 shared.overlap_ns, percent(shared.overlap_ns, transfer_ns_[kinds.first]),
                 percent(shared.overlap_ns, transfer_ns_[kinds.second]),
                 shared.sized ? Cell(rate_of(shared.bytes, shared.overlap_ns)) : Cell(std::nullopt)});
    }
  }

  std::string sentence() const {
    const auto most = std::max_element(pairs_.begin(), pairs_.end(), [](const auto& a, const auto& b) {
      return a.second.overlap_ns < b.second.overlap_ns;
    });
    if (most == pairs_.end()) return {};
    const auto& [kinds, shared] = *most;
    const Nanos least_ns = std::min(transfer_ns_[kinds.first], transfer_ns_[kinds.second]);
    if (Int128{shared.overlap_ns} * 100 < Int128{least_ns} * kWorthWordsPct) return {};
    std::string text = "Transfers of " + names_[kinds.first] + " and " + names_[kinds.second] + " overlap for " +
                       human_time(shared.overlap_ns) + " (" +
                       human_percent(shared.overlap_ns, transfer_ns_[kinds.first]) + " and " +
                       human_percent(shared.overlap_ns, transfer_ns_[kinds.second]) +
                       " of their time): if they share links, the bandwidth of each is less than these give";
    const auto together = shared.sized ? rate_of(shared.bytes, shared.overlap_ns) : std::nullopt;
    if (together && *together > 0)
      text += "; together they reach " + fixed_point(divide_half_even(*together, 10'000), 2) + " GB/s";
    return text + ".";
  }

 private:
  void sweep(std::uint32_t rank) {
    std::vector<Transfer>& transfers = of_rank_[rank];
    std::sort(transfers.begin(), transfers.end(), [](const Transfer& a, const Transfer& b) {
      return std::tie(a.start_ns, a.end_ns, a.kind) < std::tie(b.start_ns, b.end_ns, b.kind);
    });
    std::vector<const Transfer*> running;
    for (const Transfer& next : transfers) {
      std::erase_if(running, [&](const Transfer* before) { return before->end_ns <= next.start_ns; });
      for (const Transfer* before : running) {
        if (before->kind != next.kind) add(rank, *before, next);
      }
      running.push_back(&next);
    }
    transfers = {};
  }

  void add(std::uint32_t rank, const Transfer& a, const Transfer& b) {
    Shared& shared = pairs_[std::minmax(a.kind, b.kind)];
    const Nanos overlap_ns = std::min(a.end_ns, b.end_ns) - b.start_ns;
    shared.overlap_ns += overlap_ns;
    shared.ranks.insert(rank);
    for (const Transfer* one : {&a, &b}) {
      shared.sized = shared.sized && one->bus_bytes.has_value();
      shared.bytes += divide_half_even(Int128{one->bus_bytes.value_or(0)} * overlap_ns,
                                       std::max<Nanos>(1, one->end_ns - one->start_ns));
    }
  }

  std::vector<std::string> names_;  // of kinds of groups
  std::vector<Nanos> transfer_ns_;  // by kind, over all ranks
  std::vector<std::vector<Transfer>> of_rank_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Shared> pairs_;
};

}  // namespace

std::string add_sharing(Ranks ranks, const Matching& matching, const result::TableSpec& spec,
                        result::Document& document) {
  const Sharing sharing(ranks, matching);
  result::Table table(spec);
  sharing.tabulate(table);
  document.tables.push_back(std::move(table));
  return sharing.sentence();
}

}  // namespace hta::analysis::comm
