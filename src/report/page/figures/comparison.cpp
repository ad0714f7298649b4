#include "hta/base/human.h"

#include <algorithm>
#include <array>

#include "../figures.h"
#include "../markup.h"
#include "parts.h"

namespace hta::report::page {
namespace {

using result::CellType;
using result::Table;

constexpr std::size_t kMostChanges = 14;
constexpr std::array<std::string_view, 7> kComponents{
    "step_time", "compute", "exposed_comm", "exposed_memory", "idle_host_wait", "idle_kernel_wait", "idle_other"};

std::string in_words(std::string_view name) {
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

// Changes of one column as bars to either side, slower in the colour of warnings.
Bars changes(const Rows& rows, std::size_t name, std::size_t change, const std::vector<std::size_t>& order) {
  Bars bars;
  bars.layout = Bars::Layout::kNamedRows;
  bars.series = {{"more time in TEST", Tone::kWarning, {}}, {"less time in TEST", Tone::kThird, {}}};
  for (const std::size_t row : order) {
    const std::int64_t value = rows.number(row, change);
    bars.labels.push_back(short_name(rows.text(row, name), 90));
    bars.series[0].values.push_back(value >= 0 ? Value(value) : std::nullopt);
    bars.series[1].values.push_back(value < 0 ? Value(value) : std::nullopt);
  }
  return bars;
}

std::vector<std::size_t> first_rows(const Rows& rows, std::size_t most) {
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < rows.size() && order.size() < most; ++row) order.push_back(row);
  return order;
}

Figure waterfall(const result::Document& diff, const Table& table) {
  Figure figure;
  figure.id = "waterfall";
  figure.title = "Why the step time changed";
  figure.caption = diff.heading.size() > 1 ? diff.heading[1] : "";
  figure.how =
      "Every instant of a step goes to the first that applies: computation, communication alone, copies alone, or "
      "idle, by what the idle device waits for. The parts add up to the step time in both runs, so their changes add "
      "up to its change.";
  const Rows rows(table, {"component", "change_us"});
  std::vector<std::size_t> order = first_rows(rows, kComponents.size());
  Bars bars = changes(rows, 0, 1, order);
  for (std::string& label : bars.labels) label = in_words(label);
  figure.plot = std::move(bars);
  figure.excerpt = {&table, "diff --table waterfall"};
  return figure;
}

Figure largest_changes(const Table& table, std::string id, std::string title, std::string command, std::string how) {
  Figure figure;
  figure.id = std::move(id);
  figure.title = std::move(title);
  figure.how = std::move(how);
  const Rows rows(table, {"name", "change_us", "base_us", "test_us", "class"});
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < rows.size() && order.size() < kMostChanges; ++row) {
    if (rows.number(row, 1) != 0) order.push_back(row);
  }
  if (order.empty()) return missing(figure.id, figure.title, "Nothing changed.");
  figure.caption = "Most: " + short_name(rows.text(order.front(), 0), 90) + ", " +
                   human_time(rows.number(order.front(), 2)) + " in BASE, " +
                   human_time(rows.number(order.front(), 3)) + " in TEST";
  if (!rows.text(order.front(), 4).empty()) figure.caption += " (" + std::string(rows.text(order.front(), 4)) + ")";
  figure.caption += ".";
  figure.plot = changes(rows, 0, 1, order);
  figure.excerpt = {&table, std::move(command)};
  return figure;
}

Figure steps_of_both(const Table& table) {
  Figure figure;
  figure.id = "steps-of-both";
  figure.title = "Duration of each step in both runs";
  figure.how =
      "One point a step and rank, in the order of the table: step numbers of the two runs are never matched up.";
  const Rows rows(table, {"run", "step_us", "step"});
  Lines lines;
  lines.shape = Lines::Shape::kPoints;
  lines.x_unit = CellType::kInteger;
  lines.y_unit = CellType::kTime;
  lines.x_title = "sample";
  lines.lines = {{"BASE", Tone::kFirst, {}}, {"TEST", Tone::kSecond, {}}};
  std::array<Int128, 2> sums{};
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::size_t run = rows.text(row, 0) == "base" ? 0 : 1;
    auto& points = lines.lines[run].points;
    points.emplace_back(static_cast<std::int64_t>(points.size() + 1), rows.number(row, 1));
    sums[run] += rows.number(row, 1);
  }
  figure.caption = counted(static_cast<std::int64_t>(lines.lines[0].points.size()), "step") + " in BASE, " +
                   counted(static_cast<std::int64_t>(lines.lines[1].points.size()), "step") + " in TEST.";
  figure.plot = std::move(lines);
  figure.excerpt = {&table, "diff --table steps"};
  return figure;
}

Figure metrics(const Table& table) {
  Figure figure;
  figure.id = "metrics";
  figure.title = "More than noise?";
  figure.how =
      "The medians over steps of each metric, compared by a two-sided Mann-Whitney test. A change counts if its "
      "p-value is below 0.05 and the median moved by 1 % or more; with fewer than five steps a side nothing is "
      "decided.";
  const Rows rows(table, {"metric", "base_median_us", "test_median_us", "verdict"});
  Bars bars;
  bars.layout = Bars::Layout::kGroupedRows;
  bars.series = {{"BASE", Tone::kFirst, {}}, {"TEST", Tone::kSecond, {}}};
  std::int64_t slower = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    bars.labels.push_back(in_words(rows.text(row, 0)) + ": " + std::string(rows.text(row, 3)));
    bars.series[0].values.emplace_back(rows.number(row, 1));
    bars.series[1].values.emplace_back(rows.number(row, 2));
    slower += rows.text(row, 3) == "slower" ? 1 : 0;
  }
  figure.caption = counted(slower, "metric") + " of " + std::to_string(rows.size()) + (slower == 1 ? " is" : " are") +
                   " slower in TEST.";
  figure.plot = std::move(bars);
  figure.excerpt = {&table, "diff --table metrics"};
  return figure;
}

}  // namespace

std::vector<Section> comparison_sections(const result::Document& diff) {
  Section steps{"steps", "Step time", {}};
  Section causes{"causes", "What changed", {}};
  if (const Table* table = diff.find_table("waterfall")) steps.figures.push_back(waterfall(diff, *table));
  if (const Table* table = diff.find_table("steps"); table != nullptr && table->rows() > 0)
    steps.figures.push_back(steps_of_both(*table));
  if (const Table* table = diff.find_table("metrics"); table != nullptr && table->rows() > 0)
    steps.figures.push_back(metrics(*table));
  if (const Table* table = diff.find_table("kernels")) {
    causes.figures.push_back(largest_changes(*table, "kernels", "Kernels with the largest change",
                                             "diff --table kernels",
                                             "Summed durations of a kernel per step. Full names are matched first, "
                                             "then names without template arguments and hashes."));
  }
  if (const Table* table = diff.find_table("ops")) {
    causes.figures.push_back(largest_changes(
        *table, "operators", "Operators and calls with the largest change", "diff --table ops",
        "Host time of an operator or runtime call per step, including what it calls; recursion counts once."));
  }
  return {std::move(steps), std::move(causes)};
}

}  // namespace hta::report::page
