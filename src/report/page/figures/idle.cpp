#include "hta/base/human.h"

#include <algorithm>
#include <map>

#include "../figures.h"
#include "../markup.h"
#include "parts.h"

namespace hta::report::page {
namespace {

using result::CellType;
using result::Table;

constexpr std::size_t kCauses = 6;  // that have a colour of their own
constexpr std::size_t kSources = 10;

std::string in_words(std::string_view name) {
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

// Causes, the one with most time first.
std::vector<std::string_view> causes_of(const Rows& rows) {
  std::map<std::string_view, std::int64_t> sums;
  for (std::size_t row = 0; row < rows.size(); ++row) sums[rows.text(row, 2)] += rows.number(row, 3);
  std::vector<std::string_view> causes;
  for (const auto& [cause, ns] : sums) causes.push_back(cause);
  std::stable_sort(causes.begin(), causes.end(),
                   [&](std::string_view a, std::string_view b) { return sums[a] > sums[b]; });
  return causes;
}

Figure idle_causes(const Answers& answers, const Table& table) {
  Figure figure;
  figure.id = "idle-causes";
  figure.title = "What idle devices wait for";
  figure.caption = first_sentence(answers, "idle");
  figure.how =
      "A device is idle while none of its streams has work. A gap is put down to the event that ends it: launched "
      "after the gap began, the host was late, and the gap is split by what the launching thread did meanwhile; "
      "launched in time and shorter than 30 µs it is the way from one kernel to the next (kernel wait); else it "
      "waited for another stream or device (other). Shares are of the span of the device.";
  const Rows rows(table, {"rank", "device", "cause", "idle_us", "pct_of_span"});
  const DeviceLabels labels(table);
  const std::vector<std::string_view> causes = causes_of(rows);
  Bars bars;
  bars.unit = CellType::kPercent;
  bars.label_title = labels.title();
  for (std::size_t i = 0; i < causes.size() && i < kCauses; ++i)
    bars.series.push_back({in_words(causes[i]), series_tone(i), {}});
  if (causes.size() > kCauses) bars.series.push_back({"all other causes", Tone::kIdle, {}});
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> row_of;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto [at, fresh] = row_of.try_emplace({rows.number(row, 0), rows.number(row, 1)}, bars.labels.size());
    if (fresh) {
      bars.labels.push_back(labels.of(rows.number(row, 0), rows.number(row, 1)));
      for (Series& series : bars.series) series.values.emplace_back(0);
    }
    const auto cause = std::find(causes.begin(), causes.end(), rows.text(row, 2)) - causes.begin();
    Value& value =
        bars.series[std::min<std::size_t>(static_cast<std::size_t>(cause), bars.series.size() - 1)].values[at->second];
    value = *value + rows.number(row, 4);
  }
  figure.caption += keep_unusual(bars, "device");
  figure.plot = std::move(bars);
  figure.excerpt = {&table, "idle --table gap_causes"};
  return figure;
}

Figure idle_sources(const Answers& answers, const Table& table) {
  Figure figure;
  figure.id = "idle-sources";
  figure.title = "What the host does while devices wait for it";
  figure.how =
      "Every instant of a wait for the host belongs to the innermost event that is open on the launching thread (or, "
      "where nothing is open there, on the thread that launched the work before). The same activity at the same place "
      "of the program is one row, over all ranks.";
  const Rows rows(table, {"cause", "activity", "place", "idle_us", "pct"});
  Bars bars;
  bars.layout = Bars::Layout::kNamedRows;
  bars.series = {{"", Tone::kAccent, {}}};
  for (std::size_t row = 0; row < std::min(rows.size(), kSources); ++row) {
    std::string label = in_words(rows.text(row, 0));
    if (!rows.text(row, 1).empty()) label += ": " + short_name(rows.text(row, 1), 56);
    if (!rows.text(row, 2).empty()) label += " in " + short_name(rows.text(row, 2), 48);
    bars.labels.push_back(std::move(label));
    bars.series[0].values.emplace_back(rows.number(row, 3));
  }
  if (const result::Document* idle = answers.document("idle"); idle->heading.size() > 1)
    figure.caption = idle->heading[1];
  figure.plot = std::move(bars);
  figure.excerpt = {&table, "idle --table gap_sources"};
  return figure;
}

}  // namespace

std::vector<Figure> idle_figures(const Answers& answers) {
  const Table* causes = answers.table("idle", "gap_causes");
  const Table* sources = answers.table("idle", "gap_sources");
  if (causes == nullptr || sources == nullptr || !has_gpu_events(answers)) return {};
  if (causes->rows() == 0)
    return {missing("idle-causes", "What idle devices wait for",
                    "No device is ever idle between its first and its last GPU event.")};
  std::vector<Figure> out{idle_causes(answers, *causes)};
  if (sources->rows() > 0) out.push_back(idle_sources(answers, *sources));
  else
    out.push_back(missing(
        "idle-sources", "What the host does while devices wait for it",
        "No gap is known to wait for the host. If GPU events carry no link to their launch calls, record CPU and "
        "CUDA activities together."));
  return out;
}

}  // namespace hta::report::page
