#include <algorithm>

#include "svg_shapes.h"

namespace hta::report::page {
namespace {

constexpr int kCellHeight = 18;
constexpr int kTrackHeight = 22;
constexpr std::int64_t kThinnest = Across::kWhole / 1500;  // else a short event could not be seen
constexpr std::int64_t kWideEnoughForName = Across::kWhole / 16;

}  // namespace

int height_of(const Heat& heat) {
  return static_cast<int>(heat.y_labels.size()) * kCellHeight + kAxisRoom;
}

void draw(const Heat& heat, std::string_view label, Canvas& canvas) {
  const auto columns = static_cast<std::int64_t>(heat.x_labels.size());
  std::int64_t full = 1;
  for (const Value& value : heat.values) full = std::max(full, value.value_or(0));
  full = heat.full.value_or(full);
  const DisplayUnit unit = display_unit(heat.unit, full);
  canvas.open(height_of(heat), label, "pad");
  for (std::size_t row = 0; row < heat.y_labels.size(); ++row) {
    const int y = static_cast<int>(row) * kCellHeight;
    canvas.text(Across(), y + 13, heat.y_labels[row], Anchor::kEnd, "label", -8);
    for (std::int64_t column = 0; column < columns; ++column) {
      const Value& value = heat.values[row * heat.x_labels.size() + static_cast<std::size_t>(column)];
      if (!value) continue;
      const std::int64_t tenth = std::clamp<std::int64_t>(static_cast<std::int64_t>(Int128{*value} * 10 / full), 0, 10);
      const Across begin = Across::of(column, columns);
      canvas.rect(begin, y + 1, Across::of(column + 1, columns) - begin, kCellHeight - 2,
                  "heat h" + std::to_string(tenth),
                  heat.y_title + " " + heat.y_labels[row] + ", " + heat.x_title + " " +
                      heat.x_labels[static_cast<std::size_t>(column)] + ": " + shown_with_unit(*value, unit));
    }
  }
  const int bottom = static_cast<int>(heat.y_labels.size()) * kCellHeight;
  const std::int64_t every = std::max<std::int64_t>(1, (columns + 7) / 8);
  for (std::int64_t column = 0; column < columns; column += every) {
    canvas.text(Across::of(column, columns), bottom + 15, heat.x_labels[static_cast<std::size_t>(column)],
                Anchor::kStart, "tick");
  }
  canvas.close();
}

int height_of(const Tracks& tracks) {
  return static_cast<int>(tracks.tracks.size()) * kTrackHeight + kAxisRoom + 4;
}

void draw(const Tracks& tracks, std::string_view label, Canvas& canvas) {
  const int bottom = static_cast<int>(tracks.tracks.size()) * kTrackHeight + 4;
  const std::int64_t length = std::max<std::int64_t>(1, tracks.window.length());
  const auto at = [&](Nanos time) { return Across::of(time - tracks.window.begin, length); };
  canvas.open(height_of(tracks), label, "pad-long");
  Axis axis = axis_over(result::CellType::kTime, 0, length, 5);
  axis.ticks.last = length;
  canvas.axis_below(axis, bottom);
  if (tracks.marked)
    canvas.rect(at(tracks.marked->begin), 0, at(tracks.marked->end) - at(tracks.marked->begin), bottom, "marked");
  for (std::size_t track = 0; track < tracks.tracks.size(); ++track) {
    canvas.text(Across(), static_cast<int>(track) * kTrackHeight + 16, tracks.tracks[track], Anchor::kEnd, "label", -8);
  }
  const DisplayUnit unit = display_unit(result::CellType::kTime, length);
  for (const Tracks::Item& item : tracks.items) {
    const int y = static_cast<int>(item.track) * kTrackHeight + 3;
    const Across begin = at(std::max(item.time.begin, tracks.window.begin));
    const Across width = at(std::min(item.time.end, tracks.window.end)) - begin;
    const std::string& name = tracks.names[item.name];
    canvas.rect(begin, y,
                std::max(width, Across::of(kThinnest, Across::kWhole), [](Across a, Across b) { return a < b; }),
                kTrackHeight - 4, fill_class(item.tone), name + ": " + shown_with_unit(item.time.length(), unit));
    if (width.raw() >= kWideEnoughForName && item.tone != Tone::kIdle)
      canvas.clipped_text(begin, y, width, kTrackHeight - 4, name);
  }
  canvas.close();
}

}  // namespace hta::report::page
