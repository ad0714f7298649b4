#include <algorithm>
#include <utility>

#include "match.h"

namespace hta::analysis::comm {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Longest common subsequence by the usual table; only for the short parts where two sequences differ.
void align_middle(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::uint32_t offset,
                  Pairs& pairs) {
  const std::size_t width = b.size() + 1;
  std::vector<std::uint32_t> longest((a.size() + 1) * width, 0);  // of a[i..] and b[j..]
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      longest[i * width + j] = a[i] == b[j] ? longest[(i + 1) * width + j + 1] + 1
                                            : std::max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) {
      pairs.emplace_back(offset + static_cast<std::uint32_t>(i++), offset + static_cast<std::uint32_t>(j++));
    } else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
}

}  // namespace

Pairs align(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::size_t max_cells) {
  Pairs pairs;
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t head = 0;
  while (head < shorter && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  for (std::uint32_t i = 0; i < head; ++i) pairs.emplace_back(i, i);
  const std::size_t middle_a = a.size() - head - tail;
  const std::size_t middle_b = b.size() - head - tail;
  if (middle_a > 0 && middle_b > 0 && middle_a <= max_cells / middle_b) {
    align_middle(a.subspan(head, middle_a), b.subspan(head, middle_b), static_cast<std::uint32_t>(head), pairs);
  }
  for (std::size_t i = tail; i > 0; --i) {
    pairs.emplace_back(static_cast<std::uint32_t>(a.size() - i), static_cast<std::uint32_t>(b.size() - i));
  }
  return pairs;
}

}  // namespace hta::analysis::comm
