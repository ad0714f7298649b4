#include "match.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace hta::analysis::comm {
namespace {

constexpr std::size_t kAlignCells = 16'000'000;
constexpr std::int64_t kNoPartner = INT64_MAX / 2;  // numbers of operations that no other sequence has start here

struct Key {
  std::uint32_t group = 0;
  MatchMethod method = MatchMethod::kOrder;
  int window = 0;
  std::int64_t number = 0;  // Seq, or the place in the aligned sequence
  std::uint64_t comms_id = 0;
  std::int64_t source = -1;  // of pairs
  std::int64_t destination = -1;
  std::int64_t occurrence = 0;
  auto operator<=>(const Key&) const = default;
};

struct Entry {
  Key key;
  Member member;
  auto order() const { return std::tuple(key, member.rank, member.collective); }
};

class Matcher {
 public:
  explicit Matcher(Ranks ranks) : ranks_(ranks) {}

  Matching run() {
    unite_groups();
    make_entries();
    distrust_pair_numbers();
    align_unnumbered();
    number_occurrences();
    make_instances();
    count_disorder();
    return std::move(out_);
  }

 private:
  void unite_groups() {
    std::map<Group, std::uint32_t> ids;
    for (const auto& rank : ranks_) {
      for (const Group& group : rank.partial.groups) ids.try_emplace(group, 0);
    }
    for (auto& [group, id] : ids) {
      id = static_cast<std::uint32_t>(out_.groups.size());
      out_.groups.push_back(group);
    }
    out_.loaded.assign(out_.groups.size(), 0);
    out_.out_of_order.assign(out_.groups.size(), 0);
    for (const auto& rank : ranks_) {
      std::vector<std::uint32_t>& of_rank = group_ids_.emplace_back();
      for (const Group& group : rank.partial.groups) of_rank.push_back(ids.at(group));
    }
    for (std::size_t g = 0; g < out_.groups.size(); ++g) {
      for (const auto& rank : ranks_) out_.loaded[g] += out_.groups[g].ranks.index_of(rank.context.rank.rank()) ? 1 : 0;
    }
    for (const std::vector<std::uint32_t>& of_rank : group_ids_) {
      for (const std::uint32_t g : of_rank) out_.loaded[g] += out_.groups[g].ranks.empty() ? 1 : 0;
    }
  }

  void make_entries() {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      const RankComm& rank = ranks_[r].partial;
      for (std::uint32_t i = 0; i < rank.collectives.size(); ++i) {
        const Collective& c = rank.collectives[i];
        Key key;
        key.group = group_ids_[r][c.group];
        key.window = ranks_[r].context.rank.window();
        key.number = c.seq;
        if (rank.signatures[c.signature].pairing != Pairing::kGroup) {
          key.source = c.source;
          key.destination = c.destination;
        }
        if (c.comms_id != 0) {
          key.method = MatchMethod::kCommsId;
          key.comms_id = c.comms_id;
        } else if (c.seq >= 0) {
          key.method = MatchMethod::kSequence;
        } else {
          set_aside(key, {r, i});
          continue;
        }
        entries_.push_back({key, {r, i}});
      }
    }
  }

  void set_aside(Key key, Member member) {
    key.method = MatchMethod::kOrder;
    key.number = 0;
    unnumbered_[key][member.rank].push_back(member.collective);
  }

  // Some writers number the sends and receives of a process group on each rank for itself. Where the two ends of a pair
  // never agree, their order has to do.
  void distrust_pair_numbers() {
    struct Ends {
      std::map<std::uint32_t, std::set<std::int64_t>> numbers;  // by rank
      bool agree() const {
        const std::set<std::int64_t>& one = numbers.begin()->second;
        const std::set<std::int64_t>& two = numbers.rbegin()->second;
        return std::any_of(one.begin(), one.end(), [&](std::int64_t number) { return two.contains(number); });
      }
    };
    const auto pair_of = [](Key key) {
      key.number = 0;
      return key;
    };
    const auto is_numbered_pair = [&](const Entry& entry) {
      return entry.key.method == MatchMethod::kSequence && signature(ranks_, entry.member).pairing == Pairing::kPair;
    };
    std::map<Key, Ends> pairs;
    for (const Entry& entry : entries_) {
      if (is_numbered_pair(entry)) pairs[pair_of(entry.key)].numbers[entry.member.rank].insert(entry.key.number);
    }
    if (pairs.empty()) return;
    std::erase_if(entries_, [&](const Entry& entry) {
      if (!is_numbered_pair(entry) || pairs[pair_of(entry.key)].agree()) return false;
      set_aside(entry.key, entry.member);
      return true;
    });
  }

