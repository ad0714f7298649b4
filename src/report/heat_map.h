#pragma once

#include "hta/report/render.h"

namespace hta::report {

/// A table with a MapSpec as lines of shades, below a line that names the columns and above one that explains the
/// shades. Lines that look alike are folded into one, columns beyond `options.width` into their maximum.
void draw_map(const result::Table& table, const RenderOptions& options, Out& out);

}  // namespace hta::report
