#pragma once

#include "hta/report/out.h"

#include <cstddef>
#include <string_view>

#include "figure.h"

namespace hta::report::page {

/// Writes the first `max_rows` of the rows that are to be shown as an HTML table: one unit a column, named in its
/// heading, numbers to the right. Below it how many are left out, and the command that prints them; `paths` completes
/// it.
void write_table(const Excerpt& excerpt, std::size_t max_rows, std::string_view paths, Out& out);

}  // namespace hta::report::page
