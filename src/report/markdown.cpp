#include "hta/base/text.h"
#include "hta/report/render.h"

#include <algorithm>

#include "heat_map.h"
#include "text_layout.h"

namespace hta::report {
namespace {

void render_table(const result::Table& table, const RenderOptions& options, Out& out) {
  out << "### " << table.title() << "\n\n";
  if (table.rows() == 0) {
    out << "(nothing)\n";
    return;
  }
  const std::size_t limit = table.rows_per() == result::RowsPer::kEvent ? options.max_rows : 0;
  const std::size_t rows = limit == 0 ? table.rows() : std::min(limit, table.rows());
  for (const auto& column : table.columns()) out << "| " << markdown_escaped(human_heading(column)) << " ";
  out << "|\n";
  for (const auto& column : table.columns()) out << (column.type == result::CellType::kText ? "|---" : "|--:");
  out << "|\n";
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < table.columns().size(); ++c)
      out << "| " << markdown_escaped(human_cell(table, r, c)) << " ";
    out << "|\n";
  }
  if (rows < table.rows())
    out << "\n… " << with_commas(static_cast<std::int64_t>(table.rows() - rows))
        << " more rows (`--top 0` shows all)\n";
}

}  // namespace

void render_markdown(const result::Document& document, const RenderOptions& options, Out& out) {
  out << "## hta " << document.command << "\n\n";
  if (const std::string line = quality_line(document, options.detail); !line.empty()) out << "> " << line << "\n\n";
  for (const std::string& line : document.heading) out << markdown_escaped(line) << "\n\n";
  for (const result::Finding& finding : document.findings) {
    out << "- **" << result::severity_name(finding.severity) << "**: " << markdown_escaped(finding.title) << "\n";
  }
  if (!document.findings.empty()) out << "\n";
  bool first = true;
  for (const result::Table* table : tables_for_people(document, options)) {
    if (!first) out << "\n";
    first = false;
    if (table->map() && options.tables.empty()) {
      out << "### " << table->title() << "\n\n```\n";
      draw_map(*table, RenderOptions{}, out);
      out << "```\n";
    } else {
      render_table(*table, options, out);
    }
  }
  if (!document.next.empty()) {
    out << "\n**Want deeper analysis?**";
    for (const std::string& command : document.next) out << " `" << command << "`";
    out << "\n";
  }
}

}  // namespace hta::report
