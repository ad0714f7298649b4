#include "hta/base/exact.h"
#include "hta/base/human.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "../figures.h"
#include "../markup.h"
#include "parts.h"

namespace hta::report::page {
namespace {

using result::CellType;
using result::Table;

constexpr std::size_t kNameWidth = 90;

Tone tone_of_type(std::string_view kernel_type) {
  if (kernel_type == "COMPUTATION") return Tone::kCompute;
  if (kernel_type == "COMMUNICATION") return Tone::kCommunication;
  if (kernel_type == "MEMORY") return Tone::kMemory;
  return kernel_type.empty() ? Tone::kIdle : Tone::kOther;
}

// Kernel types as they stand in tables and in words; rows of several types have none.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kTypes{{{"COMPUTATION", "computation"},
                                                                               {"COMMUNICATION", "communication"},
                                                                               {"MEMORY", "copies and memsets"},
                                                                               {"OTHER", "other"},
                                                                               {"", "all others"}}};

std::vector<std::size_t> first_rows(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// A series for each kernel type that occurs, so that bars have its colour; a row has a value in one of them.
void add_series_by_type(const Rows& rows, std::size_t type_column, std::size_t value_column,
                        const std::vector<std::size_t>& order, Bars& bars) {
  for (const auto& [type, words] : kTypes) {
    Series series{std::string(words), tone_of_type(type), {}};
    for (const std::size_t row : order) {
      const bool here = rows.text(row, type_column) == type;
      series.values.push_back(here ? Value(rows.number(row, value_column)) : std::nullopt);
    }
    const bool any =
        std::any_of(series.values.begin(), series.values.end(), [](const Value& v) { return v.has_value(); });
    if (any) bars.series.push_back(std::move(series));
  }
}

Figure time_per_rank(const Answers& answers) {
  Figure figure;
  figure.id = "time-per-rank";
  figure.title = "GPU time of each rank";
  figure.caption = first_sentence(answers, "breakdown");
  figure.how =
      "The span of a device runs from the start of its first GPU event to the end of its last one. Every instant of "
      "it counts once: as computation if a compute kernel runs, whatever else does; else as exposed communication; "
      "else as exposed memory if copies, memsets or other work run; else as idle. The parts add up to the span "
      "exactly.";
  const Table& table = *answers.table("breakdown", "temporal");
  const Rows rows(table, {"rank", "device", "compute_us", "exposed_comm_us", "exposed_memory_us", "idle_us"});
  const DeviceLabels labels(table);
  Bars bars;
  bars.label_title = labels.title();
  bars.series = {{"compute", Tone::kCompute, {}},
                 {"exposed communication", Tone::kCommunication, {}},
                 {"exposed memory", Tone::kMemory, {}},
                 {"idle", Tone::kIdle, {}}};
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.null(row, 1)) continue;
    bars.labels.push_back(labels.of(rows.number(row, 0), rows.number(row, 1)));
    for (std::size_t part = 0; part < bars.series.size(); ++part)
      bars.series[part].values.emplace_back(rows.number(row, part + 2));
  }
  figure.caption += keep_unusual(bars, "device");
  figure.plot = std::move(bars);
  figure.excerpt = {&table, "breakdown --table temporal"};
  return figure;
}

