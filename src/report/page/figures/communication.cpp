#include "hta/base/human.h"

#include <algorithm>
#include <map>
#include <set>

#include "../figures.h"
#include "../markup.h"
#include "parts.h"

namespace hta::report::page {
namespace {

using result::CellType;
using result::Table;

constexpr std::size_t kCollectives = 8;
constexpr std::string_view kOneRank =
    "Waiting for other ranks shows only where collectives of several ranks can be matched: give the directory with "
    "all ranks.";

Figure overlap(const Answers& answers, const Table& table) {
  Figure figure;
  figure.id = "overlap";
  figure.title = "Communication that computation hides";
  figure.caption = first_sentence(answers, "overlap");
  figure.how =
      "Time in which any communication kernel runs on the device, split by whether any compute kernel runs at the "
      "same instant.";
  const Rows rows(table, {"rank", "device", "overlap_us", "exposed_us"});
  const DeviceLabels labels(table);
  Bars bars;
  bars.label_title = labels.title();
  bars.series = {{"hidden by computation", Tone::kCompute, {}}, {"exposed", Tone::kCommunication, {}}};
  for (std::size_t row = 0; row < rows.size(); ++row) {
    bars.labels.push_back(labels.of(rows.number(row, 0), rows.number(row, 1)));
    bars.series[0].values.emplace_back(rows.number(row, 2));
    bars.series[1].values.emplace_back(rows.number(row, 3));
  }
  figure.caption += keep_unusual(bars, "device");
  figure.plot = std::move(bars);
  figure.excerpt = {&table, "overlap"};
  return figure;
}

Figure collectives(const Answers& answers, const Table& table) {
  Figure figure;
  figure.id = "collectives";
  figure.title = "Collectives: waiting and transfer";
  figure.caption = first_sentence(answers, "comm");
  figure.how =
      "A collective is matched across ranks by the id of its operation, else by process group and sequence number, "
      "else by order. Its transfer is the shortest duration over the ranks; what a rank spends in it beyond that is "
      "waiting for the last one.";
  const Rows rows(table, {"group", "collective", "size_class", "wait_us", "transfer_us"});
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.number(row, 3) + rows.number(row, 4) > 0) order.push_back(row);
  }
  if (order.empty()) return missing(figure.id, figure.title, std::string(kOneRank));
  const auto time = [&](std::size_t row) { return rows.number(row, 3) + rows.number(row, 4); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return time(a) > time(b); });
  if (order.size() > kCollectives) order.resize(kCollectives);
  Bars bars;
  bars.layout = Bars::Layout::kNamedRows;
  bars.series = {{"waiting for the last rank", Tone::kWarning, {}}, {"transfer", Tone::kCommunication, {}}};
  for (const std::size_t row : order) {
    bars.labels.push_back(std::string(rows.text(row, 1)) + " in " + short_name(rows.text(row, 0), 40) + ", " +
                          std::string(rows.text(row, 2)));
    bars.series[0].values.emplace_back(rows.number(row, 3));
    bars.series[1].values.emplace_back(rows.number(row, 4));
  }
  figure.plot = std::move(bars);
  figure.excerpt = {&table, "comm"};
  return figure;
}

// Time in which any communication runs, by rank, over its devices.
std::map<std::int64_t, std::int64_t> communication_of_ranks(const Answers& answers) {
  std::map<std::int64_t, std::int64_t> out;
  if (const Table* table = answers.table("overlap", "overlap")) {
    const Rows rows(*table, {"rank", "comm_us"});
    for (std::size_t row = 0; row < rows.size(); ++row) out[rows.number(row, 0)] += rows.number(row, 1);
  }
  return out;
}

std::vector<std::size_t> by_rank(const Rows& rows) {
  std::vector<std::size_t> order(rows.size());
  for (std::size_t row = 0; row < order.size(); ++row) order[row] = row;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return rows.number(a, 0) < rows.number(b, 0); });
  return order;
}

Figure waits_of_ranks(const Answers& answers, const Table& table) {
  Figure figure;
  figure.id = "waits-of-ranks";
  figure.title = "Time in collectives of each rank";
  figure.how =
      "Waiting is summed over the matched collectives of the rank; the rest of the time with communication running is "
      "transfer, and collectives that could not be matched. The rank that waits least is the one that the others wait "
      "for.";
  const Rows rows(table, {"rank", "wait_suffered_us"});
  const auto communication = communication_of_ranks(answers);
  Bars bars;
  bars.label_title = "rank";
  bars.series = {{"waiting for other ranks", Tone::kWarning, {}}, {"the rest", Tone::kCommunication, {}}};
  std::int64_t waiting = 0;
  std::int64_t all = 0;
  for (const std::size_t row : by_rank(rows)) {
    const auto of_rank = communication.find(rows.number(row, 0));
    const std::int64_t time = std::max(rows.number(row, 1), of_rank == communication.end() ? 0 : of_rank->second);
    bars.labels.push_back(rank_label(rows.number(row, 0)));
    bars.series[0].values.emplace_back(rows.number(row, 1));
    bars.series[1].values.emplace_back(time - rows.number(row, 1));
    waiting += rows.number(row, 1);
    all += time;
  }
  if (waiting == 0) return missing(figure.id, figure.title, std::string(kOneRank));
  figure.caption =
      "The ranks spend " + human_time(waiting) + " of " + human_time(all) + " in collectives waiting for each other.";
  figure.caption += keep_unusual(bars, "rank");
  figure.plot = std::move(bars);
  figure.excerpt = {&table, "stragglers"};
  return figure;
}

