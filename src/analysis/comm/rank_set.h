#pragma once
// The ranks of a process group. Every rank names all members of its groups, so lists would take memory that grows with
// the square of the number of ranks.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hta::analysis::comm {

/// Sorted numbers from 0 to 2^32, kept as runs of equal stride: `0-1023` or `0-1016:8` is one run. Lookups are O(runs).
class RankSet {
 public:
  RankSet() = default;
  explicit RankSet(std::vector<std::int64_t> ranks);

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// The i-th smallest; i < size().
  std::int64_t operator[](std::size_t i) const;
  /// Where `rank` stands among them, if it does.
  std::optional<std::size_t> index_of(std::int64_t rank) const;
  /// Between each and the next, if it is the same everywhere and there are at least three.
  std::optional<std::int64_t> stride() const;

  bool operator==(const RankSet&) const = default;
  /// As lists of numbers compare.
  std::strong_ordering operator<=>(const RankSet& other) const;

 private:
  struct Run {
    std::int64_t first;
    std::int64_t stride;
    std::size_t count;
    bool operator==(const Run&) const = default;
  };
  std::vector<Run> runs_;
  std::size_t size_ = 0;
};

}  // namespace hta::analysis::comm
