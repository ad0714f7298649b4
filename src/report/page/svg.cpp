#include "svg.h"

#include "svg_shapes.h"

namespace hta::report::page {

void write_svg(const Plot& plot, std::string_view label, Out& out) {
  Canvas canvas(out);
  std::visit([&](const auto& kind) { draw(kind, label, canvas); }, plot);
}

int height_of(const Plot& plot) {
  return std::visit([](const auto& kind) { return height_of(kind); }, plot);
}

int room_of(const Plot& plot) {
  constexpr int kSlider = 26;
  const bool zooms = std::holds_alternative<Lines>(plot) || std::holds_alternative<Tracks>(plot);
  return height_of(plot) + (zooms ? kSlider : 0);
}

}  // namespace hta::report::page
