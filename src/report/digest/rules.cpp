#include "rules.h"

#include <array>

namespace hta::report {
namespace {

using result::Severity;

constexpr std::int64_t kPct = 100;  // hundredths
constexpr std::string_view kNeedsLaunches = "launch calls linked to GPU events: record CPU and CUDA activities";
constexpr std::string_view kNeedsGpu = "GPU events: record with ProfilerActivity.CUDA";
constexpr std::string_view kNeedsRanks = "several ranks with collectives: give the directory with all ranks";

constexpr std::array kRules{
    RuleSpec{
        .id = "straggler",
        .measure = "straggler_cost_pct",
        .warning = 5 * kPct,
        .critical = 20 * kPct,
        .title =
            "{straggler_cost_pct:subject} makes the others wait: that costs them {straggler_cost_pct} % of the time, "
            "and it arrives last in {straggler_last_pct} % of the collectives",
        .recommendation =
            "Look at that rank first: compare its clocks, its temperature and its input with the other ranks; if its "
            "work is larger, balance batch sizes and sequence lengths over the ranks.",
        .next = "stragglers",
        .gain_measure = "straggler_cost_pct",
        .needs = kNeedsRanks,
    },
    RuleSpec{
        .id = "slow-link",
        .measure = "slow_group_pct",
        .warning = 2 * kPct,
        .critical = 10 * kPct,
        .title = "One group communicates slower than its like: {slow_group_pct:subject} as in other groups, which "
                 "exposes {slow_group_pct} % of GPU time",
        .recommendation = "Look at the links between the ranks of that group: topology, network cards and their "
                          "settings, other jobs on the same switch.",
        .next = "comm",
        .gain_measure = "slow_group_pct",
        .needs = kNeedsGpu,
    },
    RuleSpec{
        .id = "input-stall",
        .measure = "idle_data_loading_pct",
        .warning = 3 * kPct,
        .critical = 15 * kPct,
        .title = "The GPUs starve for data: idle {idle_data_loading_pct} % of the time while the host is in "
                 "{idle_data_loading_pct:subject}",
        .recommendation =
            "Load data ahead: raise num_workers and prefetch_factor of the DataLoader, set pin_memory=True and "
            "persistent_workers=True, and move decoding out of the training process.",
        .next = "idle",
        .gain_measure = "idle_data_loading_pct",
        .needs = kNeedsLaunches,
    },
    RuleSpec{
        .id = "sync-calls",
        .measure = "idle_sync_pct",
        .warning = 1 * kPct,
        .critical = 10 * kPct,
        .title = "Synchronising calls let the GPUs run dry: gaps that begin in one take {idle_sync_pct} % of the time "
                 "(foremost {idle_sync_pct:subject})",
        .recommendation =
            "Remove host synchronisation from the step: .item(), .cpu(), nonzero(), printing losses; read results "
            "every few steps, from a copy started earlier.",
        .next = "idle",
        .gain_measure = "idle_sync_pct",
        .needs = kNeedsLaunches,
    },
    RuleSpec{
        .id = "allocator",
        .measure = "idle_allocator_pct",
        .warning = kPct / 2,
        .critical = 5 * kPct,
        .title = "Allocating GPU memory stops the step: the GPUs are idle {idle_allocator_pct} % of the time meanwhile "
                 "(foremost {idle_allocator_pct:subject})",
        .recommendation = "Keep cudaMalloc and cudaFree out of the step: avoid empty_cache(), keep shapes constant, "
                          "try PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.",
        .next = "memory",
        .gain_measure = "idle_allocator_pct",
        .needs = kNeedsLaunches,
    },
    RuleSpec{
        .id = "compilation",
        .measure = "idle_compilation_pct",
        .warning = 1 * kPct,
        .critical = 10 * kPct,
        .title = "Compiling or loading code stops the step: the GPUs are idle {idle_compilation_pct} % of the time "
                 "meanwhile (foremost {idle_compilation_pct:subject})",
        .recommendation =
            "Record after a warm-up; against recompilation keep shapes fixed or mark them dynamic "
            "(TORCH_LOGS=recompiles says what changed); CUDA_MODULE_LOADING=EAGER loads kernels at start.",
        .next = "idle",
        .gain_measure = "idle_compilation_pct",
        .needs = kNeedsLaunches,
    },
    RuleSpec{
        .id = "one-long-gap",
        .measure = "longest_gap_pct",
        .warning = 10 * kPct,
        .critical = 30 * kPct,
        .title = "A single wait of {longest_gap_us} is {longest_gap_pct} % of GPU time: {longest_gap_pct:subject}",
        .recommendation = "It happens once: code that is loaded or tuned at first use, a checkpoint, a pause of the "
                          "process. Record after a warm-up, or look at that moment in a timeline.",
        .next = "idle",
        .gain_measure = "longest_gap_pct",
        .needs = kNeedsLaunches,
    },
    RuleSpec{
        .id = "optimizer",
        .measure = "idle_optimizer_pct",
        .warning = 3 * kPct,
        .critical = 20 * kPct,
        .title = "The GPUs are idle {idle_optimizer_pct} % of the time while the host is in the optimizer "
                 "(foremost {idle_optimizer_pct:subject})",
        .recommendation =
            "Let the optimizer launch fewer kernels: fused=True or foreach=True, zero_grad(set_to_none=True), or "
            "the step in a CUDA graph (capturable=True).",
        .next = "idle",
        .gain_measure = "idle_optimizer_pct",
        .needs = kNeedsLaunches,
    },
    RuleSpec{
        .id = "exposed-communication",
        .measure = "exposed_transfer_pct",
        .warning = 10 * kPct,
        .critical = 30 * kPct,
        .title = "{exposed_transfer_pct} % of GPU time goes to communication that no computation hides "
                 "({exposed_wait_pct:subject}), most of it to {exposed_transfer_pct:subject}",
        .recommendation = "Hide communication: larger or earlier gradient buckets (bucket_cap_mb), asynchronous "
                          "collectives, prefetching of sharded parameters.",
        .next = "overlap",
        .gain_measure = "exposed_transfer_pct",
        .needs = kNeedsGpu,
    },
    RuleSpec{
        .id = "low-overlap",
        .measure = "overlap_pct",
        .compare = Compare::kBelow,
        .warning = 30 * kPct,
        .condition_measure = "exposed_transfer_pct",
        .condition_value = 10 * kPct,
        .title = "Only {overlap_pct} % of communication runs beside computation",
        .recommendation = "Use non-blocking collectives (async_op=True, overlapping FSDP or DDP) and wait for them as "
                          "late as possible.",
        .next = "overlap",
    },
    RuleSpec{
        .id = "host-bound",
        .measure = "host_late_pct",
        .warning = 10 * kPct,
        .critical = 30 * kPct,
        .title = "The GPUs are idle {idle_pct} % of the time, {host_late_pct} % because the host comes late with the "
                 "next launch; the largest part of that, {host_late_pct:subject}",
        .recommendation = "Take work off the launching thread: torch.compile or CUDA graphs against the cost of "
                          "launches and operators, less Python in the step; with_stack=True shows which lines.",
        .next = "idle",
        .gain_measure = "host_late_pct",
        .needs = kNeedsLaunches,
    },
    RuleSpec{
        .id = "launch-bound",
        .measure = "idle_kernel_wait_pct",
        .warning = 8 * kPct,
        .critical = 20 * kPct,
        .title = "{idle_kernel_wait_pct} % of GPU time goes to short gaps between kernels",
        .recommendation = "Fewer and larger kernels: fuse operations (torch.compile, fused optimizers) or replay the "
                          "step as a CUDA graph.",
        .next = "launch",
        .gain_measure = "idle_kernel_wait_pct",
        .needs = kNeedsLaunches,
    },
    RuleSpec{
        .id = "dependency-stall",
        .measure = "idle_other_pct",
        .warning = 10 * kPct,
        .critical = 30 * kPct,
        .title = "{idle_other_pct} % of GPU time no stream has work, although the next kernel was launched long before",
        .recommendation = "Something that the trace may not show holds the work back: another device, the host through "
                          "an event, or GPU events that were not recorded. See what the steps wait for.",
        .next = "critical-path",
        .gain_measure = "idle_other_pct",
        .needs = kNeedsLaunches,
    },
    RuleSpec{
        .id = "short-kernels",
        .measure = "short_kernel_pct",
        .warning = 25 * kPct,
        .condition_measure = "idle_for_host_pct",
        .condition_value = 10 * kPct,
        .title = "{short_kernel_pct} % of the kernel calls are of kernels that take less than 10 µs on average, while "
                 "launching one takes the host {mean_launch_us}",
        .recommendation = "torch.compile, fused operations, larger batches, or CUDA graphs.",
        .next = "patterns",
        .needs = kNeedsLaunches,
    },
    RuleSpec{
        .id = "pageable-copies",
        .measure = "pageable_copy_pct",
        .warning = 1 * kPct,
        .critical = 10 * kPct,
        .title = "Copies from or to pageable memory take {pageable_copy_pct} % of GPU time, most of it "
                 "{pageable_copy_pct:subject}",
        .recommendation = "Pin the host memory (pin_memory=True, tensor.pin_memory()) and copy with non_blocking=True.",
        .next = "counters",
        .gain_measure = "exposed_pageable_pct",
        .needs = kNeedsGpu,
    },
    RuleSpec{
        .id = "exposed-copies",
        .measure = "exposed_copy_pct",
        .warning = 3 * kPct,
        .critical = 15 * kPct,
        .title = "{exposed_copy_pct} % of GPU time goes to copies and memsets that nothing hides, most of it to "
                 "{exposed_copy_pct:subject}",
        .recommendation = "Fewer copies: keep tensors on the device, no .cpu()/.cuda() round trips, non_blocking=True "
                          "for those that remain; between tensors of one device fewer .contiguous(), .clone() and "
                          "cat(), more in-place operations.",
        .next = "counters",
        .gain_measure = "exposed_copy_pct",
        .needs = kNeedsGpu,
    },
    RuleSpec{
        .id = "uneven-compute",
        .measure = "compute_excess_pct",
        .warning = 5 * kPct,
        .critical = 20 * kPct,
        .condition_measure = "compute_excess_time_pct",
        .condition_value = 3 * kPct,
        .title = "{compute_excess_pct:subject} computes {compute_excess_pct} % longer than the median rank",
        .recommendation = "Compare the same kernels over ranks: slower ones mean a slow GPU (clocks, temperature), "
                          "more of them an uneven distribution of work.",
        .next = "breakdown",
        .gain_measure = "compute_excess_time_pct",
        .needs = "three ranks or more",
        .covered_by = "straggler",
    },
    RuleSpec{
        .id = "outlier-steps",
        .measure = "outlier_steps",
        .warning = 0,
        .title = "Much longer than the others: {outlier_steps} of {steps} steps; most is lost in "
                 "{outlier_steps:subject}",
        .recommendation =
            "Look at what only these steps do: evaluation, checkpoints, garbage collection, recompilation, a late "
            "batch.",
        .next = "steps",
        .gain_measure = "outlier_steps_pct",
        .needs = "ProfilerStep annotations: call prof.step() in the training loop",
    },
    RuleSpec{
        .id = "memory-limit",
        .measure = "memory_peak_pct",
        .warning = 92 * kPct,
        .critical = 98 * kPct,
        .title = "GPU memory is nearly full: {memory_peak_pct} % at the peak, {memory_peak_pct:subject}",
        .recommendation = "Smaller micro-batches, activation checkpointing or sharded optimizer states; near the limit "
                          "the allocator releases and retries, which stops the step.",
        .next = "memory",
        .needs = "memory events: record with profile_memory=True",
    },
    RuleSpec{
        .id = "queue-full",
        .measure = "queue_full_pct",
        .warning = 5 * kPct,
        .title = "The launch queue of a stream is full {queue_full_pct} % of the time: the host runs far ahead",
        .recommendation = "While it is full, nothing is to be gained on the host: what the GPUs do bounds the run.",
        .next = "counters",
        .severity = Severity::kInfo,
        .needs = kNeedsLaunches,
    },
    RuleSpec{
        .id = "one-kernel",
        .measure = "top_kernel_pct",
        .warning = 50 * kPct,
        .condition_measure = "compute_pct",
        .condition_value = 50 * kPct,
        .title = "One kernel takes {top_kernel_pct} % of kernel time: {top_kernel_pct:subject}",
        .recommendation =
            "Check this kernel: data type, shapes that are multiples of 8, a better algorithm or library for it.",
        .next = "breakdown",
        .severity = Severity::kInfo,
        .needs = kNeedsGpu,
    },
    RuleSpec{
        .id = "truncated-file",
        .measure = "truncated_files",
        .warning = 0,
        .title = "The recording is cut off in {truncated_files:subject}",
        .recommendation = "Let the profiler finish (prof.stop()) before the job ends; what was lost behind the cut "
                          "is missing in every number.",
        .next = "info",
    },
    RuleSpec{
        .id = "damaged-events",
        .measure = "damaged_events",
        .warning = 0,
        .title = "Damaged events, which are lost: {damaged_events}",
        .recommendation = "See which with hta info; numbers that need every event may be too small.",
        .next = "info",
    },
    RuleSpec{
        .id = "not-linked",
        .measure = "not_linked_pct",
        .warning = 5 * kPct,
        .title =
            "{not_linked_pct} % of the GPU events have no recorded launch call; for {idle_not_linked_pct} % of GPU "
            "time it cannot be told why the GPUs are idle",
        .recommendation = "Record CPU and CUDA activities together, from before the work is launched until after "
                          "torch.cuda.synchronize().",
        .next = "info",
        .needs = kNeedsLaunches,
    },
    RuleSpec{
        .id = "lost-graphs",
        .measure = "lost_graphs",
        .warning = 0,
        .critical = 0,
        .title = "Kernels of CUDA graphs were not recorded ({lost_graphs:subject}): the GPUs seem to be idle where "
                 "these ran",
        .recommendation = "A newer profiler may see into the graphs; else record once without them.",
        .next = "launch",
        .needs = kNeedsLaunches,
    },
    RuleSpec{
        .id = "lost-kernels",
        .measure = "lost_kernels_pct",
        .warning = 5 * kPct,
        .critical = 10 * kPct,
        .title = "{lost_kernels_pct} % of the calls that launch GPU work have no GPU event: kernels were lost, and the "
                 "GPUs seem to be idle where these ran",
        .recommendation = "Record fewer steps or fewer activities, so that the profiler's buffers suffice, and end "
                          "after torch.cuda.synchronize().",
        .next = "info",
        .needs = kNeedsLaunches,
    },
    RuleSpec{
        .id = "incomplete-step",
        .measure = "incomplete_steps",
        .warning = 0,
        .title = "Kernels of the last step are missing: {incomplete_steps:subject}",
        .recommendation = "End the recording after torch.cuda.synchronize(), and leave that step out of comparisons.",
        .next = "info",
    },
    RuleSpec{
        .id = "lost-collectives",
        .measure = "lost_collectives_pct",
        .warning = 1 * kPct,
        .title = "{lost_collectives_pct} % of the collectives are missing on a rank that took part",
        .recommendation = "Events were lost, or the ranks recorded different steps: start and stop the profiler of all "
                          "ranks at the same step.",
        .next = "comm",
        .needs = kNeedsRanks,
    },
    RuleSpec{
        .id = "missing-ranks",
        .measure = "missing_ranks",
        .warning = 0,
        .title = "{missing_ranks:subject}",
        .recommendation = "Collect the traces of all ranks: who waits for whom cannot be told without them.",
        .next = "info",
        .severity = Severity::kInfo,
    },
};

}  // namespace

std::span<const RuleSpec> default_rules() {
  return kRules;
}

}  // namespace hta::report
