#include "hta/analysis/host_cause.h"
#include "hta/base/exact.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "meter.h"

namespace hta::report {
namespace {

using analysis::HostCause;

// Causes that have a rule of their own; the rest of the time in which the host is late is host_late_pct.
struct NamedCause {
  HostCause cause;
  std::string_view measure;
};
constexpr std::array kNamedCauses{
    NamedCause{HostCause::kDataLoading, "idle_data_loading_pct"},
    NamedCause{HostCause::kMemoryAllocation, "idle_allocator_pct"},
    NamedCause{HostCause::kCompilation, "idle_compilation_pct"},
    NamedCause{HostCause::kOptimizer, "idle_optimizer_pct"},
};

// One in so many of a cause: smaller sources would mislead.
constexpr std::int64_t kPartWorthNaming = 5;

// A single gap stands out only among several.
constexpr std::int64_t kGapsToStandOut = 10;

bool has_rule(std::string_view cause) {
  return std::any_of(kNamedCauses.begin(), kNamedCauses.end(),
                     [&](const NamedCause& named) { return host_cause_name(named.cause) == cause; });
}

// Behind most of the time of one cause: "cudaMalloc in ## forward ##".
struct Source {
  std::string text;
  std::int64_t idle_ns = 0;
};

Source main_source(const Answers& answers, std::string_view cause) {
  const Rows rows(answers.table("idle", "gap_sources"), {"cause", "activity", "place", "idle_us"});
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.text(row, 0) != cause) continue;
    Source source{std::string(rows.text(row, 1)), rows.number(row, 3)};
    if (!rows.text(row, 2).empty()) source.text += " in " + std::string(rows.text(row, 2));
    return source;
  }
  return {};
}

// Nothing for the kinds of gaps that stand in table gap_causes besides.
std::optional<HostCause> host_cause_named(std::string_view name) {
  for (std::size_t c = 0; c < analysis::kHostCauses; ++c) {
    if (host_cause_name(static_cast<HostCause>(c)) == name) return static_cast<HostCause>(c);
  }
  return std::nullopt;
}

std::string in_words(std::string_view cause) {
  const auto known = host_cause_named(cause);
  return std::string(known ? host_cause_words(*known) : cause);
}

struct LongestGap {
  std::int64_t dur_ns = 0;
  std::string subject;
  std::int64_t rank = 0;
};

// The longest wait for the host, if its cause has no rule of its own and it is more than all others together.
std::optional<LongestGap> dominant_gap(const Answers& answers, std::int64_t host_wait_ns) {
  const auto count = answers.sum("idle", "device_idle", "count", "category", "host_wait").value_or(0);
  const Rows gaps(answers.table("idle", "gaps"), {"rank", "dur_us", "cause", "activity", "step", "after_sync"});
  if (count < kGapsToStandOut || gaps.size() == 0 || gaps.number(0, 1) * 2 <= host_wait_ns ||
      has_rule(gaps.text(0, 2)) || !gaps.null(0, 5))
    return std::nullopt;
  LongestGap gap{gaps.number(0, 1), in_words(gaps.text(0, 2)), gaps.rank(0, 0)};
  if (!gaps.text(0, 3).empty()) gap.subject += " (" + std::string(gaps.text(0, 3)) + ")";
  gap.subject += " on rank " + std::to_string(gap.rank);
  if (!gaps.null(0, 4)) gap.subject += " in step " + std::to_string(gaps.number(0, 4));
  return gap;
}

// In gaps that began inside a synchronising call: what no other rule is about. The call let the queue run dry.
std::int64_t time_after_syncs(const Answers& answers) {
  const Rows rows(answers.table("idle", "gap_causes"), {"cause", "after_sync_us"});
  std::int64_t sum_ns = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!has_rule(rows.text(row, 0))) sum_ns += rows.number(row, 1);
  }
  return sum_ns;
}

