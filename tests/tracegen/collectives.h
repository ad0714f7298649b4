#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "critical_path.h"
#include "layout.h"
#include "observer.h"

namespace tracegen {

/// All collectives of the job: who arrived when, and when each ended. The first pass over the ranks fills it, the
/// second only reads it, from many threads. Memory: one time per member of each collective.
class CollectiveTable {
 public:
  CollectiveTable(const Options& options, const Layout& layout);

  /// `rank` enters the next collective of its group at `start_ns`. True when it was the last to come: then the members
  /// that wait can go on. Throws std::logic_error when members disagree on kind or size.
  [[nodiscard]] bool arrive(int rank, Role role, const CollectiveRef& ref, Nanos start_ns, CauseChain::Node cause);

  /// The common end, once all have arrived.
  [[nodiscard]] std::optional<Nanos> end_of(const CollectiveRef& ref) const;
  /// Number of the collective over all groups, for CauseChain.
  [[nodiscard]] int number_of(const CollectiveRef& ref) const;
  /// In order of creation; what number_of() counts.
  [[nodiscard]] std::span<const CauseChain::Meeting> meetings() const { return meetings_; }

  struct Collective {
    CollectiveKind kind = CollectiveKind::kAllReduce;
    int arrived = 0;
    int last_index = -1;  ///< position in the group of the member that came last
    int number = 0;
    std::int64_t bytes = 0;
    Nanos max_start_ns = 0;
    Nanos transfer_ns = 0;
    Nanos end_ns = -1;
  };
  [[nodiscard]] std::span<const Collective> of_group(int group) const;
  /// Start of every member, in group order.
  [[nodiscard]] std::span<const Nanos> starts(int group, int seq) const;

 private:
  [[nodiscard]] Nanos transfer_ns(int group, std::int64_t bytes) const;

  struct PerGroup {
    std::vector<Collective> collectives;
    std::vector<Nanos> starts;
  };
  const Options& options_;
  const Layout& layout_;
  std::vector<PerGroup> groups_;
  std::vector<CauseChain::Meeting> meetings_;
};

}  // namespace tracegen
