#pragma once
// Event order: by start, the longer first, then the position in the file.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hta/base/column.h"
#include "hta/base/nanos.h"

namespace hta {

struct OrderKeys {
  const Nanos* start_ns;
  const Nanos* dur_ns;
  const std::uint32_t* position;
  bool less(std::uint32_t a, std::uint32_t b) const {
    if (start_ns[a] != start_ns[b]) return start_ns[a] < start_ns[b];
    if (dur_ns[a] != dur_ns[b]) return dur_ns[a] > dur_ns[b];
    return position[a] < position[b];
  }
};

/// Rows in event order: result[k] is the row that comes k-th; empty if they are in order already.
/// Merges the sorted runs that profilers write: O(n log(runs)), 8 bytes of memory per row.
std::vector<std::uint32_t> event_order(std::size_t rows, const OrderKeys& keys);

/// Brings `column` into the order `rows`, a permutation of it. In place, so that a column of half the trace needs no second
/// one beside it: each value is moved once, along the cycles of the permutation.
template <class Index, class T>
void reorder(Column<Index, T>& column, const std::vector<std::uint32_t>& rows) {
  T* const values = column.data();
  std::vector<bool> placed(rows.size());
  for (std::uint32_t first = 0; first < rows.size(); ++first) {
    if (placed[first]) continue;
    const T saved = values[first];
    std::uint32_t to = first;
    for (std::uint32_t from = rows[to]; from != first; to = from, from = rows[to]) {
      values[to] = values[from];
      placed[to] = true;
    }
    values[to] = saved;
    placed[to] = true;
  }
}

}  // namespace hta
