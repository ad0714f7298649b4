#pragma once
// Elements of the static pictures. Across in per cent of the width, down in pixels.

#include "hta/report/out.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "chart.h"
#include "display_unit.h"

namespace hta::report::page {

/// A share of the width, in ten-thousandths of a per cent of it.
class Across {
 public:
  Across() = default;
  /// part / whole of the width; whole > 0.
  static Across of(std::int64_t part, std::int64_t whole);
  std::string text() const;  ///< "12.34%"
  std::int64_t raw() const { return raw_; }
  Across operator-(Across other) const { return Across(raw_ - other.raw_); }
  Across operator+(Across other) const { return Across(raw_ + other.raw_); }
  bool operator<(Across other) const { return raw_ < other.raw_; }
  static constexpr std::int64_t kWhole = 1'000'000;

 private:
  explicit Across(std::int64_t raw) : raw_(raw) {}
  std::int64_t raw_ = 0;
};

enum class Anchor : std::uint8_t { kStart, kMiddle, kEnd };

/// A number range that is drawn along an axis.
struct Axis {
  Ticks ticks;
  DisplayUnit unit;
  std::int64_t length() const { return ticks.last - ticks.first; }
  Across at(std::int64_t value) const { return Across::of(value - ticks.first, length()); }
};
/// Covers [low, high] with about `wanted` round parts.
Axis axis_over(result::CellType type, std::int64_t low, std::int64_t high, int wanted);

class Canvas {
 public:
  explicit Canvas(Out& out) : out_(out) {}

  /// `pad`: class of the room on the left for labels, or empty.
  void open(int height, std::string_view label, std::string_view pad);
  void close() { out_ << "</svg>\n"; }
  void rect(Across x, int y, Across width, int height, std::string_view css_class, std::string_view tooltip = {});
  void text(Across x, int y, std::string_view text, Anchor anchor = Anchor::kStart, std::string_view css_class = {},
            int shift = 0);
  void vertical(Across x, int top, int bottom, std::string_view css_class = "grid");
  void horizontal(int y, std::string_view css_class = "grid");
  void dot(Across x, int y, std::string_view css_class, std::string_view tooltip = {});
  /// Text that ends where its box ends.
  void clipped_text(Across x, int y, Across width, int height, std::string_view text);
  /// A path in a box that is stretched to the width: `d` counts 10000 across.
  void stretched_path(int top, int height, std::string_view d, std::string_view css_class);

  /// Vertical lines with their labels below `bottom`.
  void axis_below(const Axis& axis, int bottom);

 private:
  Out& out_;
};

/// Class of a shape in this tone.
std::string fill_class(Tone tone);
std::string line_class(Tone tone);

}  // namespace hta::report::page
