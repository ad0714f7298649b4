#pragma once
// Event order: by start, the longer first, then the position in the file.

#include "hta/base/column.h"
#include "hta/base/nanos.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

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

/// The numbers below `rows` in the order of `less`, a strict total order: result[k] is the one that comes k-th; empty
/// if they are in order already. Merges the sorted runs that profilers write: O(n log(runs)), 8 bytes of memory per
/// row.
template <class Less>
std::vector<std::uint32_t> sorted_order(std::size_t rows, Less less) {
  // Ends of the runs that are in order already.
  std::vector<std::size_t> runs;
  for (std::size_t i = 1; i < rows; ++i) {
    if (less(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i - 1))) runs.push_back(i);
  }
  if (runs.empty()) return {};
  runs.push_back(rows);

  std::vector<std::uint32_t> from(rows);
  std::iota(from.begin(), from.end(), 0u);
  if (runs.size() > rows / 4) {  // no runs to speak of
    std::sort(from.begin(), from.end(), less);
    return from;
  }
  std::vector<std::uint32_t> to(rows);
  while (runs.size() > 1) {
    std::vector<std::size_t> merged;
    std::size_t begin = 0;
    for (std::size_t r = 0; r < runs.size(); r += 2) {
      const auto at = [](std::vector<std::uint32_t>& v, std::size_t i) {
        return v.begin() + static_cast<std::ptrdiff_t>(i);
      };
      const std::size_t middle = runs[r];
      const std::size_t end = r + 1 < runs.size() ? runs[r + 1] : middle;
      std::merge(at(from, begin), at(from, middle), at(from, middle), at(from, end), at(to, begin), less);
      merged.push_back(end);
      begin = end;
    }
    runs = std::move(merged);
    std::swap(from, to);
  }
  return from;
}

/// Rows in event order, as sorted_order gives it.
inline std::vector<std::uint32_t> event_order(std::size_t rows, const OrderKeys& keys) {
  return sorted_order(rows, [&](std::uint32_t a, std::uint32_t b) { return keys.less(a, b); });
}

/// Brings `column` into the order `rows`, a permutation of it. In place, so that a column of half the trace needs no
/// second one beside it: each value is moved once, along the cycles of the permutation.
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
