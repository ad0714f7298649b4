#pragma once
// A column of 64-bit numbers in half the memory: nearly all durations and correlations fit 32 bits.

#include "hta/base/column.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace hta {

/// A column of numbers >= 0, indexed by `Index`: 4 bytes for one below 4,026,531,840 (as nanoseconds, four seconds), 12
/// for a larger one. Numbers are read and added, not changed. clear() keeps the memory for the next rank.
template <class Index>
class CompactColumn {
 public:
  std::size_t size() const { return cells_.size(); }
  std::int64_t operator[](Index i) const { return value(cells_[i]); }

  /// Throws std::bad_alloc beyond 2^28 large numbers.
  void push_back(std::int64_t number) {
    assert(number >= 0);
    if (number < kLargeFrom) {
      cells_.push_back(static_cast<std::uint32_t>(number));
      return;
    }
    if (large_.size() > UINT32_MAX - kLargeFrom) throw std::bad_alloc();
    cells_.push_back(static_cast<std::uint32_t>(kLargeFrom + large_.size()));
    large_.push_back(number);
  }
  void reserve(std::size_t rows) { cells_.reserve(rows); }
  void trim() { cells_.trim(); }
  void clear() {
    cells_.clear();
    large_.clear();
  }

  /// What stands for the numbers, to be brought into another order or thinned out with the other columns of the table.
  Column<Index, std::uint32_t>& cells() { return cells_; }

 private:
  static constexpr std::uint32_t kLargeFrom = 0xf0000000;  // a cell from here on says which of `large_`

  std::int64_t value(std::uint32_t cell) const { return cell < kLargeFrom ? cell : large_[cell - kLargeFrom]; }

  Column<Index, std::uint32_t> cells_;
  std::vector<std::int64_t> large_;
};

}  // namespace hta
