#include "rank_set.h"

#include <algorithm>

namespace hta::analysis::comm {

RankSet::RankSet(std::vector<std::int64_t> ranks) : size_(ranks.size()) {
  std::sort(ranks.begin(), ranks.end());
  for (std::size_t i = 0; i < ranks.size();) {
    Run run{ranks[i], i + 1 < ranks.size() ? ranks[i + 1] - ranks[i] : 0, 1};
    for (++i; i < ranks.size() && ranks[i] - ranks[i - 1] == run.stride; ++i) ++run.count;
    runs_.push_back(run);
  }
}

std::int64_t RankSet::operator[](std::size_t i) const {
  auto run = runs_.begin();
  for (; i >= run->count; ++run) i -= run->count;
  return run->first + run->stride * static_cast<std::int64_t>(i);
}

std::optional<std::size_t> RankSet::index_of(std::int64_t rank) const {
  std::size_t before = 0;
  for (const Run& run : runs_) {
    const std::int64_t away = rank - run.first;
    if (away == 0) return before;
    if (away > 0 && run.stride > 0 && away % run.stride == 0) {
      const auto i = static_cast<std::size_t>(away / run.stride);
      if (i < run.count) return before + i;
    }
    before += run.count;
  }
  return std::nullopt;
}

std::optional<std::int64_t> RankSet::stride() const {
  if (size_ < 3 || runs_.size() > 1) return std::nullopt;
  return runs_.front().stride;
}

std::strong_ordering RankSet::operator<=>(const RankSet& other) const {
  if (*this == other) return std::strong_ordering::equal;
  const std::size_t common = std::min(size_, other.size_);
  for (std::size_t i = 0; i < common; ++i) {
    if (const auto order = (*this)[i] <=> other[i]; order != 0) return order;
  }
  return size_ <=> other.size_;
}

}  // namespace hta::analysis::comm
