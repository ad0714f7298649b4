#pragma once

#include "hta/report/out.h"
#include "hta/result/table.h"

#include <cstddef>
#include <string_view>

namespace hta::report::page {

/// Writes the first `max_rows` rows as an HTML table: one unit a column, named in its heading, numbers to the right.
/// Below it, where rows are left out, how many, and the `command` that prints them.
void write_table(const result::Table& table, std::size_t max_rows, std::string_view command, Out& out);

}  // namespace hta::report::page
