#include "collectives.h"

#include <algorithm>
#include <stdexcept>

namespace tracegen {
namespace {

/// The two ends of a transfer between stages call it by different names.
bool same_operation(CollectiveKind a, CollectiveKind b) {
  const auto point_to_point = [](CollectiveKind kind) {
    return kind == CollectiveKind::kSend || kind == CollectiveKind::kRecv;
  };
  return point_to_point(a) ? point_to_point(b) && a != b : a == b;
}

}  // namespace

CollectiveTable::CollectiveTable(const Options& options, const Layout& layout)
    : options_(options), layout_(layout), groups_(layout.groups().size()) {}

Nanos CollectiveTable::transfer_ns(int group, std::int64_t bytes) const {
  const Nanos healthy = options_.coll_base_ns + ((bytes * options_.ar_ns_per_mb) >> 20U);
  return group < layout_.data_groups() ? healthy * factor_pct(options_.slow_link, group) / 100 : healthy;
}

bool CollectiveTable::arrive(int rank, Role role, const CollectiveRef& ref, Nanos start_ns, CauseChain::Node cause) {
  PerGroup& group = groups_[static_cast<std::size_t>(ref.group)];
  const std::size_t size = layout_.groups()[static_cast<std::size_t>(ref.group)].members.size();
  const auto seq = static_cast<std::size_t>(ref.seq);
  if (seq == group.collectives.size()) {
    group.collectives.push_back(
        Collective{.kind = ref.kind, .number = static_cast<int>(meetings_.size()), .bytes = ref.bytes});
    group.starts.resize(group.starts.size() + size);
    meetings_.push_back({});
  }
  Collective& collective = group.collectives.at(seq);
  const bool agrees = collective.arrived == 0 || size > 2 || role == Role::kData || role == Role::kTensor
                          ? collective.kind == ref.kind
                          : same_operation(collective.kind, ref.kind);
  if (!agrees || collective.bytes != ref.bytes) {
    throw std::logic_error("members of a group disagree on the order of its collectives");
  }
  const int index = layout_.index_in_group(rank, role);
  group.starts[seq * size + static_cast<std::size_t>(index)] = start_ns;
  CauseChain::Meeting& meeting = meetings_[static_cast<std::size_t>(collective.number)];
  // Of several last members the one that is first in the group counts, whatever the order of simulation.
  if (collective.arrived == 0 || start_ns > collective.max_start_ns ||
      (start_ns == collective.max_start_ns && index < collective.last_index)) {
    collective.max_start_ns = start_ns;
    collective.last_index = index;
    meeting = {start_ns, cause};
  }
  if (static_cast<std::size_t>(++collective.arrived) < size) return false;
  collective.transfer_ns = transfer_ns(ref.group, ref.bytes);
  collective.end_ns = collective.max_start_ns + collective.transfer_ns;
  return true;
}

std::optional<Nanos> CollectiveTable::end_of(const CollectiveRef& ref) const {
  const auto& collectives = groups_[static_cast<std::size_t>(ref.group)].collectives;
  const Nanos end_ns = collectives.at(static_cast<std::size_t>(ref.seq)).end_ns;
  if (end_ns < 0) return std::nullopt;
  return end_ns;
}

int CollectiveTable::number_of(const CollectiveRef& ref) const {
  return groups_[static_cast<std::size_t>(ref.group)].collectives.at(static_cast<std::size_t>(ref.seq)).number;
}

std::span<const CollectiveTable::Collective> CollectiveTable::of_group(int group) const {
  return groups_[static_cast<std::size_t>(group)].collectives;
}

std::span<const Nanos> CollectiveTable::starts(int group, int seq) const {
  const std::size_t size = layout_.groups()[static_cast<std::size_t>(group)].members.size();
  return std::span(groups_[static_cast<std::size_t>(group)].starts).subspan(static_cast<std::size_t>(seq) * size, size);
}

}  // namespace tracegen
