#include "hta/base/human.h"

#include <map>

#include "../figures.h"
#include "parts.h"

namespace hta::report::page {
namespace {

using result::CellType;
using result::Table;

// Counts of all ranks by the lower bound of the bucket.
Bars histogram(const Table& table, std::string_view measure) {
  const Rows rows(table, {"measure", "from_us", "count"});
  std::map<std::int64_t, std::int64_t> counts;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.text(row, 0) == measure) counts[rows.number(row, 1)] += rows.number(row, 2);
  }
  Bars bars;
  bars.layout = Bars::Layout::kHistogram;
  bars.unit = CellType::kInteger;
  bars.label_title = "from";
  bars.series = {{"", Tone::kAccent, {}}};
  for (const auto& [from, count] : counts) {
    std::string label = human_time(from);
    if (const std::size_t point = label.find('.'); point != std::string::npos)
      label.erase(point, label.find(' ') - point);
    bars.labels.push_back(std::move(label));
    bars.series[0].values.emplace_back(count);
  }
  return bars;
}

}  // namespace

std::vector<Figure> launch_figures(const Answers& answers) {
  const Table* table = answers.table("launch", "histograms");
  if (table == nullptr || !has_gpu_events(answers)) return {};
  Figure figure;
  figure.id = "launch-delays";
  figure.title = "Launch delays";
  figure.caption = first_sentence(answers, "launch");
  figure.how =
      "From the return of a launch call to the start of its GPU event, over all ranks, counted in buckets that grow "
      "1, 2, 5, 10 µs and so on; a label is where its bucket begins. Short delays mean that the device waits for the "
      "host; long ones that the host runs ahead, which is fine.";
  figure.plot = histogram(*table, "launch_delay");
  if (!has_marks(*figure.plot))
    return {missing(figure.id, figure.title,
                    "No GPU event is linked to a launch call: record CPU and CUDA activities together.")};
  figure.excerpt = {table, "launch --table histograms"};
  return {figure};
}

}  // namespace hta::report::page
