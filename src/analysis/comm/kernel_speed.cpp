#include "kernel_speed.h"

#include "hta/base/exact.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace hta::analysis::comm {
namespace {

struct Entry {
  std::uint64_t kernel = 0;
  std::uint32_t rank = 0;
  std::int64_t count = 0;
  Nanos sum_ns = 0;
};

// Kernels of all ranks over all steps, those of one kernel together.
std::vector<Entry> entries_of(Ranks ranks) {
  std::vector<Entry> entries;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    std::unordered_map<std::uint64_t, KernelWork> kernels;
    for (const StepWork& work : ranks[r].partial.steps) {
      for (const KernelWork& kernel : work.kernels) {
        KernelWork& into = kernels[kernel.kernel];
        into.count += kernel.count;
        into.sum_ns += kernel.sum_ns;
      }
    }
    for (const auto& [key, kernel] : kernels) entries.push_back({key, r, kernel.count, kernel.sum_ns});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::tie(a.kernel, a.rank) < std::tie(b.kernel, b.rank); });
  return entries;
}

}  // namespace

std::vector<std::optional<std::int64_t>> kernel_speeds(Ranks ranks) {
  const std::vector<Entry> entries = entries_of(ranks);
  std::vector<Int128> usual_ns(ranks.size(), 0);
  std::vector<Int128> own_ns(ranks.size(), 0);
  std::vector<Nanos> means;
  for (std::size_t first = 0; first < entries.size();) {
    std::size_t last = first;
    means.clear();
    for (; last < entries.size() && entries[last].kernel == entries[first].kernel; ++last)
      means.push_back(divide_half_even(entries[last].sum_ns, entries[last].count));
    if (last - first > 1) {
      const Int128 twice_median_ns = *median_times_2(means);
      for (std::size_t i = first; i < last; ++i) {
        usual_ns[entries[i].rank] += twice_median_ns * entries[i].count;
        own_ns[entries[i].rank] += Int128{entries[i].sum_ns} * 2;
      }
    }
    first = last;
  }
  std::vector<std::optional<std::int64_t>> speeds;
  for (std::size_t r = 0; r < ranks.size(); ++r) speeds.push_back(ratio4(usual_ns[r], own_ns[r]));
  return speeds;
}

}  // namespace hta::analysis::comm
