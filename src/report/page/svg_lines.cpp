#include <algorithm>

#include "svg_shapes.h"

namespace hta::report::page {
namespace {

constexpr int kPlotHeight = kColumnsRoom;
constexpr int kRoomAbove = 16;

struct Frame {
  Axis x;
  Axis y;
  int down(std::int64_t value) const {
    return kPlotHeight - static_cast<int>(Int128{value - y.ticks.first} * (kPlotHeight - kRoomAbove) / y.length());
  }
  std::int64_t across(std::int64_t value) const { return x.at(value).raw() / 100; }  // of 10000
};

Frame frame_of(const Lines& lines) {
  bool any = false;
  std::int64_t x_low = 0, x_high = 0, y_high = 0;
  for (const Lines::Line& line : lines.lines) {
    for (const auto& [x, y] : line.points) {
      x_low = any ? std::min(x_low, x) : x;
      x_high = any ? std::max(x_high, x) : x;
      y_high = std::max(y_high, y);
      any = true;
    }
  }
  Frame frame;
  frame.x = axis_over(lines.x_unit, x_low, x_high, 6);
  frame.x.ticks.first = x_low;  // no empty room at the sides
  frame.x.ticks.last = std::max(x_high, x_low + 1);
  frame.y = axis_over(lines.y_unit, 0, std::max<std::int64_t>(y_high, 1), 4);
  return frame;
}

// The ticks of an axis that need not begin or end with one.
void draw_x_axis(const Axis& axis, std::string_view title, Canvas& canvas) {
  const Ticks& ticks = axis.ticks;
  std::int64_t first = ticks.first / ticks.step * ticks.step;
  if (first < ticks.first) first += ticks.step;
  for (std::int64_t value = first; value <= ticks.last; value += ticks.step) {
    const Across x = axis.at(value);
    canvas.vertical(x, kPlotHeight, kPlotHeight + 4);
    const Anchor anchor = x < Across::of(4, 100)    ? Anchor::kStart
                          : Across::of(90, 100) < x ? Anchor::kEnd
                                                    : Anchor::kMiddle;
    const bool at_end = value + ticks.step > ticks.last;
    std::string label = tick_label(value, ticks, axis.unit);
    if (at_end && !axis.unit.name.empty()) label += " " + std::string(axis.unit.name);
    else if (at_end && !title.empty()) label = std::string(title) + " " + label;
    canvas.text(x, kPlotHeight + 16, label, anchor, "tick");
  }
}

std::string step_path(const Lines::Line& line, const Frame& frame) {
  std::string d;
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    const auto& [x, y] = line.points[i];
    const std::string across = std::to_string(frame.across(x));
    const std::string down = std::to_string(frame.down(y));
    d += i == 0 ? "M" + across + " " + down : "H" + across + "V" + down;
  }
  return d + "H10000";
}

}  // namespace

int height_of(const Lines&) {
  return kPlotHeight + kAxisRoom;
}

void draw(const Lines& lines, std::string_view label, Canvas& canvas) {
  const Frame frame = frame_of(lines);
  canvas.open(height_of(lines), label, "");
  const Ticks& ticks = frame.y.ticks;
  for (std::int64_t value = ticks.first; value <= ticks.last; value += ticks.step) {
    canvas.horizontal(frame.down(value));
    std::string text = tick_label(value, ticks, frame.y.unit);
    if (value + ticks.step > ticks.last && !frame.y.unit.name.empty()) text += " " + std::string(frame.y.unit.name);
    if (value > 0) canvas.text(Across(), frame.down(value) - 3, text, Anchor::kStart, "tick");
  }
  draw_x_axis(frame.x, lines.x_title, canvas);
  for (const Lines::Line& line : lines.lines) {
    if (lines.shape == Lines::Shape::kSteps) {
      if (!line.points.empty())
        canvas.stretched_path(0, kPlotHeight + 2, step_path(line, frame), line_class(line.tone));
      continue;
    }
    for (const auto& [x, y] : line.points) {
      canvas.dot(frame.x.at(x), frame.down(y), fill_class(line.tone),
                 line.name + ", " + lines.x_title + " " + shown_with_unit(x, frame.x.unit) + ": " +
                     shown_with_unit(y, frame.y.unit));
    }
  }
  for (const Lines::Mark& mark : lines.marks)
    canvas.dot(frame.x.at(mark.x), frame.down(mark.y), fill_class(Tone::kWarning), mark.text);
  canvas.close();
}

}  // namespace hta::report::page
