#include "html_table.h"

#include "hta/base/human.h"
#include "hta/report/render.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "display_unit.h"
#include "markup.h"

namespace hta::report::page {
namespace {

using result::CellType;
using result::Table;

bool has_unit(CellType type) {
  return type == CellType::kTime || type == CellType::kBytes || type == CellType::kRate;
}

// The unit of a column, by its largest value among the rows shown.
DisplayUnit unit_of(const Table& table, std::size_t column, std::size_t first, std::size_t end) {
  std::int64_t largest = 0;
  for (std::size_t row = first; row < end; ++row) {
    if (table.is_null(row, column)) continue;
    const std::int64_t value = table.number(row, column);
    largest = std::max(largest, value < 0 ? -value : value);
  }
  return display_unit(table.columns()[column].type, largest);
}

std::string heading(const Table::Column& column, const std::optional<DisplayUnit>& unit) {
  std::string text = human_heading(column);
  if (column.type == CellType::kRate || !unit) return text;
  if (column.type == CellType::kBytes && text.ends_with(" bytes")) text.resize(text.size() - 6);
  return text + " (" + std::string(unit->name) + ")";
}

std::string cell(const Table& table, std::size_t row, std::size_t column, const std::optional<DisplayUnit>& unit) {
  if (table.is_null(row, column)) return "–";
  if (unit) return shown(table.number(row, column), *unit);
  return human_cell(table, row, column);
}

}  // namespace

void write_table(const Excerpt& excerpt, std::size_t max_rows, std::string_view paths, Out& out) {
  const Table& table = *excerpt.table;
  const std::size_t first = excerpt.first_row;
  const std::size_t all = std::min(excerpt.end_row, table.rows());
  const std::size_t end = std::min(all, first + max_rows);
  const auto& columns = table.columns();
  std::vector<std::optional<DisplayUnit>> units(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (has_unit(columns[c].type)) units[c] = unit_of(table, c, first, end);
  }
  out << "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"" << escaped(table.title())
      << "\"><table><thead><tr>";
  for (std::size_t c = 0; c < columns.size(); ++c) {
    out << "<th scope=\"col\"" << (columns[c].type == CellType::kText ? ">" : " class=\"n\">")
        << escaped(heading(columns[c], units[c])) << "</th>";
  }
  out << "</tr></thead><tbody>\n";
  for (std::size_t r = first; r < end; ++r) {
    out << "<tr>";
    for (std::size_t c = 0; c < columns.size(); ++c)
      out << (columns[c].type == CellType::kText ? "<td>" : "<td class=\"n\">") << escaped(cell(table, r, c, units[c]))
          << "</td>";
    out << "</tr>\n";
  }
  out << "</tbody></table></div>\n";
  out << "<p class=\"more\">";
  if (end < all) out << human_count(static_cast<std::int64_t>(all - end), "more row", "more rows") << ": ";
  else out << "The table by itself: ";
  out << "<code>hta " << escaped(excerpt.command) << escaped(paths) << "</code></p>\n";
}

}  // namespace hta::report::page
