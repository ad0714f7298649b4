#include "hta/report/render.h"

#include "hta/base/exact.h"
#include "hta/base/human.h"
#include "hta/base/rank_key.h"
#include "hta/base/text.h"

#include <algorithm>

namespace hta::report {

using result::CellType;

std::optional<Format> format_named(std::string_view name) {
  if (name == "table") return Format::kTable;
  if (name == "csv") return Format::kCsv;
  if (name == "json") return Format::kJson;
  if (name == "markdown" || name == "md") return Format::kMarkdown;
  return std::nullopt;
}

std::optional<Format> format_of_file(std::string_view path) {
  if (path.ends_with(".csv")) return Format::kCsv;
  if (path.ends_with(".json")) return Format::kJson;
  if (path.ends_with(".md")) return Format::kMarkdown;
  return std::nullopt;
}

std::string human_cell(const result::Table& table, std::size_t row, std::size_t column) {
  if (table.is_null(row, column)) return "–";
  switch (table.columns()[column].type) {
    case CellType::kTime: return human_time(table.number(row, column));
    case CellType::kInteger: {
      // Ids and ordinals read better without separators; counts need them.
      const std::int64_t value = table.number(row, column);
      return value >= 10'000 || value <= -10'000 ? with_commas(value) : std::to_string(value);
    }
    case CellType::kBytes: return human_bytes(table.number(row, column));
    case CellType::kRank: {
      const RankKey rank = RankKey::from_value(table.number(row, column));
      std::string text = std::to_string(rank.rank());
      if (rank.window() > 0) text += " window " + std::to_string(rank.window());
      return text;
    }
    case CellType::kRate: return fixed_point(divide_half_even(table.number(row, column), 10'000), 2);
    default: {
      std::string text = table.plain(row, column);
      for (char& c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';  // a name must not steer the terminal
      }
      return text;
    }
  }
}

std::string human_heading(const result::Table::Column& column) {
  std::string name = column.name;
  const auto drop = [&](std::string_view suffix) {
    if (!name.ends_with(suffix)) return false;
    name.resize(name.size() - suffix.size());
    return true;
  };
  if (column.type == CellType::kTime) {
    drop("_us");
  } else if (column.type == CellType::kPercent) {
    if (drop("_pct")) name += " %";
    else if (name == "pct") name = "%";
  } else if (column.type == CellType::kRate) {
    if (drop("_gbps")) name += " GB/s";
    else if (name == "gbps") name = "GB/s";
  }
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string quality_line(const result::Document& document, Detail detail) {
  const result::Quality& q = document.quality;
  const auto count = [](std::uint64_t n) { return with_commas(static_cast<std::int64_t>(n)); };
  std::vector<std::string> parts;
  if (q.damaged > 0) parts.push_back(count(q.damaged) + " damaged and lost");
  if (q.ignored > q.profiler_spans) parts.push_back(count(q.ignored - q.profiler_spans) + " ignored");
  if (q.suspect > 0) parts.push_back(count(q.suspect) + " suspect");
  if (q.gpu_events > 0 && q.gpu_events_linked < q.gpu_events) {
    parts.push_back(fixed_point(static_cast<std::int64_t>(q.gpu_events_linked * 1000 / q.gpu_events), 1) +
                    " % of GPU events linked to a launch");
  }
  const auto bad_files = std::count_if(document.inputs.begin(), document.inputs.end(),
                                       [](const result::Input& input) { return input.status != "ok"; });
  if (bad_files > 0) parts.push_back(human_count(bad_files, "file", "files") + " not used");
  if (parts.empty() && detail == Detail::kNormal) return {};
  std::string line = "Quality: " + human_count(static_cast<std::int64_t>(q.events), "event", "events") + " used";
  for (const std::string& part : parts) line += ", " + part;
  return line + " (hta info tells more)";
}

std::vector<const result::Table*> tables_for_people(const result::Document& document, const RenderOptions& options) {
  std::vector<const result::Table*> out;
  const auto add = [&](const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (const result::Table* table = document.find_table(name)) out.push_back(table);
    }
  };
  if (!options.tables.empty()) {
    add(options.tables);
    return out;
  }
  if (!document.shown.empty()) add(document.shown);
  else if (!document.tables.empty()) out.push_back(&document.tables.front());
  // The heading says already what is not there.
  if (!document.heading.empty()) std::erase_if(out, [](const result::Table* table) { return table->rows() == 0; });
  return out;
}

void render(const result::Document& document, const RenderOptions& options, Out& out) {
  const bool for_people = options.format == Format::kTable || options.format == Format::kMarkdown;
  if (for_people && document.command == "summary" && options.tables.empty())
    return render_summary(document, options, out);
  switch (options.format) {
    case Format::kTable: return render_terminal(document, options, out);
    case Format::kMarkdown: return render_markdown(document, options, out);
    case Format::kJson: return render_json(document, options.tables, out);
    case Format::kCsv: {
      const result::Table* table = options.tables.empty() ? nullptr : document.find_table(options.tables.front());
      if (table == nullptr && !document.tables.empty()) table = &document.tables.front();
      if (table != nullptr) render_csv(*table, out);
      return;
    }
  }
}

}  // namespace hta::report
