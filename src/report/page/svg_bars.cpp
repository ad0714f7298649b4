#include <algorithm>

#include "svg_shapes.h"

namespace hta::report::page {
namespace {

using Layout = Bars::Layout;

constexpr int kRowHeight = 22;
constexpr int kNamedRowHeight = 36;
constexpr int kThinBar = 14;

bool lying(const Bars& bars) {
  return bars.layout != Layout::kColumns && bars.layout != Layout::kHistogram;
}

int row_height(const Bars& bars) {
  switch (bars.layout) {
    case Layout::kNamedRows: return kNamedRowHeight;
    case Layout::kGroupedRows: return kThinBar * static_cast<int>(bars.series.size()) + 26;
    default: return kRowHeight;
  }
}

// What the bars span: sums of what is stacked, on either side of zero.
struct Extent {
  std::int64_t low = 0;
  std::int64_t high = 0;
};
Extent extent_of(const Bars& bars) {
  Extent out;
  for (std::size_t row = 0; row < bars.labels.size(); ++row) {
    Extent sum;
    for (const Series& series : bars.series) {
      const std::int64_t value = series.values[row].value_or(0);
      if (bars.layout == Layout::kGroupedRows) sum = {std::min(sum.low, value), std::max(sum.high, value)};
      else (value < 0 ? sum.low : sum.high) += value;
    }
    out = {std::min(out.low, sum.low), std::max(out.high, sum.high)};
  }
  if (bars.full) out.high = *bars.full;
  return out;
}

std::string tooltip(const Bars& bars, std::size_t row, const Series& series, const DisplayUnit& unit) {
  std::string text = bars.labels[row];
  if (!bars.label_title.empty()) text = bars.label_title + " " + text;
  if (bars.series.size() > 1) text += ", " + series.name;
  return text + ": " + shown_with_unit(*series.values[row], unit);
}

// The value of a bar that stands alone, beside its end or, where there is no room, inside.
void draw_value(std::int64_t value, Tone tone, Across begin, Across end, int y, const DisplayUnit& unit,
                Canvas& canvas) {
  const std::string inside = "value in on-" + std::string(tone_name(tone));
  const std::string text = shown_with_unit(value, unit);
  const bool room_right = end < Across::of(82, 100);
  if (value >= 0 && room_right) canvas.text(end, y, text, Anchor::kStart, "value", 5);
  else if (value >= 0) canvas.text(end, y, text, Anchor::kEnd, inside, -5);
  else if (Across::of(18, 100) < begin) canvas.text(begin, y, text, Anchor::kEnd, "value", -5);
  else canvas.text(begin, y, text, Anchor::kStart, inside, 5);
}

void draw_row(const Bars& bars, std::size_t row, int top, const Axis& axis, Canvas& canvas) {
  const bool named = bars.layout == Layout::kNamedRows || bars.layout == Layout::kGroupedRows;
  int y = top + (named ? 19 : 4);
  if (named) canvas.text(Across(), top + 14, bars.labels[row], Anchor::kStart, "name");
  else canvas.text(Across(), y + 11, bars.labels[row], Anchor::kEnd, "label", -8);
  const bool alone = std::count_if(bars.series.begin(), bars.series.end(),
                                   [&](const Series& series) { return series.values[row].has_value(); }) == 1;
  std::int64_t above = 0;
  std::int64_t below = 0;
  for (const Series& series : bars.series) {
    if (!series.values[row]) continue;
    const std::int64_t value = *series.values[row];
    const bool grouped = bars.layout == Layout::kGroupedRows;
    std::int64_t& sum = value < 0 ? below : above;
    const std::int64_t from = grouped ? 0 : sum;
    const Across begin = axis.at(std::min(from, from + value));
    const Across end = axis.at(std::max(from, from + value));
    if (value != 0) {
      canvas.rect(begin, y, end - begin, kThinBar - (grouped ? 2 : 0), fill_class(series.tone),
                  tooltip(bars, row, series, axis.unit));
    }
    if (grouped || alone) draw_value(value, series.tone, begin, end, y + 11, axis.unit, canvas);
    sum += value;
    if (grouped) y += kThinBar;
  }
}

void draw_lying(const Bars& bars, std::string_view label, Canvas& canvas) {
  const int rows = static_cast<int>(bars.labels.size());
  const Extent extent = extent_of(bars);
  const Axis axis = axis_over(bars.unit, extent.low, extent.high, 5);
  const bool beside = bars.layout == Layout::kRows;
  const bool long_labels =
      std::any_of(bars.labels.begin(), bars.labels.end(), [](const std::string& text) { return text.size() > 6; });
  canvas.open(height_of(bars), label, !beside ? "" : long_labels ? "pad-long" : "pad");
  canvas.axis_below(axis, rows * row_height(bars) + 4);
  for (int row = 0; row < rows; ++row)
    draw_row(bars, static_cast<std::size_t>(row), row * row_height(bars), axis, canvas);
  canvas.vertical(axis.at(0), 0, rows * row_height(bars) + 4, "zero");
  canvas.close();
}

void draw_standing(const Bars& bars, std::string_view label, Canvas& canvas) {
  const auto columns = static_cast<std::int64_t>(bars.labels.size());
  const Axis axis = axis_over(bars.unit, 0, extent_of(bars).high, 4);
  const auto down = [&](std::int64_t value) {
    return kColumnsRoom - static_cast<int>(Int128{value} * (kColumnsRoom - 16) / axis.ticks.last);
  };
  canvas.open(height_of(bars), label, "pad");
  for (std::int64_t value = 0; value <= axis.ticks.last; value += axis.ticks.step) {
    canvas.horizontal(down(value));
    if (value > 0)
      canvas.text(Across(), down(value) + 4, tick_label(value, axis.ticks, axis.unit), Anchor::kEnd, "tick", -8);
  }
  const std::int64_t every = (columns + 7) / 8;
  const bool histogram = bars.layout == Layout::kHistogram;
  for (std::int64_t column = 0; column < columns; ++column) {
    const auto row = static_cast<std::size_t>(column);
    const Across begin = Across::of(column * 20 + (histogram ? 0 : 2), columns * 20);
    const Across end = Across::of(column * 20 + (histogram ? 19 : 18), columns * 20);
    std::int64_t sum = 0;
    for (const Series& series : bars.series) {
      const std::int64_t value = series.values[row].value_or(0);
      if (value <= 0) continue;
      const int top = down(sum + value);
      canvas.rect(begin, top, end - begin, std::max(1, down(sum) - top), fill_class(series.tone),
                  tooltip(bars, row, series, axis.unit));
      sum += value;
    }
    if (column % every == 0) {
      canvas.text(begin, kColumnsRoom + 15, bars.labels[row], Anchor::kStart, "tick");
    }
  }
  canvas.close();
}

}  // namespace

int height_of(const Bars& bars) {
  if (!lying(bars)) return kColumnsRoom + kAxisRoom;
  return static_cast<int>(bars.labels.size()) * row_height(bars) + kAxisRoom + 4;
}

void draw(const Bars& bars, std::string_view label, Canvas& canvas) {
  if (lying(bars)) draw_lying(bars, label, canvas);
  else draw_standing(bars, label, canvas);
}

}  // namespace hta::report::page
