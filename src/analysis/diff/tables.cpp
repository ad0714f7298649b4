#include "tables.h"

#include "hta/base/exact.h"

#include <algorithm>

namespace hta::analysis::diff {
namespace {

using result::Cell;
using result::ColumnSpec;
using result::if_room;
using enum result::CellType;

constexpr std::array kKernelColumns{
    ColumnSpec{"name", kText},
    if_room("kind", kText),
    if_room("base_count", kHundredths),
    if_room("test_count", kHundredths),
    if_room("count_change", kHundredths),
    ColumnSpec{"base_us", kTime},
    ColumnSpec{"test_us", kTime},
    ColumnSpec{"change_us", kTime},
    if_room("change_pct", kPercent),
    ColumnSpec{"class", kText},
    if_room("base_mean_us", kTime),
    if_room("test_mean_us", kTime),
    if_room("base_names", kText),
    if_room("test_names", kText),
};
constexpr std::array kOpColumns{
    ColumnSpec{"name", kText},
    if_room("kind", kText),
    if_room("base_count", kHundredths),
    if_room("test_count", kHundredths),
    if_room("count_change", kHundredths),
    ColumnSpec{"base_us", kTime},
    ColumnSpec{"test_us", kTime},
    ColumnSpec{"change_us", kTime},
    if_room("change_pct", kPercent),
    ColumnSpec{"class", kText},
    if_room("base_self_us", kTime),
    if_room("test_self_us", kTime),
    if_room("self_change_us", kTime),
    if_room("base_gpu_us", kTime),
    if_room("test_gpu_us", kTime),
    if_room("gpu_change_us", kTime),
};
constexpr std::array kWaterfallColumns{
    ColumnSpec{"component", kText}, ColumnSpec{"base_us", kTime},       ColumnSpec{"test_us", kTime},
    ColumnSpec{"change_us", kTime}, ColumnSpec{"change_pct", kPercent}, ColumnSpec{"share_pct", kPercent},
};
constexpr std::array kOwnedColumns{
    ColumnSpec{"component", kText}, ColumnSpec{"name", kText},      ColumnSpec{"base_us", kTime},
    ColumnSpec{"test_us", kTime},   ColumnSpec{"change_us", kTime},
};
constexpr std::array kStepColumns{
    ColumnSpec{"run", kText},
    ColumnSpec{"rank", kRank},
    ColumnSpec{"step", kInteger},
    ColumnSpec{"step_us", kTime},
    ColumnSpec{"compute_us", kTime},
    ColumnSpec{"exposed_comm_us", kTime},
    if_room("exposed_memory_us", kTime),
    if_room("idle_host_wait_us", kTime),
    if_room("idle_kernel_wait_us", kTime),
    if_room("idle_other_us", kTime),
};
constexpr std::array kMetricColumns{
    ColumnSpec{"metric", kText},     ColumnSpec{"base_us", kTime},     ColumnSpec{"test_us", kTime},
    ColumnSpec{"change_us", kTime},  if_room("change_pct", kPercent),  if_room("base_steps", kInteger),
    if_room("test_steps", kInteger), if_room("base_median_us", kTime), if_room("test_median_us", kTime),
    if_room("base_mad_us", kTime),   if_room("test_mad_us", kTime),    ColumnSpec{"p_value", kRatio},
    ColumnSpec{"verdict", kText},
};
constexpr std::array kGateColumns{
    ColumnSpec{"gate", kText},   ColumnSpec{"base", kNumberText}, ColumnSpec{"test", kNumberText},
    ColumnSpec{"change", kText}, ColumnSpec{"limit", kText},      ColumnSpec{"result", kText},
};
constexpr std::array kCheckColumns{
    ColumnSpec{"gate", kText},   ColumnSpec{"value", kText}, ColumnSpec{"limit", kText},
    ColumnSpec{"result", kText}, ColumnSpec{"why", kText},
};

constexpr std::array kDiffSpecs{
    result::TableSpec{"kernels", "Kernels, per step", kKernelColumns},
    result::TableSpec{"ops", "Operators and calls, per step", kOpColumns},
    result::TableSpec{"waterfall", "Why the step time changed, per step", kWaterfallColumns},
    result::TableSpec{"waterfall_kernels", "Kernels behind the busy components, per step", kOwnedColumns},
    result::TableSpec{"steps", "Samples of both runs", kStepColumns},
    result::TableSpec{"metrics", "Step by step: is it more than noise?", kMetricColumns},
    result::TableSpec{"gates", "Gates", kGateColumns},
};
constexpr std::array kCheckSpecs{result::TableSpec{"check", "Gates", kCheckColumns}};

Cell text_or_null(const std::string& text) {
  return text.empty() ? Cell(std::nullopt) : Cell(text);
}

enum class Stands : std::uint8_t { kForItself, kForOthers };

// Adds up the rows beyond the first `top`, so that columns still add up.
template <class Row, class Add, class Put>
void put_rows(const std::vector<Row>& rows, std::int64_t top, Add add, Put put) {
  const std::size_t shown = top == 0 ? rows.size() : std::min(rows.size(), static_cast<std::size_t>(top));
  for (std::size_t i = 0; i < shown; ++i) put(rows[i], Stands::kForItself);
  if (shown == rows.size()) return;
  Row others{};
  others.name = "others";
  for (std::size_t i = shown; i < rows.size(); ++i) add(others, rows[i]);
  put(others, Stands::kForOthers);
}

// A text that the row of the others does not have.
Cell own(Stands stands, std::string_view text) {
  return stands == Stands::kForItself ? Cell(text) : Cell(std::nullopt);
}

void operator+=(Pair& a, const Pair& b) {
  a.base += b.base;
  a.test += b.test;
}

result::Table kernels_table(const Comparison& comparison, std::int64_t top) {
  result::Table table(kDiffSpecs[0]);
  const auto add = [](KernelRow& others, const KernelRow& row) {
    others.count += row.count;
    others.time_ns += row.time_ns;
  };
  put_rows(comparison.kernels, top, add, [&](const KernelRow& row, Stands stands) {
    table.add({row.name, own(stands, kernel_type_name(row.kind)), row.count.base, row.count.test, row.count.change(),
               row.time_ns.base, row.time_ns.test, row.time_ns.change(),
               percent(row.time_ns.change(), row.time_ns.base), own(stands, change_class_name(row.change)),
               row.base_mean_ns, row.test_mean_ns, text_or_null(row.base_names), text_or_null(row.test_names)});
  });
  return table;
}

result::Table ops_table(const Comparison& comparison, std::int64_t top) {
  result::Table table(kDiffSpecs[1]);
  const auto add = [](OpRow& others, const OpRow& row) {
    others.count += row.count;
    others.time_ns += row.time_ns;
    others.self_ns += row.self_ns;
    others.gpu_ns += row.gpu_ns;
  };
  put_rows(comparison.ops, top, add, [&](const OpRow& row, Stands stands) {
    table.add({row.name, own(stands, op_kind_name(row.kind)), row.count.base, row.count.test, row.count.change(),
               row.time_ns.base, row.time_ns.test, row.time_ns.change(),
               percent(row.time_ns.change(), row.time_ns.base), own(stands, change_class_name(row.change)),
               row.self_ns.base, row.self_ns.test, row.self_ns.change(), row.gpu_ns.base, row.gpu_ns.test,
               row.gpu_ns.change()});
  });
  return table;
}

result::Table waterfall_table(const Comparison& comparison) {
  result::Table table(kDiffSpecs[2]);
  const Nanos whole = comparison[Metric::kStepTime].time_ns.change();
  for (std::size_t m = 0; m < kWaterfallMetrics; ++m) {
    const MetricRow& row = comparison.metrics[m];
    table.add({metric_name(row.metric), row.time_ns.base, row.time_ns.test, row.time_ns.change(),
               percent(row.time_ns.change(), row.time_ns.base), percent(row.time_ns.change(), whole)});
  }
  return table;
}

result::Table owned_table(const Comparison& comparison, std::int64_t top) {
  result::Table table(kDiffSpecs[3]);
  const auto add = [](OwnedRow& others, const OwnedRow& row) { others.time_ns += row.time_ns; };
  put_rows(comparison.owned, top, add, [&](const OwnedRow& row, Stands stands) {
    table.add({own(stands, component_name(row.component)), row.name, row.time_ns.base, row.time_ns.test,
               row.time_ns.change()});
  });
  return table;
}

result::Table metrics_table(const Comparison& comparison) {
  result::Table table(kDiffSpecs[5]);
  for (const MetricRow& row : comparison.metrics) {
    const NoiseResult& noise = row.noise;
    table.add({metric_name(row.metric), row.time_ns.base, row.time_ns.test, row.time_ns.change(),
               percent(row.time_ns.change(), row.time_ns.base), row.steps.base, row.steps.test, noise.base.median_ns,
               noise.test.median_ns, noise.base.mad_ns, noise.test.mad_ns, noise.p_value, verdict_name(noise.verdict)});
  }
  return table;
}

}  // namespace

const std::span<const result::TableSpec> kDiffTables = kDiffSpecs;
const std::span<const result::TableSpec> kCheckTables = kCheckSpecs;

void add_comparison_tables(const Comparison& comparison, std::int64_t top, result::Document& document) {
  document.tables.push_back(kernels_table(comparison, top));
  document.tables.push_back(ops_table(comparison, top));
  document.tables.push_back(waterfall_table(comparison));
  document.tables.push_back(owned_table(comparison, top));
  document.tables.push_back(metrics_table(comparison));
}

result::Table steps_table() {
  return result::Table(kDiffSpecs[4]);
}

void add_step_rows(std::span<Ranked<Partial>> ranks, Sampling sampling, std::string_view run, result::Table& table) {
  for (const auto& [context, partial] : ranks) {
    std::vector<const Sample*> samples;
    for (const Sample& sample : samples_of(partial, sampling).samples) samples.push_back(&sample);
    std::sort(samples.begin(), samples.end(), [](const Sample* a, const Sample* b) { return a->step < b->step; });
    for (const Sample* sample : samples) {
      std::vector<Cell> cells{run, context.rank, sample->step, sample->times.step_ns};
      for (const Nanos part : sample->times.component_ns) cells.emplace_back(part);
      table.add(cells);
    }
  }
}

void add_gates_table(std::span<const JudgedGate> gates, result::Document& document) {
  result::Table table(kDiffSpecs[6]);
  for (const JudgedGate& gate : gates) {
    table.add({gate.gate.text, text_or_null(gate.base), text_or_null(gate.test), text_or_null(gate.measured),
               gate.gate.limit, result::gate_outcome_name(gate.outcome)});
  }
  document.tables.push_back(std::move(table));
}

void add_check_table(std::span<const JudgedGate> gates, result::Document& document) {
  result::Table table(kCheckSpecs[0]);
  for (const JudgedGate& gate : gates) {
    table.add({gate.gate.text, text_or_null(gate.measured), gate.gate.limit, result::gate_outcome_name(gate.outcome),
               text_or_null(gate.gate.why)});
  }
  document.tables.push_back(std::move(table));
}

}  // namespace hta::analysis::diff
