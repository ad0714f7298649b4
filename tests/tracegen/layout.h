#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "options.h"

namespace tracegen {

/// What a rank shares a communicator for.
enum class Role : std::uint8_t { kData, kTensor, kNextStage, kPreviousStage };
inline constexpr int kRoles = 4;

/// One process group. `index` of a member is its position in `members`.
struct Group {
  std::string name;
  std::string description;
  std::vector<int> members;  ///< global ranks, ascending
};

/// Which ranks talk to each other. Tensor-parallel groups are runs of consecutive ranks, pipeline stages are the
/// outermost split, and data-parallel groups join the ranks of one stage that hold the same tensor shard.
class Layout {
 public:
  explicit Layout(const Options& options);

  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] int stages() const { return pp_; }
  [[nodiscard]] int stage_of(int rank) const { return rank / (ranks_ / pp_); }
  [[nodiscard]] int data_parallel() const { return ranks_ / (tp_ * pp_); }
  [[nodiscard]] int data_groups() const { return tp_ * pp_; }

  /// Index into groups(), or -1 when the rank has no partner in that role.
  [[nodiscard]] int group_of(int rank, Role role) const;
  /// Position of `rank` in its group.
  [[nodiscard]] int index_in_group(int rank, Role role) const;
  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }

 private:
  int ranks_;
  int tp_;
  int pp_;
  std::vector<Group> groups_;  // data-parallel, then tensor-parallel, then one pair per stage border and column
  int first_tensor_ = 0;
  int first_pair_ = 0;
};

}  // namespace tracegen
