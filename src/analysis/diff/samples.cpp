#include "hta/analysis/diff/samples.h"

#include "hta/analysis/diff/timeline.h"
#include "hta/base/intervals.h"

#include <algorithm>

#include "op_sums.h"

namespace hta::analysis::diff {
namespace {

constexpr std::uint32_t kNoRow = 0xffffffffu;

// The kernels of the rank: name and kind of every row, and the row of every GPU event.
struct KernelRows {
  struct Row {
    StringId name;
    KernelType kind;
  };
  std::vector<Row> rows;
  std::vector<std::uint32_t> of_event;

  explicit KernelRows(const Trace& trace) {
    const GpuEvents& gpu = trace.gpu;
    std::vector<std::array<std::uint32_t, kKernelTypes.size()>> index(trace.strings.size());
    for (auto& kinds : index) kinds.fill(kNoRow);
    of_event.reserve(gpu.size());
    for (const GpuId i : IdRange<GpuId>(gpu.size())) {
      std::uint32_t& row = index[gpu.name[i].value()][static_cast<std::size_t>(gpu.type[i])];
      if (row == kNoRow) {
        row = static_cast<std::uint32_t>(rows.size());
        rows.push_back({gpu.name[i], gpu.type[i]});
      }
      of_event.push_back(row);
    }
  }
};

// Sums by kernel over one set of samples.
struct KernelCells {
  explicit KernelCells(std::size_t rows) : count(rows), time_ns(rows), owned_ns(rows), present(rows) {}
  std::vector<std::int64_t> count;
  std::vector<Nanos> time_ns;
  std::vector<Nanos> owned_ns;
  std::vector<char> present;

  void add(std::uint32_t row, Nanos dur_ns) {
    ++count[row];
    time_ns[row] += dur_ns;
    present[row] = 1;
  }
  std::vector<KernelSum> sums(const Trace& trace, const KernelRows& kernels) const {
    std::vector<KernelSum> out;
    for (std::size_t row = 0; row < kernels.rows.size(); ++row) {
      if (present[row] == 0) continue;
      out.push_back({std::string(trace.text(kernels.rows[row].name)), kernels.rows[row].kind, count[row], time_ns[row],
                     owned_ns[row]});
    }
    return out;
  }
};

ChosenSteps choose_steps(const Trace& trace, const IntRanges& choice) {
  ChosenSteps out{std::vector<char>(trace.steps.size(), 0)};
  for (std::size_t i = 0; i < trace.steps.size(); ++i) out.chosen[i] = choice.contains(trace.steps[i].number) ? 1 : 0;
  if (!choice.all()) return out;  // who asks for a step by its number gets it, complete or not
  for (const StepId step : trace.incomplete_steps) out.chosen[step.value()] = 0;
  return out;
}

// Kernels that reach into a chosen window are present there, whichever step they belong to.
void mark_present(const Trace& trace, const KernelRows& kernels, const IntervalSet& windows, KernelCells& cells) {
  auto window = windows.parts().begin();
  for (const GpuId i : IdRange<GpuId>(trace.gpu.size())) {
    const Nanos start = trace.gpu.start_ns[i];
    while (window != windows.parts().end() && window->end <= start) ++window;
    if (window == windows.parts().end()) return;
    if (window->begin <= start || window->begin < trace.gpu.end_ns(i)) cells.present[kernels.of_event[i.value()]] = 1;
  }
}

SampleSet step_samples(const Trace& trace, const KernelRows& kernels, const Timeline& timeline,
                       const ChosenSteps& chosen) {
  const GpuEvents& gpu = trace.gpu;
  KernelCells cells(kernels.rows.size());
  std::vector<Nanos> kernel_ns(trace.steps.size(), 0);
  for (const GpuId i : IdRange<GpuId>(gpu.size())) {
    if (!chosen.contains(gpu.step[i])) continue;
    cells.add(kernels.of_event[i.value()], gpu.dur_ns[i]);
    kernel_ns[gpu.step[i].value()] += gpu.dur_ns[i];
  }
  SampleSet out;
  IntervalSet windows;
  for (std::size_t s = 0; s < trace.steps.size(); ++s) {
    if (!chosen.contains(StepId(s))) continue;
    const Step& step = trace.steps[s];
    Sample sample{step.number, {}};
    sample.times.kernel_ns = kernel_ns[s];
    timeline.add({step.start_ns, step.end_ns}, sample.times, cells.owned_ns);
    windows.append({step.start_ns, step.end_ns});
    out.samples.push_back(sample);
  }
  mark_present(trace, kernels, windows, cells);
  out.kernels = cells.sums(trace, kernels);
  return out;
}

// Nothing if there is neither a GPU event nor an operator or call.
SampleSet whole_sample(const Trace& trace, const KernelRows& kernels, const Timeline& timeline,
                       std::optional<Interval> work) {
  const GpuEvents& gpu = trace.gpu;
  KernelCells cells(kernels.rows.size());
  Sample sample;
  std::optional<Interval> window = work;
  for (const GpuId i : IdRange<GpuId>(gpu.size())) {
    cells.add(kernels.of_event[i.value()], gpu.dur_ns[i]);
    sample.times.kernel_ns += gpu.dur_ns[i];
    if (!window) window = Interval{gpu.start_ns[i], gpu.end_ns(i)};
    window->begin = std::min(window->begin, gpu.start_ns[i]);
    window->end = std::max(window->end, gpu.end_ns(i));
  }
  SampleSet out;
  if (!window) return out;
  timeline.add(*window, sample.times, cells.owned_ns);
  out.samples.push_back(sample);
  out.kernels = cells.sums(trace, kernels);
  return out;
}

}  // namespace

std::string_view op_kind_name(OpKind kind) {
  return kind == OpKind::kOp ? "op" : "call";
}

IntRanges step_choice(const Options& options) {
  if (options.side != Side::kOnly) {
    IntRanges own = options.ranges(options.side == Side::kBase ? "base-step" : "test-step");
    if (!own.all()) return own;
  }
  return options.ranges("step");
}

Needs needs(const Options&) {
  Needs needs;
  needs.host_events = true;
  return needs;
}

Partial map(const Trace& trace, const Options& options) {
  const IntRanges choice = step_choice(options);
  const ChosenSteps chosen = choose_steps(trace, choice);
  const KernelRows kernels(trace);
  const Timeline timeline(trace, kernels.of_event, options.time_ns("kernel-gap"));
  OpSums ops = sum_ops(trace, chosen);

  Partial out;
  for (const Step& step : trace.steps) out.recorded_steps.push_back(step.number);
  if (choice.all()) out.incomplete_left_out = trace.incomplete_steps.size();
  out.steps = step_samples(trace, kernels, timeline, chosen);
  out.steps.ops = std::move(ops.steps);
  if (!choice.all()) return out;
  out.whole = whole_sample(trace, kernels, timeline, ops.extent);
  out.whole.ops = std::move(ops.whole);
  return out;
}

}  // namespace hta::analysis::diff