  std::uint64_t token(Member m) const {
    const Collective& c = at(ranks_, m);
    const Signature& s = signature(ranks_, m);
    std::uint64_t hash = std::hash<std::string_view>{}(s.kind);
    const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15u; };
    add(std::hash<std::string>{}(s.dtype));
    add(static_cast<std::uint64_t>(c.step));
    // Where each rank sends its own share, sizes tell nothing; what two exchange is the same seen from both ends.
    if (s.pairing == Pairing::kExchange) add(static_cast<std::uint64_t>(c.in_elements + c.out_elements));
    else if (s.kind != "all_to_all") add(static_cast<std::uint64_t>(c.in_elements));
    return hash;
  }

  std::vector<std::uint64_t> tokens(std::uint32_t rank, const std::vector<std::uint32_t>& sequence) const {
    std::vector<std::uint64_t> out;
    for (const std::uint32_t i : sequence) out.push_back(token({rank, i}));
    return out;
  }

  // Places in the longest sequence are the numbers; what it does not have stays alone.
  void align_unnumbered() {
    for (const auto& [where, sequences] : unnumbered_) {
      const auto longest = std::max_element(sequences.begin(), sequences.end(), [](const auto& a, const auto& b) {
        return a.second.size() < b.second.size();
      });
      const std::vector<std::uint64_t> reference = tokens(longest->first, longest->second);
      for (const auto& [r, sequence] : sequences) {
        std::vector<std::int64_t> number(sequence.size());
        for (std::size_t i = 0; i < sequence.size(); ++i)
          number[i] =
              kNoPartner + static_cast<std::int64_t>(r) * (std::int64_t{1} << 32) + static_cast<std::int64_t>(i);
        for (const auto& [in_reference, own] : align(reference, tokens(r, sequence), kAlignCells))
          number[own] = in_reference;
        for (std::size_t i = 0; i < sequence.size(); ++i) {
          Key key = where;
          key.number = number[i];
          entries_.push_back({key, {r, sequence[i]}});
        }
      }
    }
  }

  void sort_entries() {
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.order() < b.order(); });
  }

  // Several kernels of one rank under one number: the first goes with the first of the others.
  void number_occurrences() {
    sort_entries();
    for (std::size_t i = 1; i < entries_.size(); ++i) {
      Key before = entries_[i - 1].key;
      const std::int64_t occurrence = std::exchange(before.occurrence, 0);
      if (before == entries_[i].key && entries_[i - 1].member.rank == entries_[i].member.rank)
        entries_[i].key.occurrence = occurrence + 1;
    }
    sort_entries();
  }

  void make_instances() {
    for (std::size_t first = 0; first < entries_.size();) {
      std::size_t last = first;
      while (last < entries_.size() && entries_[last].key == entries_[first].key)
        out_.members.push_back(entries_[last++].member);
      Instance instance;
      instance.group = entries_[first].key.group;
      instance.method = entries_[first].key.method;
      instance.first = static_cast<std::uint32_t>(first);
      instance.count = static_cast<std::uint32_t>(last - first);
      compare_members(instance);
      out_.instances.push_back(instance);
      first = last;
    }
  }

  void compare_members(Instance& instance) const {
    const std::span<const Member> members = out_.of(instance);
    const Signature& first = signature(ranks_, members.front());
    const bool of_two = first.pairing != Pairing::kGroup && at(ranks_, members.front()).source >= 0;
    const std::int64_t partners =
        of_two ? std::min<std::int64_t>(2, out_.loaded[instance.group]) : out_.loaded[instance.group];
    if (partners < 2) instance.state = MatchState::kAlone;
    else if (instance.count == 1) instance.state = MatchState::kUnmatched;
    else instance.state = instance.count < partners ? MatchState::kPartial : MatchState::kMatched;
    // Sizes may differ by design where every rank sends its own share.
    const bool even = first.kind == "all_reduce" || first.kind == "broadcast" || first.kind == "reduce" ||
                      first.kind == "reduce_scatter" || first.kind == "all_gather";
    for (const Member m : members) {
      const Signature& other = signature(ranks_, m);
      instance.kinds_differ |= other.kind != first.kind;
      instance.dtypes_differ |= other.dtype != first.dtype;
      instance.sizes_differ |= even && at(ranks_, m).in_elements != at(ranks_, members.front()).in_elements;
    }
  }

  void count_disorder() {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      std::map<std::uint32_t, std::int64_t> reached;
      for (const Collective& c : ranks_[r].partial.collectives) {
        if (c.seq < 0 || ranks_[r].partial.signatures[c.signature].pairing != Pairing::kGroup) continue;
        std::int64_t& highest = reached.try_emplace(group_ids_[r][c.group], c.seq).first->second;
        out_.out_of_order[group_ids_[r][c.group]] += c.seq < highest ? 1 : 0;
        highest = std::max(highest, c.seq);
      }
    }
  }

  Ranks ranks_;
  Matching out_;
  std::vector<std::vector<std::uint32_t>> group_ids_;  // by rank: of its groups
  std::vector<Entry> entries_;
  // By all of the key but the number, then by rank.
  std::map<Key, std::map<std::uint32_t, std::vector<std::uint32_t>>> unnumbered_;
};

}  // namespace

std::string_view match_method_name(MatchMethod method) {
  switch (method) {
    case MatchMethod::kCommsId: return "comms_id";
    case MatchMethod::kSequence: return "seq";
    case MatchMethod::kOrder: return "order";
  }
  return {};
}

Matching match(Ranks ranks) {
  return Matcher(ranks).run();
}

}  // namespace hta::analysis::comm
