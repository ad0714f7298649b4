#include "layout.h"

#include <fmt/format.h>

namespace tracegen {

Layout::Layout(const Options& options) : ranks_(options.ranks), tp_(options.tp), pp_(options.pp) {
  const int per_stage = ranks_ / pp_;
  // Without other groups the data-parallel one is the world, and has the name and description of the default group.
  const bool is_world = tp_ == 1 && pp_ == 1;
  for (int stage = 0; stage < pp_; ++stage) {
    for (int shard = 0; shard < tp_; ++shard) {
      Group group{.name = is_world ? "0" : fmt::format("{}", groups_.size() + 1),
                  .description = is_world ? "default_pg" : "mesh_dp",
                  .members = {}};
      for (int rank = stage * per_stage + shard; rank < (stage + 1) * per_stage; rank += tp_) {
        group.members.push_back(rank);
      }
      groups_.push_back(std::move(group));
    }
  }
  first_tensor_ = static_cast<int>(groups_.size());
  if (tp_ > 1) {
    for (int first = 0; first < ranks_; first += tp_) {
      Group group{.name = fmt::format("{}", groups_.size() + 1), .description = "mesh_tp", .members = {}};
      for (int rank = first; rank < first + tp_; ++rank) group.members.push_back(rank);
      groups_.push_back(std::move(group));
    }
  }
  first_pair_ = static_cast<int>(groups_.size());
  for (int rank = 0; pp_ > 1 && rank < ranks_ - per_stage; ++rank) {
    groups_.push_back(Group{
        .name = fmt::format("{}", groups_.size() + 1), .description = "mesh_pp", .members = {rank, rank + per_stage}});
  }
}

int Layout::group_of(int rank, Role role) const {
  const int per_stage = ranks_ / pp_;
  switch (role) {
    case Role::kData: return data_parallel() > 1 ? stage_of(rank) * tp_ + rank % tp_ : -1;
    case Role::kTensor: return tp_ > 1 ? first_tensor_ + rank / tp_ : -1;
    case Role::kNextStage: return stage_of(rank) + 1 < pp_ ? first_pair_ + rank : -1;
    case Role::kPreviousStage: return stage_of(rank) > 0 ? first_pair_ + rank - per_stage : -1;
  }
  return -1;
}

int Layout::index_in_group(int rank, Role role) const {
  switch (role) {
    case Role::kData: return rank % (ranks_ / pp_) / tp_;
    case Role::kTensor: return rank % tp_;
    case Role::kNextStage: return 0;
    case Role::kPreviousStage: return 1;
  }
  return 0;
}

}  // namespace tracegen