// The call before most of these gaps, as far as the longest ones tell.
std::string usual_sync(const Answers& answers) {
  const Rows gaps(answers.table("idle", "gaps"), {"after_sync", "dur_us"});
  std::map<std::string_view, std::int64_t> sums;
  for (std::size_t row = 0; row < gaps.size(); ++row) {
    if (!gaps.null(row, 0)) sums[gaps.text(row, 0)] += gaps.number(row, 1);
  }
  const auto most =
      std::max_element(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != sums.end()) return std::string(most->first);
  const std::string source = main_source(answers, host_cause_name(HostCause::kSynchronisation)).text;
  return source.empty() ? "calls in short gaps" : source;
}

// What the host does most while it is late, among the causes without a rule of their own:
// "45.95 %: Python, foremost train.py(12): step with 6.89 %".
std::string main_other_cause(const Meter& meter) {
  const Rows rows(meter.answers().table("idle", "gap_causes"), {"cause", "idle_us", "after_sync_us"});
  std::map<std::string_view, std::int64_t> sums;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::string_view cause = rows.text(row, 0);
    if (host_cause_named(cause) && !has_rule(cause)) sums[cause] += rows.number(row, 1) - rows.number(row, 2);
  }
  const auto most =
      std::max_element(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == sums.end()) return {};
  std::string text = meter.share_text(most->second) + " %: " + in_words(most->first);
  const Source source = main_source(meter.answers(), most->first);
  if (source.idle_ns * kPartWorthNaming >= most->second && !source.text.empty())
    text += ", foremost " + source.text + " with " + meter.share_text(source.idle_ns) + " %";
  return text;
}

}  // namespace

void measure_idle(Meter& meter) {
  const Answers& answers = meter.answers();
  // Without a link no gap can be laid to anything.
  const bool linked = answers.sum("launch", "launch_summary", "pairs").value_or(0) > 0;
  const auto of_cause = [&](std::string_view cause) {
    return linked ? answers.sum("idle", "gap_causes", "idle_us", "cause", cause) : std::nullopt;
  };
  const auto host_wait_ns =
      linked ? answers.sum("idle", "device_idle", "idle_us", "category", "host_wait") : std::nullopt;
  const auto kernel_wait_ns = of_cause("kernel_wait");
  meter.share("idle_host_wait_pct", host_wait_ns);
  meter.share("idle_kernel_wait_pct", kernel_wait_ns);
  meter.share("idle_other_pct", of_cause("other"));
  meter.share("idle_not_linked_pct", answers.sum("idle", "gap_causes", "idle_us", "cause", "not_linked"));
  meter.share("idle_for_host_pct",
              host_wait_ns && kernel_wait_ns ? std::optional(*host_wait_ns + *kernel_wait_ns) : std::nullopt);

  std::int64_t named_ns = 0;
  for (const NamedCause& named : kNamedCauses) {
    const std::string_view cause = host_cause_name(named.cause);
    const auto idle_ns = of_cause(cause);
    named_ns += idle_ns.value_or(0);
    meter.share(std::string(named.measure), idle_ns, main_source(answers, cause).text);
  }
  const std::int64_t after_sync_ns = time_after_syncs(answers);
  named_ns += after_sync_ns;
  meter.share("idle_sync_pct", linked ? std::optional(after_sync_ns) : std::nullopt, usual_sync(answers));
  const auto gap = host_wait_ns ? dominant_gap(answers, *host_wait_ns) : std::nullopt;
  if (gap) named_ns += gap->dur_ns;
  meter.put("longest_gap_us", gap ? std::optional(gap->dur_ns) : std::nullopt);
  meter.share("longest_gap_pct", host_wait_ns ? std::optional(gap ? gap->dur_ns : 0) : std::nullopt,
              gap ? gap->subject : "", gap ? std::optional(gap->rank) : std::nullopt);
  meter.share("host_late_pct",
              host_wait_ns ? std::optional(std::max<std::int64_t>(0, *host_wait_ns - named_ns)) : std::nullopt,
              main_other_cause(meter));
}

}  // namespace hta::report
