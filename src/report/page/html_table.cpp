#include "html_table.h"

#include "hta/base/text.h"
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
DisplayUnit unit_of(const Table& table, std::size_t column, std::size_t rows) {
  std::int64_t largest = 0;
  for (std::size_t row = 0; row < rows; ++row) {
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

void write_table(const Table& table, std::size_t max_rows, std::string_view command, Out& out) {
  const std::size_t rows = std::min(max_rows, table.rows());
  const auto& columns = table.columns();
  std::vector<std::optional<DisplayUnit>> units(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (has_unit(columns[c].type)) units[c] = unit_of(table, c, rows);
  }
  out << "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"" << escaped(table.title())
      << "\"><table><thead><tr>";
  for (std::size_t c = 0; c < columns.size(); ++c) {
    out << "<th scope=\"col\"" << (columns[c].type == CellType::kText ? ">" : " class=\"n\">")
        << escaped(heading(columns[c], units[c])) << "</th>";
  }
  out << "</tr></thead><tbody>\n";
  for (std::size_t r = 0; r < rows; ++r) {
    out << "<tr>";
    for (std::size_t c = 0; c < columns.size(); ++c)
      out << (columns[c].type == CellType::kText ? "<td>" : "<td class=\"n\">") << escaped(cell(table, r, c, units[c]))
          << "</td>";
    out << "</tr>\n";
  }
  out << "</tbody></table></div>\n";
  const std::size_t left = table.rows() - rows;
  out << "<p class=\"more\">";
  if (left > 0) out << with_commas(static_cast<std::int64_t>(left)) << " more rows: ";
  else out << "The table by itself: ";
  out << "<code>" << escaped(command) << "</code></p>\n";
}

}  // namespace hta::report::page