Figure stragglers(const Answers& answers, const Table& table) {
  Figure figure;
  figure.id = "stragglers";
  figure.title = "Ranks that the others wait for";
  figure.caption = first_sentence(answers, "stragglers");
  figure.how =
      "Clocks of the ranks are brought together by the ends of collectives. The waits of the others in a collective "
      "count for the rank that arrived last in it.";
  const Rows rows(table, {"rank", "wait_caused_us", "verdict"});
  Bars bars;
  bars.label_title = "rank";
  bars.series = {{"straggler or transient", Tone::kWarning, {}}, {"no verdict", Tone::kAccent, {}}};
  for (const std::size_t row : by_rank(rows)) {
    const bool named = rows.text(row, 2) != "none";
    bars.labels.push_back(rank_label(rows.number(row, 0)));
    bars.series[0].values.push_back(named ? Value(rows.number(row, 1)) : std::nullopt);
    bars.series[1].values.push_back(named ? std::nullopt : Value(rows.number(row, 1)));
  }
  figure.caption += keep_unusual(bars, "rank");
  figure.plot = std::move(bars);
  if (!has_marks(*figure.plot)) return missing(figure.id, figure.title, figure.caption);
  figure.excerpt = {&table, "stragglers"};
  return figure;
}

// Lateness of each rank in each step.
Figure lateness(const Table& table) {
  Figure figure;
  figure.id = "lateness";
  figure.title = "Who was late, step by step";
  figure.how = "Waits of the other ranks in the collectives of a step, at the rank that arrived last in them.";
  const Rows rows(table, {"rank", "step", "wait_caused_us"});
  std::map<std::int64_t, std::int64_t> caused;
  std::set<std::int64_t> steps;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> cells;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    caused[rows.number(row, 0)] += rows.number(row, 2);
    steps.insert(rows.number(row, 1));
    cells[{rows.number(row, 0), rows.number(row, 1)}] += rows.number(row, 2);
  }
  std::vector<std::int64_t> ranks;
  for (const auto& [rank, ns] : caused) ranks.push_back(rank);
  if (ranks.empty())
    return missing(figure.id, figure.title, "No steps were recorded: call profiler.step() after each.");
  std::stable_sort(ranks.begin(), ranks.end(), [&](std::int64_t a, std::int64_t b) { return caused[a] > caused[b]; });
  const std::int64_t worst = ranks.front();
  const std::size_t all = ranks.size();
  if (ranks.size() > kMostRows) ranks.resize(kMostRows);
  std::sort(ranks.begin(), ranks.end());
  Heat heat;
  heat.unit = CellType::kTime;
  heat.x_title = "step";
  heat.y_title = "rank";
  for (const std::int64_t step : steps) heat.x_labels.push_back(std::to_string(step));
  for (const std::int64_t rank : ranks) {
    heat.y_labels.push_back(rank_label(rank));
    for (const std::int64_t step : steps) {
      const auto cell = cells.find({rank, step});
      heat.values.push_back(cell == cells.end() ? std::nullopt : Value(cell->second));
    }
  }
  figure.caption = "Rank " + rank_label(worst) + " caused most waiting: " + human_time(caused[worst]) + " over " +
                   counted(static_cast<std::int64_t>(steps.size()), "step") + ".";
  if (all > kMostRows) figure.caption += " The " + std::to_string(kMostRows) + " ranks that caused most are shown.";
  figure.plot = std::move(heat);
  figure.excerpt = {&table, "stragglers --table lateness"};
  return figure;
}

}  // namespace

std::vector<Figure> communication_figures(const Answers& answers) {
  const Table* overlaps = answers.table("overlap", "overlap");
  if (overlaps == nullptr || !has_gpu_events(answers)) return {};
  if (answers.sum("overlap", "overlap", "comm_us").value_or(0) == 0)
    return {missing("overlap", "Communication",
                    "No communication kernel was recorded: the run has one device, or communicates in a way that is "
                    "not known here (--classify names its kernels).")};
  std::vector<Figure> out{overlap(answers, *overlaps)};
  if (const Table* table = answers.table("comm", "comm")) out.push_back(collectives(answers, *table));
  if (const Table* table = answers.table("stragglers", "stragglers")) {
    if (table->rows() > 1) {
      out.push_back(waits_of_ranks(answers, *table));
      out.push_back(stragglers(answers, *table));
    }
  }
  if (const Table* table = answers.table("stragglers", "lateness"); table != nullptr && table->rows() > 0)
    out.push_back(lateness(*table));
  return out;
}

}  // namespace hta::report::page
