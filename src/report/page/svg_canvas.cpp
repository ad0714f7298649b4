#include "svg_canvas.h"

#include "hta/base/text.h"

#include <algorithm>

#include "markup.h"

namespace hta::report::page {
namespace {

std::string_view anchor_name(Anchor anchor) {
  return anchor == Anchor::kMiddle ? "middle" : anchor == Anchor::kEnd ? "end" : "start";
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + std::string(value) + "\"";
}
std::string attribute(std::string_view name, int value) {
  return attribute(name, std::to_string(value));
}

}  // namespace

Across Across::of(std::int64_t part, std::int64_t whole) {
  return Across(static_cast<std::int64_t>(Int128{part} * kWhole / whole));
}

std::string Across::text() const {
  std::string digits = fixed_point(raw_ / 100, 2);
  while (digits.back() == '0') digits.pop_back();
  if (digits.back() == '.') digits.pop_back();
  return digits + "%";
}

Axis axis_over(result::CellType type, std::int64_t low, std::int64_t high, int wanted) {
  Axis axis;
  axis.unit = display_unit(type, std::max(high, -low));
  axis.ticks = round_ticks(low, high, axis.unit, wanted);
  return axis;
}

void Canvas::open(int height, std::string_view label, std::string_view pad) {
  out_ << "<svg class=\"plot" << (pad.empty() ? "" : " ") << pad << "\"" << attribute("height", height)
       << " role=\"img\" aria-label=\"" << escaped(label) << "\">\n";
}

void Canvas::rect(Across x, int y, Across width, int height, std::string_view css_class, std::string_view tooltip) {
  out_ << "<rect" << attribute("class", css_class) << attribute("x", x.text()) << attribute("y", y)
       << attribute("width", width.text()) << attribute("height", height);
  if (tooltip.empty()) out_ << "/>\n";
  else out_ << "><title>" << escaped(tooltip) << "</title></rect>\n";
}

void Canvas::text(Across x, int y, std::string_view text, Anchor anchor, std::string_view css_class, int shift) {
  out_ << "<text" << attribute("x", x.text()) << attribute("y", y);
  if (shift != 0) out_ << attribute("dx", shift);
  if (anchor != Anchor::kStart) out_ << attribute("text-anchor", anchor_name(anchor));
  if (!css_class.empty()) out_ << attribute("class", css_class);
  out_ << ">" << escaped(text) << "</text>\n";
}

void Canvas::vertical(Across x, int top, int bottom, std::string_view css_class) {
  out_ << "<line" << attribute("class", css_class) << attribute("x1", x.text()) << attribute("x2", x.text())
       << attribute("y1", top) << attribute("y2", bottom) << "/>\n";
}

void Canvas::horizontal(int y, std::string_view css_class) {
  out_ << "<line" << attribute("class", css_class) << " x1=\"0\" x2=\"100%\"" << attribute("y1", y)
       << attribute("y2", y) << "/>\n";
}

void Canvas::dot(Across x, int y, std::string_view css_class, std::string_view tooltip) {
  out_ << "<circle" << attribute("class", css_class) << attribute("cx", x.text()) << attribute("cy", y) << " r=\"3\"";
  if (tooltip.empty()) out_ << "/>\n";
  else out_ << "><title>" << escaped(tooltip) << "</title></circle>\n";
}

void Canvas::clipped_text(Across x, int y, Across width, int height, std::string_view text) {
  out_ << "<svg" << attribute("x", x.text()) << attribute("y", y) << attribute("width", width.text())
       << attribute("height", height) << "><text class=\"in\" x=\"3\"" << attribute("y", height - 5) << ">"
       << escaped(text) << "</text></svg>\n";
}

void Canvas::stretched_path(int top, int height, std::string_view d, std::string_view css_class) {
  out_ << "<svg x=\"0\"" << attribute("y", top) << " width=\"100%\"" << attribute("height", height)
       << " viewBox=\"0 0 10000 " << std::to_string(height) << "\" preserveAspectRatio=\"none\"><path"
       << attribute("class", css_class) << " d=\"" << d << "\"/></svg>\n";
}

void Canvas::axis_below(const Axis& axis, int bottom) {
  const Ticks& ticks = axis.ticks;
  for (std::int64_t value = ticks.first; value <= ticks.last; value += ticks.step) {
    const Across x = axis.at(value);
    vertical(x, 0, bottom);
    const bool at_end = value + ticks.step > ticks.last;
    std::string label = tick_label(value, ticks, axis.unit);
    if (at_end && !axis.unit.name.empty()) label += " " + std::string(axis.unit.name);
    const Anchor anchor = value == ticks.first ? Anchor::kStart : at_end ? Anchor::kEnd : Anchor::kMiddle;
    text(x, bottom + 14, label, anchor, "tick");
  }
}

std::string fill_class(Tone tone) {
  return "f-" + std::string(tone_name(tone));
}
std::string line_class(Tone tone) {
  return "l-" + std::string(tone_name(tone));
}

}  // namespace hta::report::page
