#pragma once
// Documents to bytes.

#include "hta/report/out.h"
#include "hta/result/document.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hta::report {

enum class Format : std::uint8_t { kTable, kCsv, kJson, kMarkdown };
std::optional<Format> format_named(std::string_view name);
/// The format that a file name asks for: .csv, .json, .md; nothing for others.
std::optional<Format> format_of_file(std::string_view path);

enum class Color : std::uint8_t { kNo, kYes };
enum class Charset : std::uint8_t { kUnicode, kAscii };  ///< of bars and maps
enum class Detail : std::uint8_t { kNormal, kVerbose };
enum class RowOrder : std::uint8_t { kTables, kChosen };  ///< kChosen: tables were sorted as the user wished

struct RenderOptions {
  Format format = Format::kTable;
  Color color = Color::kNo;
  Charset charset = Charset::kUnicode;
  std::size_t width = 0;            ///< columns of the terminal; 0 = nothing is cut
  std::vector<std::string> tables;  ///< only these; empty = the usual choice of the format
  std::size_t max_rows = 0;         ///< for people: of tables with a row per event; 0 = all rows of all tables
  Detail detail = Detail::kNormal;
  RowOrder order = RowOrder::kTables;
};

/// Writes the whole document in one format. CSV writes one table: the first of `tables`, else the document's first.
void render(const result::Document& document, const RenderOptions& options, Out& out);

void render_csv(const result::Table& table, Out& out);
void render_json(const result::Document& document, const std::vector<std::string>& tables, Out& out);
void render_markdown(const result::Document& document, const RenderOptions& options, Out& out);
/// The report of `hta summary`, in the order in which people ask: main finding, kernels, bottleneck, what to do.
void render_summary(const result::Document& document, const RenderOptions& options, Out& out);
void render_terminal(const result::Document& document, const RenderOptions& options, Out& out);

/// A cell for people: times with a fitting unit, thousands separated, a dash for nothing.
std::string human_cell(const result::Table& table, std::size_t row, std::size_t column);
/// A column's heading for people: `span_us` becomes `span`, `idle_pct` becomes `idle %`.
std::string human_heading(const result::Table::Column& column);
/// "1 damaged, 2 ignored ..." or empty if there is nothing to say.
std::string quality_line(const result::Document& document, Detail detail);
/// Tables that a person sees, in order; empty ones only where they were asked for or no heading speaks for them.
std::vector<const result::Table*> tables_for_people(const result::Document& document, const RenderOptions& options);
/// A kernel name for people: demangled, without return type, argument lists, lambdas and the namespaces that tell
/// nothing. What is no C++ name stays as it is.
std::string readable_kernel_name(std::string_view name);

}  // namespace hta::report
