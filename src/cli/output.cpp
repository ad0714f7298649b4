#include "hta/base/text.h"
#include "hta/report/junit.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sys/ioctl.h>
#include <unistd.h>

#include "files.h"
#include "run_analysis.h"
#include <fmt/format.h>

namespace hta::cli {
namespace {

namespace fs = std::filesystem;

bool on_terminal() {
  return isatty(STDOUT_FILENO) != 0;
}

std::size_t terminal_width() {
  if (const char* columns = std::getenv("COLUMNS")) {
    if (const auto width = parse_integer(columns); width && *width > 20) return static_cast<std::size_t>(*width);
  }
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20) return size.ws_col;
  return 80;
}

report::Color color(const CommonOptions& common) {
  if (common.color == ColorMode::kAlways) return report::Color::kYes;
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool dumb = term != nullptr && std::string_view(term) == "dumb";
  const bool automatic = common.output.empty() && on_terminal() && (no_color == nullptr || *no_color == '\0') && !dumb;
  return common.color == ColorMode::kAuto && automatic ? report::Color::kYes : report::Color::kNo;
}

// A terminal whose locale names another character set gets no signs that it cannot show.
report::Charset charset() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* locale = std::getenv(name);
    if (locale == nullptr || *locale == '\0') continue;
    const bool utf8 = contains_ignoring_case(locale, "utf-8") || contains_ignoring_case(locale, "utf8");
    return utf8 ? report::Charset::kUnicode : report::Charset::kAscii;
  }
  return report::Charset::kUnicode;
}

Status sort_tables(const CommonOptions& common, result::Document& document) {
  if (common.sort.empty()) return {};
  bool found = false;
  std::vector<std::string> names;
  for (result::Table& table : document.tables) {
    if (!common.tables.empty() &&
        std::find(common.tables.begin(), common.tables.end(), table.name()) == common.tables.end())
      continue;
    for (const auto& column : table.columns()) names.push_back(column.name);
    const auto column = table.find_column(common.sort);
    if (!column) continue;
    found = true;
    const result::CellType type = table.columns()[*column].type;
    const bool ascending = type == result::CellType::kText || type == result::CellType::kRank;
    table.sort(*column, ascending ? result::Direction::kAscending : result::Direction::kDescending);
  }
  if (found) return {};
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::string message = "--sort: no column '" + common.sort + "' in the tables";
  if (const auto guess = nearest(common.sort, views)) message += "; did you mean " + *guess + "?";
  return Error{ErrorCode::kUsage, "", message, {}};
}

}  // namespace

ExitStatus fail(const Error& error) {
  fmt::print(stderr, "hta: error: {}\n", error.text());
  switch (error.code) {
    case ErrorCode::kUsage: return ExitStatus::kUsage;
    case ErrorCode::kInput:
    case ErrorCode::kInsufficient:
    case ErrorCode::kOutput: return ExitStatus::kUnusable;
  }
  return ExitStatus::kUnusable;
}

void warn(const CommonOptions& common, std::string_view message) {
  if (!common.quiet) fmt::print(stderr, "hta: warning: {}\n", message);
}

std::string paths_text(const CommonOptions& common) {
  if (common.paths.size() > 4) return " " + common.paths.front() + " …";
  std::string text;
  for (const std::string& path : common.paths) text += " " + path;
  return text;
}

void complete_next(const CommonOptions& common, result::Document& document) {
  const std::string paths = paths_text(common);
  for (std::string& next : document.next) {
    if (!next.starts_with("hta ")) next = "hta " + next + paths;
  }
  for (result::Finding& finding : document.findings) {
    if (!finding.next.empty() && !finding.next.starts_with("hta ")) finding.next = "hta " + finding.next + paths;
  }
}

void warn_of_notes(const CommonOptions& common, const result::Document& document) {
  for (const result::Note& note : document.notes) {
    if (note.severity != result::Severity::kInfo || common.verbose) warn(common, note.message);
  }
}

ExitStatus deliver(const Command& command, const CommonOptions& common, const analysis::Options& options,
                   result::Document& document, bool lost_data) {
  if (Status status = sort_tables(common, document); !status) return fail(status.error());
  complete_next(common, document);
  const report::Format format = common.effective_format();
  if (format != report::Format::kJson) warn_of_notes(common, document);
  if (!common.output.empty() && is_input(common.output, document)) {
    return fail({ErrorCode::kUsage, common.output, "is an input; choose another name", {}});
  }
  report::RenderOptions render;
  render.format = format;
  render.color = color(common);
  const bool forced_width = std::getenv("COLUMNS") != nullptr && common.color == ColorMode::kAlways;
  render.width = common.output.empty() && (on_terminal() || forced_width) ? terminal_width() : 0;
  if (render.width > 0) render.charset = charset();
  render.tables = common.tables;
  render.max_rows = options.top > 0 ? static_cast<std::size_t>(options.top) : 0;
  render.detail = common.verbose ? report::Detail::kVerbose : report::Detail::kNormal;
  render.order = common.sort.empty() ? report::RowOrder::kTables : report::RowOrder::kChosen;
  if (!common.output_dir.empty()) {
    std::error_code error;
    fs::create_directories(common.output_dir, error);
    if (error) return fail({ErrorCode::kOutput, common.output_dir, "cannot be made: " + error.message(), {}});
    for (const result::Table& table : document.tables) {
      const std::string path = common.output_dir + "/" + std::string(command.name) + "." + table.name() + ".csv";
      if (Status status = write_file(path,
                                     [&](report::Out& out) {
                                       report::render_csv(table, out);
                                       return Status();
                                     });
          !status)
        return fail(status.error());
    }
  } else if (Status status = write_file(common.output,
                                        [&](report::Out& out) {
                                          report::render(document, render, out);
                                          return Status();
                                        });
             !status) {
    return fail(status.error());
  }
  if (const std::string path = options.text("junit"); !path.empty())
    document.side_files.push_back({path, report::junit(document)});
  if (Status status = write_side_files(document); !status) return fail(status.error());
  if (Status status = write_overlays(common, document); !status) return fail(status.error());
  if (document.verdict == result::Verdict::kFailed) return ExitStatus::kFailed;
  if (document.verdict == result::Verdict::kInsufficient) return ExitStatus::kUnusable;
  return lost_data && common.strict ? ExitStatus::kLossy : ExitStatus::kDone;
}

}  // namespace hta::cli
