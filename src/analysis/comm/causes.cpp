#include "causes.h"

#include "hta/base/exact.h"
#include "hta/base/text.h"

#include <algorithm>
#include <unordered_map>

namespace hta::analysis::comm {
namespace {

constexpr std::int64_t kNamedPct = 80;

// The work of one rank in the steps concerned, added up.
struct WorkSum {
  Nanos compute_ns = 0;
  Nanos copy_ns = 0;
  Nanos host_wait_ns = 0;
  std::array<Nanos, kHostCauses> host_ns{};
  std::unordered_map<std::uint64_t, KernelWork> kernels;
  Nanos kernel_ns = 0;
};

WorkSum sum_of(const RankComm& rank, std::span<const std::int64_t> steps) {
  WorkSum sum;
  for (const StepWork& work : rank.steps) {
    if (!steps.empty() && std::find(steps.begin(), steps.end(), work.step) == steps.end()) continue;
    sum.compute_ns += work.compute_ns;
    sum.copy_ns += work.copy_ns;
    sum.host_wait_ns += work.host_wait_ns;
    for (std::size_t c = 0; c < kHostCauses; ++c) sum.host_ns[c] += work.host_ns[c];
    for (const KernelWork& kernel : work.kernels) {
      KernelWork& into = sum.kernels[kernel.kernel];
      into.count += kernel.count;
      into.sum_ns += kernel.sum_ns;
      sum.kernel_ns += kernel.sum_ns;
    }
  }
  return sum;
}

template <class Get>
Nanos median_of(const std::vector<WorkSum>& sums, Get get) {
  std::vector<Nanos> values;
  for (const WorkSum& sum : sums) values.push_back(get(sum));
  return divide_half_even(*median_times_2(values), 2);
}

// Splits the difference in computation into kernels that took longer and kernels that were more.
void compare_kernels(const WorkSum& own, const std::vector<WorkSum>& others, Cause& cause) {
  Int128 same_own_ns = 0;
  Int128 same_others_ns = 0;
  for (const auto& [key, kernel] : own.kernels) {
    std::vector<Nanos> mean_ns;
    std::vector<std::int64_t> counts;
    for (const WorkSum& other : others) {
      const auto found = other.kernels.find(key);
      counts.push_back(found == other.kernels.end() ? 0 : found->second.count);
      if (found != other.kernels.end()) mean_ns.push_back(divide_half_even(found->second.sum_ns, found->second.count));
    }
    if (mean_ns.empty()) continue;
    const std::int64_t count = std::min<std::int64_t>(kernel.count, *median_times_2(counts) / 2);
    same_own_ns += divide_half_even(Int128{kernel.sum_ns} * count, kernel.count);
    same_others_ns += Int128{divide_half_even(*median_times_2(mean_ns), 2)} * count;
  }
  const Nanos others_ns = median_of(others, [](const WorkSum& sum) { return sum.kernel_ns; });
  // Kernels may overlap each other: only their share of the time in which any ran delays the rank.
  const auto in_time = [&](Int128 kernel_ns) {
    return own.kernel_ns == 0 ? Nanos{0} : divide_half_even(kernel_ns * own.compute_ns, own.kernel_ns);
  };
  const Int128 slower_ns = same_own_ns - same_others_ns;
  cause.more_ns[static_cast<std::size_t>(CausePart::kSlowerKernels)] = in_time(slower_ns);
  cause.more_ns[static_cast<std::size_t>(CausePart::kMoreWork)] =
      in_time(Int128{own.kernel_ns} - others_ns - slower_ns);
  if (same_others_ns > 0) cause.kernel_ratio_4 = *ratio4(same_own_ns, same_others_ns);
}

}  // namespace

std::string_view cause_part_name(CausePart part) {
  switch (part) {
    case CausePart::kSlowerKernels: return "slower_kernels";
    case CausePart::kMoreWork: return "more_work";
    case CausePart::kLateLaunches: return "late_launches";
    case CausePart::kCopies: return "copies";
  }
  return {};
}

CausePart Cause::main() const {
  return static_cast<CausePart>(std::max_element(more_ns.begin(), more_ns.end()) - more_ns.begin());
}

bool Cause::named() const {
  return late_ns > 0 && Int128{more_ns[static_cast<std::size_t>(main())]} * 100 >= Int128{late_ns} * kNamedPct;
}

std::string Cause::text() const {
  if (!named()) return "unexplained";
  switch (main()) {
    case CausePart::kSlowerKernels:
      return "slower kernels (x" + fixed_point(divide_half_even(kernel_ratio_4, 100), 2) + ")";
    case CausePart::kMoreWork: return "more work";
    case CausePart::kLateLaunches:
      return host == HostCause::kNotRecorded ? "late launches"
                                             : "late launches (" + std::string(host_cause_words(host)) + ")";
    case CausePart::kCopies: return "memory copies";
  }
  return {};
}

Cause explain(Ranks ranks, std::uint32_t rank, std::span<const std::uint32_t> others,
              std::span<const std::int64_t> steps, Nanos late_ns) {
  Cause cause;
  cause.late_ns = late_ns;
  if (others.empty()) return cause;
  const WorkSum own = sum_of(ranks[rank].partial, steps);
  std::vector<WorkSum> sums;
  for (const std::uint32_t other : others) sums.push_back(sum_of(ranks[other].partial, steps));
  compare_kernels(own, sums, cause);
  cause.more_ns[static_cast<std::size_t>(CausePart::kLateLaunches)] =
      own.host_wait_ns - median_of(sums, [](const WorkSum& sum) { return sum.host_wait_ns; });
  cause.more_ns[static_cast<std::size_t>(CausePart::kCopies)] =
      own.copy_ns - median_of(sums, [](const WorkSum& sum) { return sum.copy_ns; });
  Nanos most_ns = 0;
  for (std::size_t c = 0; c < kHostCauses; ++c) {
    const Nanos more_ns = own.host_ns[c] - median_of(sums, [c](const WorkSum& sum) { return sum.host_ns[c]; });
    if (more_ns > most_ns) {
      most_ns = more_ns;
      cause.host = static_cast<HostCause>(c);
    }
  }
  return cause;
}

}  // namespace hta::analysis::comm
