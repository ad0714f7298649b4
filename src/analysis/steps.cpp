#include "hta/analysis/steps.h"

#include "hta/analysis/device_time.h"

#include <algorithm>
#include <array>

#include "steps_heading.h"

namespace hta::analysis {
namespace steps {
namespace {

using result::ColumnSpec;
using enum result::CellType;

constexpr std::array kStepColumns{
    ColumnSpec{"rank", kRank},   ColumnSpec{"step", kInteger},     ColumnSpec{"start_us", kTime},
    ColumnSpec{"dur_us", kTime}, ColumnSpec{"gpu_busy_us", kTime}, ColumnSpec{"outlier", kInteger},
};
constexpr std::array kStatisticsColumns{
    ColumnSpec{"rank", kRank},   ColumnSpec{"steps", kInteger}, ColumnSpec{"mean_us", kTime},
    ColumnSpec{"p50_us", kTime}, ColumnSpec{"p95_us", kTime},   ColumnSpec{"min_us", kTime},
    ColumnSpec{"max_us", kTime}, ColumnSpec{"std_us", kTime},   ColumnSpec{"outliers", kInteger},
};
constexpr std::array kOutlierColumns{
    ColumnSpec{"rank", kRank},
    ColumnSpec{"step", kInteger},
    ColumnSpec{"dur_us", kTime},
    ColumnSpec{"over_median_us", kTime},
    ColumnSpec{"over_median_pct", kPercent},
    ColumnSpec{"part", kText},
    ColumnSpec{"part_change_us", kTime},
};
constexpr std::array kTables{
    result::TableSpec{"steps", "Steps of each rank", kStepColumns},
    result::TableSpec{"step_stats", "Step durations of each rank", kStatisticsColumns},
    result::TableSpec{"outlier_steps", "Steps that stand out, and the part of their time that changed most",
                      kOutlierColumns},
};

constexpr std::size_t kRowsToShow = 20;  // of the steps, without being asked

Needs needs(const Options&) {
  return {};
}

void add_steps(std::span<Ranked<Partial>> ranks, std::span<const std::vector<Outlier>> outliers,
               result::Document& document) {
  result::Table table(kTables[0]);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto& [context, partial] = ranks[r];
    std::vector<int> out(partial.steps.size(), 0);
    for (const Outlier& outlier : outliers[r]) out[outlier.step] = 1;
    for (std::size_t i = 0; i < partial.steps.size(); ++i) {
      const StepTime& step = partial.steps[i];
      table.add({context.rank, step.number, step.start_ns + context.shift_ns, step.dur_ns, step.busy_ns(), out[i]});
    }
  }
  document.tables.push_back(std::move(table));
}

void add_statistics(std::span<Ranked<Partial>> ranks, std::span<const std::vector<Outlier>> outliers,
                    result::Document& document) {
  result::Table table(kTables[1]);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto& [context, partial] = ranks[r];
    if (partial.steps.empty()) continue;
    Summary summary;
    std::vector<std::int64_t> sorted;
    for (const StepTime& step : partial.steps) {
      summary.add(step.dur_ns);
      sorted.push_back(step.dur_ns);
    }
    std::sort(sorted.begin(), sorted.end());
    table.add({context.rank, summary.count, summary.mean(), quantile(sorted, 1, 2), quantile(sorted, 95, 100),
               summary.min, summary.max, summary.deviation(), static_cast<std::int64_t>(outliers[r].size())});
  }
  document.tables.push_back(std::move(table));
}

void add_outliers(std::span<Ranked<Partial>> ranks, std::span<const std::vector<Outlier>> outliers,
                  result::Document& document) {
  result::Table table(kTables[2]);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto& [context, partial] = ranks[r];
    for (const Outlier& outlier : outliers[r]) {
      const StepTime& step = partial.steps[outlier.step];
      const Int128 median_2 = Int128{2} * step.dur_ns - outlier.over_2ns;
      table.add({context.rank, step.number, step.dur_ns, divide_half_even(outlier.over_2ns, 2),
                 percent(outlier.over_2ns, median_2),
                 outlier.part ? result::Cell(part_name(*outlier.part)) : result::Cell(std::nullopt),
                 outlier.part ? result::Cell(divide_half_even(outlier.part_2ns, 2)) : result::Cell(std::nullopt)});
    }
  }
  document.tables.push_back(std::move(table));
}

}  // namespace

std::string_view part_name(Part part) {
  constexpr std::array<std::string_view, kParts> kNames{"compute", "exposed communication", "exposed memory", "idle"};
  return kNames[static_cast<std::size_t>(part)];
}

Partial map(const Trace& trace, const Options&) {
  Partial out;
  out.gpu_events = trace.gpu.size() > 0;
  const TypeSets sets = rank_type_sets(trace);
  for (const Step& step : trace.steps) {
    const TimeParts parts = time_parts(mask_times(sets, {step.start_ns, step.end_ns}));
    out.steps.push_back(
        {step.number,
         step.start_ns,
         step.dur_ns(),
         {parts.compute_ns, parts.exposed_comm_ns, parts.exposed_memory_ns, step.dur_ns() - parts.busy_ns()}});
  }
  return out;
}

Status combine(std::span<Ranked<Partial>> ranks, const Options&, result::Document& document) {
  std::vector<std::vector<Outlier>> outliers;
  for (const auto& [context, partial] : ranks) outliers.push_back(find_outliers(partial, context.incomplete_steps));
  add_heading(ranks, outliers, document);
  add_steps(ranks, outliers, document);
  add_statistics(ranks, outliers, document);
  add_outliers(ranks, outliers, document);
  document.shown = {"step_stats"};
  if (document.tables.back().rows() > 0) document.shown.emplace_back("outlier_steps");
  if (document.tables.front().rows() <= kRowsToShow) document.shown.emplace_back("steps");
  return {};
}

}  // namespace steps

constexpr AnalysisSpec kSteps = make_spec<steps::Partial, &steps::map, &steps::combine>(
    "steps", "how long is each step, which are outliers?",
    "Lists the ProfilerStep windows of every rank with the time in which any of its GPUs was busy. A step is an "
    "outlier if "
    "its duration is over 3.5 robust deviations (1.4826 times the median absolute deviation) and over 5 % of the "
    "median "
    "away from the median of its rank. For outliers the part of the time that changed most is named: compute, exposed "
    "communication, exposed memory or idle.",
    steps::kTables, {}, &steps::needs);

}  // namespace hta::analysis
