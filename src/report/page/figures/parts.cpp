#include "parts.h"

#include "hta/base/exact.h"
#include "hta/base/human.h"
#include "hta/base/text.h"

#include <algorithm>
#include <numeric>

namespace hta::report::page {

std::string counted(std::int64_t count, std::string_view what) {
  return human_count(count, what, std::string(what) + "s");
}

std::string first_sentence(const Answers& answers, std::string_view command) {
  const result::Document* document = answers.document(command);
  return document == nullptr || document->heading.empty() ? std::string() : document->heading.front();
}

bool has_gpu_events(const Answers& answers) {
  return answers.first().quality.gpu_events > 0;
}

std::string rank_label(std::int64_t rank_value) {
  const RankKey key = RankKey::from_value(rank_value);
  std::string label = std::to_string(key.rank());
  if (key.window() > 0) label += " w" + std::to_string(key.window());
  return label;
}

std::string of_rank(std::int64_t rank_value) {
  return " --rank " + std::to_string(RankKey::from_value(rank_value).rank());
}

DeviceLabels::DeviceLabels(const result::Table& table) {
  const Rows rows(table, {"rank", "device"});
  std::map<std::int64_t, std::int64_t> device_of_rank;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto [at, fresh] = device_of_rank.try_emplace(rows.number(row, 0), rows.number(row, 1));
    several_ |= !fresh && at->second != rows.number(row, 1);
  }
}

std::string DeviceLabels::of(std::int64_t rank_value, std::int64_t device) const {
  return rank_label(rank_value) + (several_ ? "·" + std::to_string(device) : "");
}

std::string keep_unusual(Bars& bars, std::string_view what, std::size_t most) {
  const std::size_t rows = bars.labels.size();
  if (rows <= most) return {};
  std::vector<std::int64_t> distance(rows, 0);
  for (const Series& series : bars.series) {
    std::vector<std::int64_t> values;
    for (const Value& value : series.values) values.push_back(value.value_or(0));
    const std::int64_t median = divide_half_even(*median_times_2(values), 2);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::int64_t off = series.values[row].value_or(0) - median;
      distance[row] = std::max(distance[row], off < 0 ? -off : off);
    }
  }
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return distance[a] > distance[b]; });
  const std::size_t kept = most - 1;
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept));
  const std::string others = "mean of " + with_commas(static_cast<std::int64_t>(rows - kept));
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < kept; ++i) labels.push_back(bars.labels[order[i]]);
  labels.push_back(others);
  for (Series& series : bars.series) {
    std::vector<Value> values;
    for (std::size_t i = 0; i < kept; ++i) values.push_back(series.values[order[i]]);
    Int128 rest = 0;
    for (std::size_t i = kept; i < rows; ++i) rest += series.values[order[i]].value_or(0);
    values.push_back(divide_half_even(rest, static_cast<std::int64_t>(rows - kept)));
    series.values = std::move(values);
  }
  bars.labels = std::move(labels);
  return " The " + counted(static_cast<std::int64_t>(kept), what) +
         " farthest from the median are shown, and the mean of the other " +
         with_commas(static_cast<std::int64_t>(rows - kept)) + ".";
}

Figure missing(std::string id, std::string title, std::string why) {
  Figure figure;
  figure.id = std::move(id);
  figure.title = std::move(title);
  figure.caption = std::move(why);
  return figure;
}

}  // namespace hta::report::page
