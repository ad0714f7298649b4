#include "hta/analysis/launch.h"

#include "hta/base/human.h"

#include <algorithm>
#include <unordered_map>

#include "idle_gaps.h"
#include "launch_heading.h"
#include "launch_pairs.h"
#include "operator_sequences.h"

namespace hta::analysis {
namespace launch {
namespace {

using result::ColumnSpec;
using enum result::CellType;
using result::Bar;
using result::Fit;
using result::Presence;
using result::RowsPer;

constexpr std::array kSummaryColumns{
    ColumnSpec{"rank", kRank},
    ColumnSpec{"launches", kInteger},
    ColumnSpec{"pairs", kInteger},
    ColumnSpec{"short_kernels", kInteger},
    ColumnSpec{"runtime_outliers", kInteger},
    ColumnSpec{"delay_outliers", kInteger},
    ColumnSpec{"launch_us", kTime},
    ColumnSpec{"gpu_us", kTime},
    ColumnSpec{"delay_us", kTime, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"mean_delay_us", kTime, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"p50_delay_us", kTime},
    ColumnSpec{"max_delay_us", kTime, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"late_launches", kInteger},
    ColumnSpec{"late_us", kTime},
    ColumnSpec{"bare_launches", kInteger, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
};
constexpr std::array kLaunchColumns{
    ColumnSpec{"rank", kRank},
    ColumnSpec{"device", kInteger},
    ColumnSpec{"stream", kInteger},
    ColumnSpec{"correlation", kInteger, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"launch_name", kText},
    ColumnSpec{"kernel_name", kText},
    ColumnSpec{"cpu_duration_us", kTime},
    ColumnSpec{"gpu_duration_us", kTime},
    ColumnSpec{"launch_delay_us", kTime},
    ColumnSpec{"class", kText},
};
constexpr std::array kSequenceColumns{
    ColumnSpec{"rank", kRank},     ColumnSpec{"op_name", kText},          ColumnSpec{"kernel_sequence", kText},
    ColumnSpec{"count", kInteger}, ColumnSpec{"mean_op_delay_us", kTime}, ColumnSpec{"mean_runtime_delay_us", kTime},
};
constexpr std::array kHistogramColumns{
    ColumnSpec{"rank", kRank},  ColumnSpec{"measure", kText},  ColumnSpec{"from_us", kTime},
    ColumnSpec{"to_us", kTime}, ColumnSpec{"count", kInteger},
};
constexpr std::array kTables{
    result::TableSpec{"launch_summary", "Launches of each rank", kSummaryColumns},
    result::TableSpec{"launches", "Every GPU event with the call that launched it", kLaunchColumns, RowsPer::kEvent},
    result::TableSpec{"op_sequences", "Kernels that aten operators launch, and how late", kSequenceColumns},
    result::TableSpec{"histograms", "How many launches take how long", kHistogramColumns},
};
constexpr std::array kOptions{
    OptionSpec{"runtime-cutoff", OptionKind::kTime, "50", "US", "launch calls longer than this are outliers", ""},
    OptionSpec{"delay-cutoff", OptionKind::kTime, "100", "US",
               "events that start later than this after their launch are outliers", ""},
    OptionSpec{"no-memory", OptionKind::kFlag, "", "", "leave out copies and fills", ""},
};
constexpr std::array<std::string_view, kMeasures> kMeasureNames{"cpu_duration", "gpu_duration", "launch_delay"};

Needs needs(const Options& options) {
  Needs needs;
  if (options.wants("op_sequences")) {
    needs.call_tree = true;
    needs.python_tree = true;  // an operator may end with the frame around it
  }
  return needs;
}

void count_pairs(const Trace& trace, std::span<const LaunchPair> pairs, const LaunchCutoffs& cutoffs, Partial& out) {
  std::vector<Nanos> delays;
  delays.reserve(pairs.size());
  for (const LaunchPair& pair : pairs) {
    const LaunchTimes times = launch_times(trace, pair);
    const std::uint8_t unusual = launch_class(times, cutoffs);
    out.short_kernels += (unusual & kShortKernel) != 0 ? 1 : 0;
    out.runtime_outliers += (unusual & kRuntimeOutlier) != 0 ? 1 : 0;
    out.delay_outliers += (unusual & kDelayOutlier) != 0 ? 1 : 0;
    out.gpu_ns += times.gpu_ns;
    out.delay_ns.add(times.delay_ns);
    delays.push_back(times.delay_ns);
    out.histograms[kGpuDuration].add(times.gpu_ns);
    out.histograms[kLaunchDelay].add(times.delay_ns);
    out.histograms[kCpuDuration].add(times.cpu_ns);
  }
  std::vector<bool> seen(trace.launches.size());
  for (const LaunchPair& pair : pairs) {
    if (seen[pair.launch.value()]) continue;
    seen[pair.launch.value()] = true;
    ++out.launches;
    out.launch_ns += trace.launches.dur_ns[pair.launch];
  }
  out.pairs = static_cast<std::int64_t>(pairs.size());
  std::sort(delays.begin(), delays.end());
  out.p50_delay_ns = quantile(delays, 1, 2);
}

void count_late(const Trace& trace, MemoryEvents memory, Partial& out) {
  for (const DeviceGaps& device : device_gaps(trace, 0)) {
    out.span_ns += device.span.length();
    for (const DeviceGap& gap : device.gaps) {
      if (gap.kind != GapKind::kHostWait) continue;
      if (memory == MemoryEvents::kLeftOut && trace.gpu.type[gap.ended_by] == KernelType::kMemory) continue;
      out.late.add(gap.time.length());
      const StepId step = trace.gpu.step[gap.ended_by];
      if (step.valid()) out.late_by_step[trace.step(step).number].add(gap.time.length());
    }
  }
}

// What the name of a call says about it.
enum CallTrait : std::uint8_t {
  kUnknownCall = 1,
  kLaunchesWork = 2,
  kLaunchesGraph = 4,
  kBeginsCapture = 8,
  kEndsCapture = 16
};

std::uint8_t call_traits(std::string_view name) {
  std::uint8_t traits = 0;
  if (name.find("GraphLaunch") != std::string_view::npos) traits |= kLaunchesWork | kLaunchesGraph;
  if (name.find("StreamBeginCapture") != std::string_view::npos) traits |= kBeginsCapture;
  if (name.find("StreamEndCapture") != std::string_view::npos) traits |= kEndsCapture;
  return traits;
}

bool in_incomplete_step(const Trace& trace, LaunchId call) {
  const StepId step = trace.step_at(trace.launches.start_ns[call]);
  return step.valid() &&
         std::find(trace.incomplete_steps.begin(), trace.incomplete_steps.end(), step) != trace.incomplete_steps.end();
}

// Calls whose kernels were not recorded: those of a name that launches kernels elsewhere, and graph launches. Fills
// that need not run leave no event either, so copies and fills tell nothing. What a thread launches while it captures a
// graph does not run. Where a filter left events out, nobody can tell.
void count_bare(const Trace& trace, Partial& out) {
  const LaunchCalls& calls = trace.launches;
  const auto linked = static_cast<std::uint64_t>(
      std::count_if(trace.gpu.launch.begin(), trace.gpu.launch.end(), [](LaunchId call) { return call.valid(); }));
  if (linked != trace.gpu_events_linked) return;
  std::vector<std::uint8_t> traits(trace.strings.size(), kUnknownCall);
  for (const LaunchId call : IdRange<LaunchId>(calls.size())) {
    std::uint8_t& of_name = traits[calls.name[call].value()];
    if (of_name == kUnknownCall) of_name = call_traits(trace.name(call));
    for (const GpuId event : calls.gpu_events(call)) {
      if (trace.gpu.type[event] != KernelType::kMemory) of_name |= kLaunchesWork;
    }
  }
  std::vector<bool> capturing(trace.threads.size());
  out.bare_launches = 0;
  for (const LaunchId call : IdRange<LaunchId>(calls.size())) {
    const std::uint8_t of_name = traits[calls.name[call].value()];
    const std::size_t thread = calls.thread[call].value();
    if ((of_name & kBeginsCapture) != 0) capturing[thread] = true;
    if ((of_name & kEndsCapture) != 0) capturing[thread] = false;
    if ((of_name & kLaunchesWork) == 0 || capturing[thread] || !calls.gpu_events(call).empty()) continue;
    if ((of_name & kLaunchesGraph) != 0) ++out.bare_graph_launches;
    else if (!in_incomplete_step(trace, call)) ++*out.bare_launches;
  }
}

void list_pairs(const Trace& trace, std::span<const LaunchPair> pairs, const LaunchCutoffs& cutoffs, Partial& out) {
  std::unordered_map<std::uint32_t, std::uint32_t> index;
  const auto name = [&](StringId id) {
    const auto [at, fresh] = index.try_emplace(id.value(), static_cast<std::uint32_t>(out.names.size()));
    if (fresh) out.names.emplace_back(trace.text(id));
    return at->second;
  };
  out.rows.reserve(pairs.size());
  for (const LaunchPair& pair : pairs) {
    const LaunchTimes times = launch_times(trace, pair);
    const Stream& stream = trace.stream_of(pair.event);
    out.rows.push_back({stream.device, stream.stream, trace.gpu.correlation[pair.event],
                        name(trace.launches.name[pair.launch]), name(trace.gpu.name[pair.event]), times.cpu_ns,
                        times.gpu_ns, times.delay_ns, launch_class(times, cutoffs)});
  }
}

void note_bare_graphs(std::span<Ranked<Partial>> ranks, result::Document& document) {
  for (const auto& [context, partial] : ranks) {
    const std::int64_t bare = partial.bare_graph_launches;
    if (bare == 0) continue;
    document.note("graph-launches-bare",
                  "rank " + std::to_string(context.rank.rank()) + ": " +
                      human_count(bare, "graph launch has", "graph launches have") +
                      " no GPU event: the kernels were not recorded, so no number here holds them");
  }
}

void add_summary(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[0]);
  for (const auto& [context, p] : ranks) {
    const auto if_any = [&p = p](std::int64_t value) { return p.pairs > 0 ? std::optional(value) : std::nullopt; };
    table.add({context.rank, p.launches, p.pairs, p.short_kernels, p.runtime_outliers, p.delay_outliers, p.launch_ns,
               p.gpu_ns, static_cast<std::int64_t>(p.delay_ns.sum), p.delay_ns.mean(), p.p50_delay_ns,
               if_any(p.delay_ns.max), p.late.count, p.late.wait_ns, p.bare_launches});
  }
  document.tables.push_back(std::move(table));
}

void add_launches(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[1]);
  std::array<std::string, 8> class_names;
  for (std::size_t c = 0; c < class_names.size(); ++c) class_names[c] = launch_class_name(static_cast<std::uint8_t>(c));
  for (const auto& [context, partial] : ranks) {
    for (const LaunchRow& row : partial.rows) {
      table.add({context.rank, row.device, row.stream, row.correlation, partial.names[row.launch_name],
                 partial.names[row.kernel_name], row.cpu_ns, row.gpu_ns, row.delay_ns, class_names[row.launch_class]});
    }
  }
  document.tables.push_back(std::move(table));
}

void add_sequences(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  result::Table table(kTables[2]);
  for (const auto& [context, partial] : ranks) {
    OperatorSequence others;
    std::int64_t shown = 0;
    for (const OperatorSequence& row : partial.sequences) {
      if (options.top != 0 && shown++ >= options.top) {
        others.op_delay_ns.merge(row.op_delay_ns);
        others.runtime_delay_ns.merge(row.runtime_delay_ns);
        continue;
      }
      table.add({context.rank, row.op, row.kernels, row.op_delay_ns.count, row.op_delay_ns.mean(),
                 row.runtime_delay_ns.mean()});
    }
    if (others.op_delay_ns.count > 0) {
      table.add({context.rank, "others", std::nullopt, others.op_delay_ns.count, others.op_delay_ns.mean(),
                 others.runtime_delay_ns.mean()});
    }
  }
  document.tables.push_back(std::move(table));
}

void add_histograms(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[3]);
  for (const auto& [context, partial] : ranks) {
    for (std::size_t measure = 0; measure < kMeasures; ++measure) {
      const DurationHistogram& histogram = partial.histograms[measure];
      for (std::size_t bucket = histogram.first_used(); bucket < histogram.end_used(); ++bucket) {
        const Interval bounds = DurationHistogram::bounds(bucket);
        table.add({context.rank, kMeasureNames[measure], bounds.begin, bounds.end, histogram.count(bucket)});
      }
    }
  }
  document.tables.push_back(std::move(table));
}

}  // namespace

