#include "hta/base/human.h"
#include "hta/base/text.h"
#include "hta/report/people_rows.h"
#include "hta/report/render.h"

#include <algorithm>
#include <numeric>

#include "heat_map.h"
#include "text_layout.h"

namespace hta::report {
namespace {

using result::CellType;

constexpr std::size_t kGap = 2;        // blanks between columns
constexpr std::size_t kBarWidth = 8;   // cells of a bar
constexpr std::size_t kMinText = 16;   // a name shortened further tells nothing
constexpr std::size_t kGoodText = 32;  // columns that may go make room for this much of a name,
constexpr std::size_t kFairText = 24;  // and bars for this much
constexpr std::size_t kMostRankRows = 24;
constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kDim = "\033[2m";
constexpr std::string_view kYellow = "\033[33m";
constexpr std::string_view kRed = "\033[31m";
constexpr std::string_view kPlain = "\033[0m";

class Painter {
 public:
  Painter(Out& out, Color color) : out_(out), color_(color) {}
  void paint(std::string_view style, std::string_view text) {
    if (color_ == Color::kYes) out_ << style << text << kPlain;
    else out_ << text;
  }

 private:
  Out& out_;
  Color color_;
};

// A share of 100 % in eighths of a cell, or in whole ones.
std::string bar(std::int64_t hundredths, Charset charset) {
  static constexpr std::string_view kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const std::int64_t clipped = std::clamp<std::int64_t>(hundredths, 0, 10'000);
  if (charset == Charset::kAscii) {
    const auto cells = static_cast<std::size_t>(clipped) * kBarWidth / 10'000;
    return std::string(cells, '#') + std::string(kBarWidth - cells, ' ');
  }
  const auto eighths = static_cast<std::size_t>(clipped) * kBarWidth * 8 / 10'000;
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  text += kEighths[eighths % 8];
  return text + std::string(kBarWidth - display_width(text), ' ');
}

bool is_text(CellType type) {
  return type == CellType::kText;
}

struct Layout {
  std::vector<std::size_t> columns;  // shown, by index
  std::vector<std::size_t> widths;   // of all columns
  std::vector<std::string> hidden;
  bool bars = true;
};

std::size_t total_width(const result::Table& table, const Layout& layout) {
  std::size_t width = 0;
  for (const std::size_t c : layout.columns) {
    width += layout.widths[c] + (width > 0 ? kGap : 0);
    if (layout.bars && table.columns()[c].bar == result::Bar::kYes) width += kBarWidth + 1;
  }
  return width;
}

bool is_empty(const result::Table& table, std::size_t column) {
  for (std::size_t r = 0; r < table.rows(); ++r) {
    if (!table.is_null(r, column)) return false;
  }
  return true;
}

// Columns that may go and say nothing are left out. Fits the table into `width`: shortens names, then leaves out bars
// and columns that may go, from the right.
Layout fit(const result::Table& table, std::vector<std::size_t> natural, std::size_t width) {
  Layout layout;
  layout.widths = std::move(natural);
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    if (table.columns()[c].fit == result::Fit::kAlways || !is_empty(table, c)) layout.columns.push_back(c);
  }
  if (width == 0) return layout;
  const auto shorten = [&](std::size_t least) {
    for (;;) {
      const std::size_t now = total_width(table, layout);
      if (now <= width) return true;
      std::size_t widest = SIZE_MAX;
      for (const std::size_t c : layout.columns) {
        if (is_text(table.columns()[c].type) && layout.widths[c] > least &&
            (widest == SIZE_MAX || layout.widths[c] > layout.widths[widest]))
          widest = c;
      }
      if (widest == SIZE_MAX) return false;
      layout.widths[widest] -= std::min(now - width, layout.widths[widest] - least);
    }
  };
  const std::vector<std::size_t> full = layout.widths;
  if (shorten(kGoodText)) return layout;
  while (true) {
    layout.widths = full;
    const auto droppable = std::find_if(layout.columns.rbegin(), layout.columns.rend(),
                                        [&](std::size_t c) { return table.columns()[c].fit == result::Fit::kIfRoom; });
    if (droppable == layout.columns.rend()) break;
    layout.hidden.insert(layout.hidden.begin(), table.columns()[*droppable].name);
    layout.columns.erase(std::next(droppable).base());
    if (shorten(kGoodText)) return layout;
  }
  layout.widths = full;
  if (shorten(kFairText)) return layout;
  layout.bars = false;
  layout.widths = full;
  shorten(kMinText);
  return layout;
}

// Of tables with a row per event the first rows, of tables by rank those that tell most, unless all were asked for.
std::vector<std::size_t> rows_for_people(const result::Table& table, const RenderOptions& options) {
  const bool of_events = table.rows_per() == result::RowsPer::kEvent;
  if (!of_events && options.width > 0 && options.max_rows > 0 && options.tables.empty() &&
      options.order == RowOrder::kTables)
    return telling_rows(table, kMostRankRows);
  const bool cut = options.max_rows > 0 && (of_events || (options.width > 0 && options.tables.empty()));
  const std::size_t most = of_events ? options.max_rows : kMostRankRows;
  std::vector<std::size_t> rows(cut ? std::min(most, table.rows()) : table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

// Files of one folder are told apart by what follows it.
void drop_common_folder(std::vector<std::vector<std::string>>& cells, std::size_t column) {
  std::string_view common = cells.front()[column];
  for (const auto& row : cells) {
    const auto differ = std::mismatch(common.begin(), common.end(), row[column].begin(), row[column].end());
    common = common.substr(0, static_cast<std::size_t>(differ.first - common.begin()));
  }
  const std::size_t slash = common.rfind('/');
  if (slash == std::string_view::npos) return;
  for (auto& row : cells) row[column].erase(0, slash + 1);
}

void render_table(const result::Table& table, const RenderOptions& options, Out& out) {
  Painter painter(out, options.color);
  painter.paint(kBold, table.title());
  out << "\n";
  if (table.rows() == 0) {
    out << "  (nothing)\n";
    return;
  }
  const std::vector<std::size_t> rows = rows_for_people(table, options);
  const auto& columns = table.columns();
  const bool terminal = options.width > 0;
  std::vector<std::vector<std::string>> cells(rows.size());
  std::vector<std::size_t> widths;
  for (const auto& column : columns) widths.push_back(display_width(human_heading(column)));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      std::string text = human_cell(table, rows[r], c);
      if (terminal && is_text(columns[c].type)) text = readable_kernel_name(text);
      cells[r].push_back(std::move(text));
    }
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (terminal && columns[c].name == "path") drop_common_folder(cells, c);
    for (const auto& row : cells) widths[c] = std::max(widths[c], display_width(row[c]));
  }
  const Layout layout = fit(table, widths, options.width);
  const auto put = [&](std::size_t c, std::string_view text, bool last) {
    const std::size_t width = layout.widths[c];
    const std::string shown = shorten_middle(text, width);
    const std::string blanks(width - std::min(width, display_width(shown)), ' ');
    if (is_text(columns[c].type)) out << shown << (last ? "" : blanks);
    else out << blanks << shown;
  };
  std::string heading;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const std::size_t c = layout.columns[i];
    const bool last = i + 1 == layout.columns.size();
    if (i > 0) out << std::string(kGap, ' ');
    if (options.color == Color::kYes) out << kDim;
    put(c, human_heading(columns[c]), last);
    if (layout.bars && columns[c].bar == result::Bar::kYes && !last) out << std::string(kBarWidth + 1, ' ');
    if (options.color == Color::kYes) out << kPlain;
  }
  out << "\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < layout.columns.size(); ++i) {
      const std::size_t c = layout.columns[i];
      const bool last = i + 1 == layout.columns.size();
      if (i > 0) out << std::string(kGap, ' ');
      put(c, cells[r][c], last);
      if (layout.bars && columns[c].bar == result::Bar::kYes) {
        std::string drawn = " " + (table.is_null(rows[r], c) ? std::string(kBarWidth, ' ')
                                                             : bar(table.number(rows[r], c), options.charset));
        if (last) drawn.erase(drawn.find_last_not_of(' ') + 1);
        out << drawn;
      }
    }
    out << "\n";
  }
  if (const std::size_t more = table.rows() - rows.size(); more > 0) {
    out << "… " << human_count(static_cast<std::int64_t>(more), "more row", "more rows");
    if (table.rows_per() == result::RowsPer::kEvent) out << " (--top 0 shows all)\n";
    else
      out << (options.order == RowOrder::kTables ? ", nearer to the median" : "") << " (--table " << table.name()
          << " shows all)\n";
  }
  if (!layout.hidden.empty()) {
    std::string line = "No room for:";
    for (const std::string& name : layout.hidden) line += " " + name;
    painter.paint(kDim, wrapped(line + " (a wider terminal or -f csv shows them)", options.width, "  "));
    out << "\n";
  }
}

}  // namespace

