#include "hta/base/human.h"
#include "hta/base/text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "../display_unit.h"
#include "../figures.h"
#include "parts.h"

namespace hta::report::page {
namespace {

using result::CellType;
using result::Table;

constexpr std::size_t kMostLines = 6;

// One series of a table (rank, device, name or number, time, value).
struct TimeSeries {
  std::int64_t rank = 0;
  std::int64_t device = 0;
  std::string name;
  std::vector<std::pair<std::int64_t, std::int64_t>> points;
  std::int64_t largest = 0;
  std::size_t first_row = 0;
};

std::vector<TimeSeries> series_of(const Table& table, std::string_view name, std::string_view value) {
  const Rows rows(table, {"rank", "device", name, "ts_us", value});
  const bool named = table.columns()[*table.find_column(name)].type == CellType::kText;
  std::vector<TimeSeries> out;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::string label = named ? std::string(rows.text(row, 2)) : "stream " + std::to_string(rows.number(row, 2));
    if (out.empty() || std::tie(out.back().rank, out.back().device, out.back().name) !=
                           std::tuple(rows.number(row, 0), rows.number(row, 1), std::string_view(label)))
      out.push_back({rows.number(row, 0), rows.number(row, 1), label, {}, 0, row});
    out.back().points.emplace_back(rows.number(row, 3), rows.number(row, 4));
    out.back().largest = std::max(out.back().largest, rows.number(row, 4));
  }
  return out;
}

// The device with the largest value, as lines, the largest first.
struct OneDevice {
  Lines lines;
  Excerpt excerpt;  // its rows
  std::string where;
  std::int64_t largest = 0;
  std::string largest_name;
};
OneDevice most_telling(const Table& table, std::string_view name, std::string_view value) {
  std::vector<TimeSeries> all = series_of(table, name, value);
  OneDevice out;
  const auto top = std::max_element(all.begin(), all.end(),
                                    [](const TimeSeries& a, const TimeSeries& b) { return a.largest < b.largest; });
  const std::int64_t rank = top->rank;
  const std::int64_t device = top->device;
  out.where = "rank " + rank_label(rank) + (device >= 0 ? ", device " + std::to_string(device) : "");
  out.largest = top->largest;
  out.largest_name = top->name;
  // The rows of a device follow each other.
  const auto here = [&](const TimeSeries& series) { return series.rank == rank && series.device == device; };
  const auto first = std::find_if(all.begin(), all.end(), here);
  const auto behind = std::find_if_not(first, all.end(), here);
  out.excerpt = {&table, "timeline --table " + table.name() + of_rank(rank), first->first_row,
                 behind == all.end() ? table.rows() : behind->first_row};
  std::erase_if(all, [&](const TimeSeries& series) {
    return series.rank != rank || series.device != device || series.largest == 0;
  });
  std::stable_sort(all.begin(), all.end(),
                   [](const TimeSeries& a, const TimeSeries& b) { return a.largest > b.largest; });
  if (all.size() > kMostLines) all.resize(kMostLines);
  for (TimeSeries& series : all)
    out.lines.lines.push_back({series.name, series_tone(out.lines.lines.size()), std::move(series.points)});
  return out;
}

Figure queue(const Table& table) {
  Figure figure;
  figure.id = "queue-length";
  figure.title = "Launches waiting in the queue";
  figure.how =
      "A queue grows when a launch call starts and shrinks when its GPU event starts. Each point is the largest "
      "length in one of 300 slices. A queue that is often empty means that the host is late; a full one (1,024) that "
      "the host is held up by the device.";
  OneDevice device = most_telling(table, "stream", "queue_length");
  figure.caption = "Up to " + with_commas(device.largest) + " launches wait at a time, on " + device.where + ", " +
                   device.largest_name + ".";
  device.lines.y_unit = CellType::kInteger;
  figure.plot = std::move(device.lines);
  figure.excerpt = device.excerpt;
  return figure;
}

Figure copies(const Table& table) {
  Figure figure;
  figure.id = "copy-bandwidth";
  figure.title = "Copy bandwidth over time";
  figure.how =
      "Bytes of each copy over its duration; copies that run at once add up. Each point is the mean over one of 300 "
      "slices, times without a copy included.";
  OneDevice device = most_telling(table, "name", "gbps");
  figure.caption =
      "Most traffic in a slice: " + shown_with_unit(device.largest, display_unit(CellType::kRate, device.largest)) +
      " (" + device.largest_name + ") on " + device.where + ".";
  device.lines.y_unit = CellType::kRate;
  figure.plot = std::move(device.lines);
  figure.excerpt = device.excerpt;
  return figure;
}

Figure memory(const Answers& answers, const Table& table) {
  Figure figure;
  figure.id = "memory-curve";
  figure.title = "Memory over time";
  figure.caption = first_sentence(answers, "memory");
  figure.how =
      "Totals that the allocator reports with each allocation and release: live allocations, and what the caching "
      "allocator holds. Each point is the largest value in one of 300 slices. Totals that were not recorded are "
      "summed up from 0.";
  OneDevice device = most_telling(table, "total", "bytes");
  device.lines.y_unit = CellType::kBytes;
  figure.plot = std::move(device.lines);
  figure.excerpt = device.excerpt;
  return figure;
}

Figure activity_heat(const Table& table) {
  Figure figure;
  figure.id = "activity";
  figure.title = "Computation over time";
  figure.how =
      "The time of each rank from its first to its last GPU event, cut into 60 slices; the stronger the colour, the "
      "more of the slice some device of the rank computes. Clocks are not brought together here.";
  const Rows rows(table, {"rank", "start_us", "dur_us", "compute_pct"});
  std::map<std::int64_t, std::vector<std::size_t>> ranks;
  for (std::size_t row = 0; row < rows.size(); ++row) ranks[rows.number(row, 0)].push_back(row);
  Heat heat;
  heat.full = 10'000;
  heat.x_title = "from";
  heat.y_title = "rank";
  const std::vector<std::size_t>& first = ranks.begin()->second;
  DisplayUnit unit = display_unit(CellType::kTime, rows.number(first.back(), 1) - rows.number(first.front(), 1));
  unit.decimals = 1;
  for (const std::size_t row : first)
    heat.x_labels.push_back(shown_with_unit(rows.number(row, 1) - rows.number(first.front(), 1), unit));
  std::int64_t low = 10'000;
  std::int64_t high = 0;
  for (const auto& [rank, of_rank] : ranks) {
    if (heat.y_labels.size() == kMostRows) break;
    heat.y_labels.push_back(rank_label(rank));
    for (const std::size_t row : of_rank) {
      heat.values.emplace_back(rows.number(row, 3));
      low = std::min(low, rows.number(row, 3));
      high = std::max(high, rows.number(row, 3));
    }
  }
  figure.caption =
      "Between " + human_percent(low, 10'000) + " and " + human_percent(high, 10'000) + " of a slice is computation.";
  if (ranks.size() > kMostRows)
    figure.caption += " The first " + std::to_string(kMostRows) + " of " +
                      counted(static_cast<std::int64_t>(ranks.size()), "rank") + " are shown.";
  figure.plot = std::move(heat);
  figure.excerpt = {&table, "timeline --table activity"};
  return figure;
}

}  // namespace

std::optional<Figure> activity_figure(const Answers& answers) {
  const Table* table = answers.table("timeline", "activity");
  if (table == nullptr || table->rows() == 0) return std::nullopt;
  return activity_heat(*table);
}

std::vector<Figure> over_time_figures(const Answers& answers) {
  std::vector<Figure> out;
  const auto add = [&](std::string_view name, const auto& make, std::string id, std::string title, std::string why) {
    const Table* table = answers.table("timeline", name);
    if (table == nullptr) return;
    out.push_back(table->rows() > 0 ? make(*table) : missing(std::move(id), std::move(title), std::move(why)));
  };
  if (has_gpu_events(answers)) {
    add("queue_over_time", &queue, "queue-length", "Launches waiting in the queue",
        "No GPU event is linked to a launch call: record CPU and CUDA activities together.");
    add("copies_over_time", &copies, "copy-bandwidth", "Copy bandwidth over time",
        "No copy was recorded whose size or bandwidth is known.");
  }
  add(
      "memory_over_time", [&](const Table& table) { return memory(answers, table); }, "memory-curve",
      "Memory over time", "No memory event was recorded: capture with profile_memory=True to see this curve.");
  return out;
}

}  // namespace hta::report::page
