#include "hta/base/exact.h"
#include "hta/base/text.h"
#include "hta/report/render.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "meter.h"

namespace hta::report {
namespace {

constexpr Nanos kShortKernel = 10 * kNanosPerMicro;

using SumByName = std::map<std::string_view, Int128>;

std::string_view largest(const SumByName& sums) {
  const auto at =
      std::max_element(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return at == sums.end() ? std::string_view() : at->first;
}

void measure_shares(Meter& meter) {
  for (const std::string_view part : {"idle", "compute", "exposed_comm", "exposed_memory"}) {
    meter.share(std::string(part) + "_pct", meter.answers().sum("breakdown", "temporal", std::string(part) + "_us"));
  }
}

// The computation kernel that takes most, and how many calls go to short ones.
void measure_kernels(Meter& meter, const Rows& rows) {
  SumByName computing;
  Int128 computing_ns = 0;
  Int128 total_ns = 0;
  std::int64_t calls = 0;
  std::int64_t short_calls = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::int64_t sum_ns = rows.number(row, 3);
    total_ns += sum_ns;
    if (rows.text(row, 0) != "COMPUTATION") continue;
    computing[rows.text(row, 1)] += sum_ns;
    computing_ns += sum_ns;
    calls += rows.number(row, 2);
    if (rows.number(row, 4) < kShortKernel) short_calls += rows.number(row, 2);
  }
  const std::string_view top = largest(computing);
  meter.put("top_kernel_pct", calls > 0 ? percent(computing[top], total_ns) : std::nullopt,
            calls > 0 ? readable_kernel_name(top) : "");
  meter.put("short_kernel_pct", calls > 0 ? percent(short_calls, calls) : std::nullopt);
  meter.put("mean_kernel_us", calls > 0 ? std::optional(divide_half_even(computing_ns, calls)) : std::nullopt);
}

void measure_copies(Meter& meter, const Rows& rows) {
  SumByName pageable;
  SumByName others;
  std::int64_t pageable_ns = 0;
  std::int64_t copy_ns = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.text(row, 0) != "MEMORY") continue;
    const std::int64_t sum_ns = rows.number(row, 3);
    const bool is_pageable = contains_ignoring_case(rows.text(row, 1), "pageable");
    (is_pageable ? pageable : others)[rows.text(row, 1)] += sum_ns;
    copy_ns += sum_ns;
    if (is_pageable) pageable_ns += sum_ns;
  }
  meter.share("copy_pct", copy_ns);
  meter.share("pageable_copy_pct", pageable_ns, std::string(largest(pageable)));
  if (const auto exposed_ns = meter.answers().sum("breakdown", "temporal", "exposed_memory_us")) {
    const std::int64_t exposed_pageable_ns = std::min(*exposed_ns, pageable_ns);
    meter.share("exposed_pageable_pct", exposed_pageable_ns);
    meter.share("exposed_copy_pct", *exposed_ns - exposed_pageable_ns, std::string(largest(others)));
  }
}

void measure_launches(Meter& meter) {
  const auto launches = meter.answers().sum("launch", "launch_summary", "launches");
  const auto launch_ns = meter.answers().sum("launch", "launch_summary", "launch_us");
  meter.put("mean_launch_us", launches.value_or(0) > 0 && launch_ns
                                  ? std::optional(divide_half_even(*launch_ns, *launches))
                                  : std::nullopt);
  const Rows queues(meter.answers().table("counters", "queue_summary"), {"full_pct"});
  std::int64_t fullest = 0;
  for (std::size_t row = 0; row < queues.size(); ++row) fullest = std::max(fullest, queues.number(row, 0));
  meter.put("queue_full_pct", queues.size() > 0 ? std::optional(fullest) : std::nullopt);
}

}  // namespace

void measure_time(Meter& meter) {
  measure_shares(meter);
  const Rows kernels(meter.answers().table("breakdown", "kernels"),
                     {"kernel_type", "name", "count", "sum_us", "mean_us"});
  measure_kernels(meter, kernels);
  measure_copies(meter, kernels);
  measure_launches(meter);
}

}  // namespace hta::report