Figure kernel_types(const Answers& answers) {
  Figure figure;
  figure.id = "kernel-types";
  figure.title = "Kinds of work that run at the same time";
  figure.how =
      "Busy time of all devices, split by the exact set of kernel types that run at an instant. Communication that "
      "overlaps computation is hidden; communication that stands alone is exposed.";
  const Table& table = *answers.table("breakdown", "kernel_types");
  const Rows rows(table, {"kernel_type", "sum_us", "pct"});
  Bars bars;
  bars.layout = Bars::Layout::kNamedRows;
  bars.series = {{"", Tone::kAccent, {}}};
  for (std::size_t row = 0; row < rows.size(); ++row) {
    bars.labels.emplace_back(rows.text(row, 0));
    bars.series[0].values.emplace_back(rows.number(row, 1));
  }
  if (rows.size() > 0) {
    figure.caption = "Most busy time is " + std::string(rows.text(0, 0)) + ": " + human_time(rows.number(0, 1)) + ", " +
                     human_percent(rows.number(0, 2), 10'000) + " of it.";
  }
  figure.plot = std::move(bars);
  figure.excerpt = {&table, "breakdown --table kernel_types"};
  return figure;
}

Figure top_kernels(const PageInput& input) {
  Figure figure;
  figure.id = "top-kernels";
  figure.title = "Top kernels";
  figure.how =
      "GPU events of all ranks with the same name and type: the sum of their durations, as a share of the summed "
      "durations of all GPU events. Events that run at the same time count fully each.";
  const Table& table = *input.summary->find_table("top_kernels");
  const Rows rows(table, {"name", "kernel_type", "pct", "calls", "mean_us"});
  Bars bars;
  bars.layout = Bars::Layout::kNamedRows;
  bars.unit = CellType::kPercent;
  add_series_by_type(rows, 1, 2, first_rows(rows.size()), bars);
  for (std::size_t row = 0; row < rows.size(); ++row) bars.labels.push_back(short_name(rows.text(row, 0), kNameWidth));
  if (rows.size() > 0) {
    figure.caption = "The first takes " + human_percent(rows.number(0, 2), 10'000) +
                     " of all kernel time: " + counted(rows.number(0, 3), "call") + " of " +
                     human_time(rows.number(0, 4)) + " on average.";
  }
  figure.plot = std::move(bars);
  figure.excerpt = {&table, "summary --table top_kernels --top 0"};
  return figure;
}

Figure kernels_across_ranks(const Answers& answers) {
  constexpr std::size_t kKernels = 8;
  Figure figure;
  figure.id = "kernels-across-ranks";
  figure.title = "The same kernel on different ranks";
  figure.how =
      "Mean duration of a kernel on each rank that runs it: the distance between the ranks with the longest and the "
      "shortest mean, as a share of the mean over the ranks. The kernels are those for which this distance, times the "
      "calls of a rank, costs most. Communication kernels last until the slowest rank arrives, so there the rank with "
      "the shortest mean is the one that the others wait for.";
  const Table& table = *answers.table("breakdown", "kernels_across_ranks");
  const Rows rows(table, {"kernel_type", "name", "ranks", "count", "min_rank", "min_rank_mean_us", "max_rank",
                          "max_rank_mean_us", "spread_pct"});
  if (rows.size() == 0)
    return missing(figure.id, figure.title,
                   "One rank only: there is nothing to compare. Give the directory with all ranks.");
  const auto distance = [&](std::size_t row) { return rows.number(row, 7) - rows.number(row, 5); };
  const auto cost = [&](std::size_t row) { return Int128{distance(row)} * rows.number(row, 3) / rows.number(row, 2); };
  std::vector<std::size_t> order = first_rows(rows.size());
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cost(a) > cost(b); });
  if (order.size() > kKernels) order.resize(kKernels);
  const auto between = [&](std::size_t row) {
    return human_time(rows.number(row, 5)) + " on rank " + std::to_string(rows.number(row, 4)) + ", " +
           human_time(rows.number(row, 7)) + " on rank " + std::to_string(rows.number(row, 6));
  };
  Bars bars;
  bars.layout = Bars::Layout::kNamedRows;
  bars.unit = CellType::kPercent;
  add_series_by_type(rows, 0, 8, order, bars);
  for (const std::size_t row : order) bars.labels.push_back(short_name(rows.text(row, 1), 52) + "  " + between(row));
  figure.caption = "The difference that costs most is in " + short_name(rows.text(order.front(), 1), kNameWidth) +
                   ": " + between(order.front()) + ".";
  figure.plot = std::move(bars);
  figure.excerpt = {&table, "breakdown --table kernels_across_ranks"};
  return figure;
}

}  // namespace

std::vector<Figure> time_figures(const PageInput& input, const Answers& answers) {
  if (answers.document("breakdown") == nullptr) return {};
  if (!has_gpu_events(answers)) {
    return {missing(
        "time-per-rank", "GPU time of each rank",
        "No GPU event was recorded: capture with ProfilerActivity.CUDA to see where GPU time goes, why GPUs are "
        "idle, and how communication overlaps.")};
  }
  std::vector<Figure> out{time_per_rank(answers)};
  if (std::optional<Figure> activity = activity_figure(answers)) out.push_back(std::move(*activity));
  for (Figure& figure : std::vector{kernel_types(answers), top_kernels(input), kernels_across_ranks(answers)})
    out.push_back(std::move(figure));
  return out;
}

}  // namespace hta::report::page
