#pragma once
// Event order: by start, the longer first, then the position in the file.

#include "hta/base/column.h"
#include "hta/base/compact_column.h"
#include "hta/base/ids.h"
#include "hta/base/nanos.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace hta {

template <class Index>
struct OrderKeys {
  const Column<Index, Nanos>& start_ns;
  const CompactColumn<Index>& dur_ns;
  const Column<Index, std::uint32_t>& position;
  bool less(Index a, Index b) const {
    if (start_ns[a] != start_ns[b]) return start_ns[a] < start_ns[b];
    if (dur_ns[a] != dur_ns[b]) return dur_ns[a] > dur_ns[b];
    return position[a] < position[b];
  }
};

/// Rows of a table in some order. A column rather than a vector: the memory goes back when the order is done with.
using RowOrder = Column<Id<struct PlaceTag>, std::uint32_t>;

/// The numbers below `rows` in the order of `less`, a strict total order: result[k] is the one that comes k-th; empty
/// if they are in order already. Merges the sorted runs that profilers write: O(n log(runs)), 8 bytes of memory per
/// row.
template <class Less>
RowOrder sorted_order(std::size_t rows, Less less) {
  // Ends of the runs that are in order already.
  std::vector<std::size_t> runs;
  for (std::size_t i = 1; i < rows; ++i) {
    if (less(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i - 1))) runs.push_back(i);
  }
  if (runs.empty()) return {};
  runs.push_back(rows);

  RowOrder from;
  from.resize(rows);
  std::iota(from.begin(), from.end(), 0u);
  if (runs.size() > rows / 4) {  // no runs to speak of
    std::sort(from.begin(), from.end(), less);
    return from;
  }
  RowOrder to;
  to.resize(rows);
  while (runs.size() > 1) {
    std::vector<std::size_t> merged;
    std::size_t begin = 0;
    for (std::size_t r = 0; r < runs.size(); r += 2) {
      const std::size_t middle = runs[r];
      const std::size_t end = r + 1 < runs.size() ? runs[r + 1] : middle;
      const std::uint32_t* const data = from.data();
      std::merge(data + begin, data + middle, data + middle, data + end, to.data() + begin, less);
      merged.push_back(end);
      begin = end;
    }
    runs = std::move(merged);
    std::swap(from, to);
  }
  return from;
}

/// Rows in event order, as sorted_order gives it.
template <class Index>
RowOrder event_order(const OrderKeys<Index>& keys) {
  return sorted_order(keys.start_ns.size(),
                      [&](std::uint32_t a, std::uint32_t b) { return keys.less(Index(a), Index(b)); });
}

/// Brings columns of one table into another order.
class Reordering {
 public:
  /// `rows`: which row comes first, second, ...; a permutation.
  explicit Reordering(RowOrder rows) : rows_(std::move(rows)) { scratch_.resize(rows_.size()); }

  /// Gathers the column four bytes of each value at a time: the runs that profilers write are read one after the other,
  /// which is far cheaper than to follow the permutation in place, and no copy of a whole column stands beside it.
  template <class Index, class T>
  void apply(Column<Index, T>& column) {
    constexpr std::size_t kPiece = std::min(sizeof(T), sizeof(std::uint32_t));
    static_assert(sizeof(T) % kPiece == 0);
    for (std::size_t at = 0; at < sizeof(T); at += kPiece) {
      auto* const piece = reinterpret_cast<std::byte*>(column.data()) + at;
      const std::uint32_t* const rows = rows_.data();
      std::uint32_t* const scratch = scratch_.data();
      for (std::size_t i = 0; i < rows_.size(); ++i) std::memcpy(scratch + i, piece + rows[i] * sizeof(T), kPiece);
      for (std::size_t i = 0; i < rows_.size(); ++i) std::memcpy(piece + i * sizeof(T), scratch + i, kPiece);
    }
  }

  template <class Index>
  void apply(CompactColumn<Index>& column) {
    apply(column.cells());
  }

  /// By old row, the new one. Valid until the next apply().
  std::span<const std::uint32_t> new_rows() {
    for (std::size_t i = 0; i < rows_.size(); ++i) scratch_.data()[rows_.data()[i]] = static_cast<std::uint32_t>(i);
    return scratch_.view();
  }

 private:
  RowOrder rows_;
  RowOrder scratch_;
};

}  // namespace hta