void render_terminal(const result::Document& document, const RenderOptions& options, Out& out) {
  Painter painter(out, options.color);
  if (const std::string line = quality_line(document, options.detail); !line.empty()) {
    painter.paint(kYellow, wrapped(line, options.width, "  "));
    out << "\n";
  }
  for (const std::string& line : document.heading) out << wrapped(line, options.width, "  ") << "\n";
  for (const result::Finding& finding : document.findings) {
    painter.paint(finding.severity == result::Severity::kCritical ? kRed : kYellow,
                  result::severity_name(finding.severity));
    out << ": ";
    out << wrapped(finding.title, options.width > 12 ? options.width - 10 : 0, "  ") << "\n";
  }
  bool first = document.heading.empty() && document.findings.empty();
  for (const result::Table* table : tables_for_people(document, options)) {
    if (!first) out << "\n";
    first = false;
    if (table->map() && options.tables.empty()) {
      painter.paint(kBold, table->title());
      out << "\n";
      draw_map(*table, options, out);
    } else {
      render_table(*table, options, out);
    }
  }
  std::string_view lead = "\nNext: ";
  for (const std::string& command : document.next) {
    out << lead;
    painter.paint(kBold, command);
    out << "\n";
    lead = "      ";
  }
}

}  // namespace hta::report
