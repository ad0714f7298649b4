#include "hta/model/event_order.h"

#include <algorithm>
#include <numeric>

namespace hta {

std::vector<std::uint32_t> event_order(std::size_t rows, const OrderKeys& keys) {
  // Ends of the runs that are in order already.
  std::vector<std::size_t> runs;
  for (std::size_t i = 1; i < rows; ++i) {
    if (keys.less(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i - 1))) runs.push_back(i);
  }
  if (runs.empty()) return {};
  runs.push_back(rows);

  std::vector<std::uint32_t> from(rows);
  std::iota(from.begin(), from.end(), 0u);
  const auto less = [&](std::uint32_t a, std::uint32_t b) { return keys.less(a, b); };
  if (runs.size() > rows / 4) {  // no runs to speak of
    std::sort(from.begin(), from.end(), less);
    return from;
  }
  std::vector<std::uint32_t> to(rows);
  while (runs.size() > 1) {
    std::vector<std::size_t> merged;
    std::size_t begin = 0;
    for (std::size_t r = 0; r < runs.size(); r += 2) {
      const auto at = [](std::vector<std::uint32_t>& v, std::size_t i) { return v.begin() + static_cast<std::ptrdiff_t>(i); };
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

}  // namespace hta
