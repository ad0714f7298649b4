#include "chart_json.h"

#include "hta/base/text.h"

#include <algorithm>

#include "display_unit.h"
#include "svg.h"

namespace hta::report::page {
namespace {

// Objects and arrays written from left to right; commas come by themselves.
class JsonText {
 public:
  JsonText& begin(char bracket) {
    separate();
    text_ += bracket;
    first_ = true;
    return *this;
  }
  JsonText& end(char bracket) {
    text_ += bracket;
    first_ = false;
    return *this;
  }
  JsonText& key(std::string_view name) {
    separate();
    text_ += json_quoted(name) + ":";
    first_ = true;
    return *this;
  }
  JsonText& string(std::string_view value) { return raw(json_quoted(valid_utf8(value))); }
  JsonText& number(const Value& value, const DisplayUnit& unit) {
    return raw(value ? plain_number(*value, unit) : "null");
  }
  JsonText& integer(std::int64_t value) { return raw(std::to_string(value)); }
  JsonText& member(std::string_view name, std::string_view value) { return key(name).string(value); }
  template <class Strings>
  JsonText& strings(std::string_view name, const Strings& values) {
    key(name).begin('[');
    for (const auto& value : values) string(value);
    return end(']');
  }
  std::string take() { return std::move(text_); }

 private:
  JsonText& raw(std::string_view value) {
    separate();
    text_ += value;
    return *this;
  }
  void separate() {
    if (!first_) text_ += ',';
    first_ = false;
  }
  std::string text_;
  bool first_ = true;
};

std::string_view layout_name(Bars::Layout layout) {
  switch (layout) {
    case Bars::Layout::kRows: return "rows";
    case Bars::Layout::kNamedRows: return "named-rows";
    case Bars::Layout::kColumns: return "columns";
    case Bars::Layout::kHistogram: return "histogram";
    case Bars::Layout::kGroupedRows: return "grouped-rows";
  }
  return {};
}

std::int64_t magnitude(std::int64_t value) {
  return value < 0 ? -value : value;
}

void put(const Bars& bars, JsonText& json) {
  std::int64_t largest = bars.full.value_or(0);
  for (std::size_t row = 0; row < bars.labels.size(); ++row) {
    std::int64_t sum = 0;
    for (const Series& series : bars.series) sum += magnitude(series.values[row].value_or(0));
    largest = std::max(largest, sum);
  }
  const DisplayUnit unit = display_unit(bars.unit, largest);
  json.member("kind", "bars").member("layout", layout_name(bars.layout)).member("unit", unit.name);
  json.key("decimals").integer(unit.decimals).member("title", bars.label_title).strings("labels", bars.labels);
  if (bars.full) json.key("full").number(bars.full, unit);
  json.key("series").begin('[');
  for (const Series& series : bars.series) {
    json.begin('{').member("name", series.name).member("tone", tone_name(series.tone)).key("values").begin('[');
    for (const Value& value : series.values) json.number(value, unit);
    json.end(']').end('}');
  }
  json.end(']');
}

void put(const Lines& lines, JsonText& json) {
  std::int64_t x_largest = 0;
  std::int64_t y_largest = 0;
  for (const Lines::Line& line : lines.lines) {
    for (const auto& [x, y] : line.points) {
      x_largest = std::max(x_largest, magnitude(x));
      y_largest = std::max(y_largest, magnitude(y));
    }
  }
  const DisplayUnit x_unit = display_unit(lines.x_unit, x_largest);
  const DisplayUnit y_unit = display_unit(lines.y_unit, y_largest);
  json.member("kind", "lines").member("shape", lines.shape == Lines::Shape::kSteps ? "steps" : "points");
  json.member("xUnit", x_unit.name).member("yUnit", y_unit.name);
  json.member("xTitle", lines.x_title).member("yTitle", lines.y_title);
  json.key("lines").begin('[');
  for (const Lines::Line& line : lines.lines) {
    json.begin('{').member("name", line.name).member("tone", tone_name(line.tone)).key("points").begin('[');
    for (const auto& [x, y] : line.points) json.begin('[').number(x, x_unit).number(y, y_unit).end(']');
    json.end(']').end('}');
  }
  json.end(']').key("marks").begin('[');
  for (const Lines::Mark& mark : lines.marks)
    json.begin('[').number(mark.x, x_unit).number(mark.y, y_unit).string(mark.text).end(']');
  json.end(']');
}

void put(const Heat& heat, JsonText& json) {
  std::int64_t full = heat.full.value_or(0);
  if (!heat.full) {
    for (const Value& value : heat.values) full = std::max(full, value.value_or(0));
  }
  const DisplayUnit unit = display_unit(heat.unit, full);
  json.member("kind", "heat").member("unit", unit.name).member("xTitle", heat.x_title).member("yTitle", heat.y_title);
  json.strings("x", heat.x_labels).strings("y", heat.y_labels).key("full").number(full, unit);
  json.key("values").begin('[');
  for (const Value& value : heat.values) json.number(value, unit);
  json.end(']');
}

void put(const Tracks& tracks, JsonText& json) {
  const DisplayUnit unit = display_unit(result::CellType::kTime, tracks.window.length());
  const auto time = [&](Nanos from, Nanos to) { json.number(to - from, unit); };
  json.member("kind", "tracks").member("unit", unit.name).key("length");
  time(tracks.window.begin, tracks.window.end);
  json.strings("tracks", tracks.tracks).strings("names", tracks.names);
  json.key("items").begin('[');
  for (const Tracks::Item& item : tracks.items) {
    json.begin('[').integer(item.track);
    time(tracks.window.begin, item.time.begin);
    time(tracks.window.begin, item.time.end);
    json.integer(item.name).string(tone_name(item.tone)).end(']');
  }
  json.end(']');
  if (!tracks.marked) return;
  json.key("marked").begin('[');
  time(tracks.window.begin, tracks.marked->begin);
  time(tracks.window.begin, tracks.marked->end);
  json.end(']');
}

}  // namespace

std::string chart_json(const Plot& plot) {
  JsonText json;
  json.begin('{');
  json.key("height").integer(height_of(plot));
  std::visit([&](const auto& kind) { put(kind, json); }, plot);
  json.end('}');
  return json.take();
}

}  // namespace hta::report::page
