#pragma once
// Charts as SVG without script: what a page shows before, or without, the interactive ones, and what is printed.
//
// Pictures have a fixed height and take the width there is: across, everything is placed in per cent, so that text
// keeps its size on any screen. Colours are classes of the style sheet, which knows both themes.

#include "hta/report/out.h"

#include <string_view>

#include "chart.h"

namespace hta::report::page {

/// Writes one <svg> element. `label` is read to people who do not see it.
void write_svg(const Plot& plot, std::string_view label, Out& out);

/// The height of the picture in CSS pixels.
int height_of(const Plot& plot);
/// The room of the interactive chart: that of the picture, and of what zooms it.
int room_of(const Plot& plot);

}  // namespace hta::report::page
