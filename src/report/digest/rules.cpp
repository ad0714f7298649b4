#include "hta/base/exact.h"
#include "hta/base/text.h"
#include "hta/report/digest.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "measures.h"
#include <nlohmann/json.hpp>

namespace hta::report {
namespace {

using result::CellType;
using result::ColumnSpec;
using result::Severity;

constexpr std::int64_t kPct = 100;  // hundredths
constexpr std::string_view kNeedsLaunches = "launch calls linked to GPU events: record CPU and CUDA activities";
constexpr std::string_view kNeedsGpu = "GPU events: record with ProfilerActivity.CUDA";

// Ordered by how much a finding usually matters; within one severity findings keep this order.
constexpr std::array kRules{
    RuleSpec{"straggler",
             "straggler_wait_pct",
             Compare::kAbove,
             5 * kPct,
             20 * kPct,
             {},
             {},
             0,
             "{straggler_wait_pct:subject} makes the others wait: {straggler_wait_pct} % of all GPU time is waiting "
             "for it, it comes last in {straggler_last_pct} % of the collectives",
             "Look at that rank first: compare its clocks, its temperature and its input with the other ranks; if its "
             "work is larger, balance batch sizes and sequence lengths over the ranks.",
             "stragglers",
             "straggler_wait_pct",
             Severity::kWarning,
             "several ranks with collectives: give the directory with all ranks"},
    RuleSpec{"input-stall",
             "idle_data_loading_pct",
             Compare::kAbove,
             3 * kPct,
             15 * kPct,
             {},
             {},
             0,
             "The GPUs starve for data: idle {idle_data_loading_pct} % of the time while the host is in "
             "{idle_data_loading_pct:subject}",
             "Load data ahead: raise num_workers and prefetch_factor of the DataLoader, set pin_memory=True and "
             "persistent_workers=True, and move decoding out of the training process.",
             "idle",
             "idle_data_loading_pct",
             Severity::kWarning,
             kNeedsLaunches},
    RuleSpec{"exposed-communication",
             "exposed_comm_pct",
             Compare::kAbove,
             10 * kPct,
             30 * kPct,
             {},
             {},
             0,
             "{exposed_comm_pct} % of GPU time is communication that no computation hides (overlap {overlap_pct} % of "
             "communication)",
             "Hide communication: larger or earlier gradient buckets (bucket_cap_mb), asynchronous collectives, "
             "prefetching of sharded parameters; first make sure that it is transfer and not waiting for a slow rank.",
             "overlap",
             "exposed_comm_net_pct",
             Severity::kWarning,
             kNeedsGpu},
    RuleSpec{
        "low-overlap",
        "overlap_pct",
        Compare::kBelow,
        30 * kPct,
        {},
        "comm_pct",
        Compare::kAbove,
        10 * kPct,
        "Only {overlap_pct} % of communication runs beside computation",
        "Use non-blocking collectives (async_op=True, overlapping FSDP or DDP) and wait for them as late as possible.",
        "overlap",
        {},
        Severity::kWarning,
        kNeedsGpu},
    RuleSpec{"host-bound",
             "idle_host_wait_pct",
             Compare::kAbove,
             10 * kPct,
             30 * kPct,
             {},
             {},
             0,
             "The GPUs are idle {idle_pct} % of the time, {idle_host_wait_pct} % because the host comes too late with "
             "the next launch",
             "Take work off the launching thread: torch.compile or CUDA graphs against launch overhead, no .item(), "
             ".cpu() or print in the step, num_workers and pin_memory for the input.",
             "idle",
             "idle_host_wait_pct",
             Severity::kWarning,
             kNeedsLaunches},
    RuleSpec{"launch-bound",
             "idle_kernel_wait_pct",
             Compare::kAbove,
             8 * kPct,
             20 * kPct,
             {},
             {},
             0,
             "{idle_kernel_wait_pct} % of GPU time goes to short gaps between kernels",
             "Fewer and larger kernels: fuse operations (torch.compile, fused optimizers) or replay the step as a CUDA "
             "graph.",
             "launch",
             "idle_kernel_wait_pct",
             Severity::kWarning,
             kNeedsLaunches},
    RuleSpec{"dependency-stall",
             "idle_other_pct",
             Compare::kAbove,
             10 * kPct,
             30 * kPct,
             {},
             {},
             0,
             "{idle_other_pct} % of GPU time is idle although the next work was launched in time: it waits for another "
             "stream or device",
             "Look at what the waiting streams wait for, usually a blocking collective or copy; start it earlier or on "
             "a stream of its own.",
             "critical-path",
             "idle_other_pct",
             Severity::kWarning,
             kNeedsLaunches},
    RuleSpec{"sync-calls",
             "idle_sync_pct",
             Compare::kAbove,
             1 * kPct,
             10 * kPct,
             {},
             {},
             0,
             "Synchronising calls leave the GPUs without work {idle_sync_pct} % of the time ({idle_sync_pct:subject})",
             "Remove host synchronisation from the step: .item(), .cpu(), nonzero(), printing losses; read results "
             "every few steps, from a copy started earlier.",
             "idle",
             "idle_sync_pct",
             Severity::kWarning,
             kNeedsLaunches},
    RuleSpec{"allocator",
             "idle_allocator_pct",
             Compare::kAbove,
             kPct / 2,
             5 * kPct,
             {},
             {},
             0,
             "Allocating GPU memory stops the step: the GPUs are idle {idle_allocator_pct} % of the time meanwhile "
             "({idle_allocator_pct:subject})",
             "Keep cudaMalloc and cudaFree out of the step: avoid empty_cache(), keep shapes constant, try "
             "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.",
             "memory",
             "idle_allocator_pct",
             Severity::kWarning,
             kNeedsLaunches},
    RuleSpec{"short-kernels",
             "short_kernel_pct",
             Compare::kAbove,
             25 * kPct,
             {},
             "idle_pct",
             Compare::kAbove,
             10 * kPct,
             "{short_kernel_pct} % of the kernel calls take less than 10 µs on average: launching costs as much as "
             "computing",
             "torch.compile, fused operations, larger batches, or CUDA graphs.",
             "patterns",
             {},
             Severity::kWarning,
             kNeedsGpu},
    RuleSpec{"exposed-copies",
             "exposed_memory_pct",
             Compare::kAbove,
             3 * kPct,
             15 * kPct,
             {},
             {},
             0,
             "{exposed_memory_pct} % of GPU time is copies and memsets that nothing hides",
             "Fewer copies: keep tensors on the device, in-place operations, no .cpu()/.cuda() round trips; pinned "
             "memory and non_blocking=True for those that remain.",
             "counters",
             "exposed_memory_pct",
             Severity::kWarning,
             kNeedsGpu},
    RuleSpec{"pageable-copies",
             "pageable_copy_pct",
             Compare::kAbove,
             1 * kPct,
             10 * kPct,
             {},
             {},
             0,
             "Copies from or to pageable memory take {pageable_copy_pct} % of GPU time ({pageable_copy_pct:subject})",
             "Pin the host memory (pin_memory=True, tensor.pin_memory()) and copy with non_blocking=True.",
             "counters",
             "pageable_copy_pct",
             Severity::kWarning,
             kNeedsGpu},
    RuleSpec{"uneven-compute",
             "compute_excess_pct",
             Compare::kAbove,
             5 * kPct,
             20 * kPct,
             {},
             {},
             0,
             "{compute_excess_pct:subject} computes {compute_excess_pct} % longer than the median rank",
             "Compare the same kernels over ranks: slower ones mean a slow GPU (clocks, temperature), more of them an "
             "uneven distribution of work.",
             "breakdown",
             {},
             Severity::kWarning,
             "three ranks or more"},
    RuleSpec{
        "outlier-steps",
        "outlier_steps",
        Compare::kAbove,
        0,
        {},
        {},
        {},
        0,
        "{outlier_steps} of the steps take much longer than the others; most is lost in {outlier_steps:subject}",
        "Look at what only these steps do: evaluation, checkpoints, garbage collection, recompilation, a late batch.",
        "steps",
        {},
        Severity::kWarning,
        "ProfilerStep annotations: call prof.step() in the training loop"},
    RuleSpec{"queue-full",
             "queue_full_pct",
             Compare::kAbove,
             5 * kPct,
             {},
             {},
             {},
             0,
             "The launch queue of a stream is full {queue_full_pct} % of the time: the host runs far ahead",
             "Nothing to fix on the host: the GPU is the bottleneck.",
             "counters",
             {},
             Severity::kInfo,
             kNeedsLaunches},
    RuleSpec{"one-kernel",
             "top_kernel_pct",
             Compare::kAbove,
             50 * kPct,
             {},
             "compute_pct",
             Compare::kAbove,
             50 * kPct,
             "One kernel takes {top_kernel_pct} % of kernel time: {top_kernel_pct:subject}",
             "Check this kernel: data type, shapes that are multiples of 8, a better algorithm or library for it.",
             "breakdown",
             {},
             Severity::kInfo,
             kNeedsGpu},
    RuleSpec{"incomplete-capture",
             "incomplete_capture",
             Compare::kAbove,
             0,
             {},
             {},
             {},
             0,
             "The capture is incomplete: a file is cut off, or a last step lost its kernels",
             "Let the profiler finish (prof.stop()) before the job ends, and leave the last step out of comparisons.",
             "info",
             {},
             Severity::kWarning,
             {}},
    RuleSpec{"damaged-events",
             "damaged_events",
             Compare::kAbove,
             0,
             {},
             {},
             {},
             0,
             "{damaged_events} events are damaged and lost",
             "See which with hta info; numbers that need every event may be too small.",
             "info",
             {},
             Severity::kWarning,
             {}},
    RuleSpec{"missing-ranks",
             "missing_ranks",
             Compare::kAbove,
             0,
             {},
             {},
             {},
             0,
             "Not all ranks of the job are here",
             "Collect the traces of all ranks: who waits for whom cannot be told without them.",
             "info",
             {},
             Severity::kInfo,
             {}},
};

constexpr std::array kColumns{
    ColumnSpec{"id", CellType::kText},
    ColumnSpec{"measure", CellType::kText},
    ColumnSpec{"compare", CellType::kText},
    ColumnSpec{"warning", CellType::kNumberText},
    ColumnSpec{"critical", CellType::kNumberText},
    ColumnSpec{"also", CellType::kText},
    ColumnSpec{"off", CellType::kInteger},
    ColumnSpec{"recommendation", CellType::kText},
};
constexpr result::TableSpec kRuleTable{"rules", "Rules that summary and report apply", kColumns};

std::string number_text(std::string_view measure, std::int64_t value) {
  return fixed_point(value, result::decimals_of(measure_type(measure)));
}

Error wrong(const std::string& path, std::string message) {
  return {ErrorCode::kUsage, path, std::move(message), {}};
}

}  // namespace

RuleBook::RuleBook() {
  for (const RuleSpec& rule : kRules) entries_.push_back({rule, false});
}

Result<RuleBook> RuleBook::from_json(std::string_view text, const std::string& path) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("rules") || !json["rules"].is_array()) {
    return wrong(
        path, R"(is no list of rules; write {"rules": [{"id": "host-bound", "warning": 15}]}, hta rules lists them)");
  }
  RuleBook book;
  std::vector<std::string_view> ids;
  for (const Entry& entry : book.entries_) ids.push_back(entry.spec.id);
  for (const auto& item : json["rules"]) {
    if (!item.is_object() || !item.contains("id") || !item["id"].is_string()) return wrong(path, "a rule needs an id");
    const std::string id = item["id"];
    const auto entry =
        std::find_if(book.entries_.begin(), book.entries_.end(), [&](const Entry& e) { return e.spec.id == id; });
    if (entry == book.entries_.end()) {
      const auto guess = nearest(id, ids);
      return wrong(path, "there is no rule '" + id + "'" +
                             (guess ? "; did you mean " + *guess + "?" : "; hta rules lists them"));
    }
    // Thresholds are written in the unit of the measure; kept as integers in its smallest decimal.
    std::int64_t scale = 1;
    for (int i = 0; i < result::decimals_of(measure_type(entry->spec.measure)); ++i) scale *= 10;
    for (const auto& [key, value] : item.items()) {
      if (key == "id") continue;
      if (key == "off" && value.is_boolean()) entry->off = value;
      else if (key == "warning" && value.is_number())
        entry->spec.warning = std::llround(value.get<double>() * static_cast<double>(scale));
      else if (key == "critical" && value.is_number())
        entry->spec.critical = std::llround(value.get<double>() * static_cast<double>(scale));
      else
        return wrong(path, "rule '" + id + "': '" + key +
                               "' is not known, or has the wrong type; there are warning, critical, off");
    }
  }
  return book;
}

result::Table RuleBook::table() const {
  result::Table table(kRuleTable);
  for (const Entry& entry : entries_) {
    const RuleSpec& rule = entry.spec;
    const std::string also = rule.condition_measure.empty()
                                 ? std::string()
                                 : std::string(rule.condition_measure) +
                                       (rule.condition == Compare::kAbove ? " > " : " < ") +
                                       number_text(rule.condition_measure, rule.condition_value);
    table.add({rule.id, rule.measure, rule.compare == Compare::kAbove ? ">" : "<",
               number_text(rule.measure, rule.warning),
               rule.critical ? result::Cell(number_text(rule.measure, *rule.critical)) : result::Cell(std::nullopt),
               also.empty() ? result::Cell(std::nullopt) : result::Cell(also), entry.off ? 1 : 0, rule.recommendation});
  }
  return table;
}

}  // namespace hta::report
