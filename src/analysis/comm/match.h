#pragma once
// The same collective on all ranks that took part.

#include "hta/analysis/analysis.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "collect.h"

namespace hta::analysis::comm {

/// How the instances of a group were found, the best first.
enum class MatchMethod : std::uint8_t {
  kCommsId,   ///< equal ids of the communicator's operation, and equal occurrence
  kSequence,  ///< equal group and sequence number
  kOrder,     ///< aligned sequences of operations of the group
};
std::string_view match_method_name(MatchMethod method);  ///< comms_id, seq, order

enum class MatchState : std::uint8_t {
  kMatched,
  kPartial,
  kUnmatched,
  kAlone
};  ///< kAlone: no other member was loaded

/// A kernel of one rank, by positions in the span of ranks and in its collectives.
struct Member {
  std::uint32_t rank = 0;
  std::uint32_t collective = 0;
};

/// One collective operation.
struct Instance {
  std::uint32_t group = 0;  ///< Matching::groups
  std::uint32_t first = 0;  ///< of its members
  std::uint32_t count = 0;  ///< one per rank
  MatchMethod method = MatchMethod::kOrder;
  MatchState state = MatchState::kUnmatched;
  bool sizes_differ = false;
  bool dtypes_differ = false;
  bool kinds_differ = false;
};

struct Matching {
  std::vector<Group> groups;               ///< of all ranks together, sorted
  std::vector<std::int64_t> loaded;        ///< by group: ranks of it that were loaded
  std::vector<std::int64_t> out_of_order;  ///< by group: collectives that started before one with a smaller number
  std::vector<Instance> instances;         ///< by group, then number
  std::vector<Member> members;             ///< of one instance by rank

  std::span<const Member> of(const Instance& instance) const {
    return std::span(members).subspan(instance.first, instance.count);
  }
};

/// The ranks as combine gets them.
using Ranks = std::span<const Ranked<RankComm>>;
inline const Collective& at(Ranks ranks, Member m) {
  return ranks[m.rank].partial.collectives[m.collective];
}
inline const Signature& signature(Ranks ranks, Member m) {
  return ranks[m.rank].partial.signatures[at(ranks, m).signature];
}

/// O(n log n) in the collectives of all ranks; the parts in which unnumbered sequences differ cost the product of their
/// lengths.
Matching match(Ranks ranks);

/// Pairs of positions of a common subsequence, in order: equal heads and tails, and between them the longest one,
/// unless that would take a table of over `max_cells`.
std::vector<std::pair<std::uint32_t, std::uint32_t>> align(std::span<const std::uint64_t> a,
                                                           std::span<const std::uint64_t> b, std::size_t max_cells);

}  // namespace hta::analysis::comm