Partial map(const Trace& trace, const Options& options) {
  const MemoryEvents memory = options.flag("no-memory") ? MemoryEvents::kLeftOut : MemoryEvents::kIncluded;
  const LaunchCutoffs cutoffs{options.time_ns("runtime-cutoff"), options.time_ns("delay-cutoff")};
  const std::vector<LaunchPair> pairs = launch_pairs(trace, memory);
  Partial out;
  count_pairs(trace, pairs, cutoffs, out);
  count_late(trace, memory, out);
  count_bare(trace, out);
  if (options.wants("op_sequences")) out.sequences = operator_sequences(trace, pairs);
  if (options.wants_large("launches")) list_pairs(trace, pairs, cutoffs, out);
  return out;
}

Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  add_heading(ranks, document);
  note_bare_graphs(ranks, document);
  add_summary(ranks, document);
  if (options.wants_large("launches")) add_launches(ranks, document);
  add_sequences(ranks, options, document);
  add_histograms(ranks, document);
  document.shown = {"launch_summary"};
  if (ranks.size() == 1) document.shown.push_back("op_sequences");
  return {};
}

}  // namespace launch

constexpr AnalysisSpec kLaunch = make_spec<launch::Partial, &launch::map, &launch::combine>(
    "launch", "do kernel launches hold the GPU back?",
    "Pairs every GPU event with the call that launched it, whatever the call is named: CUDA, driver, HIP, graph and "
    "other runtimes are "
    "found by their links. A kernel is short if its launch call takes longer than it runs. A launch came late if the "
    "device had "
    "nothing to do when the call began. A long delay is no fault by itself: it is what a well filled queue looks like.",
    launch::kTables, launch::kOptions, &launch::needs);

}  // namespace hta::analysis
