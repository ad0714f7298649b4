#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hta/base/text.h"
#include "run_analysis.h"

namespace hta::cli {
namespace {

namespace fs = std::filesystem;

std::string error_text() { return std::strerror(errno); }

// Writes all, or says why not. A closed pipe is no error: the reader has seen enough.
enum class Written : std::uint8_t { kAll, kClosed, kFailed };
Written write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EPIPE ? Written::kClosed : Written::kFailed;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return Written::kAll;
}

// Calls `fill` with an Out to standard output, or to a temporary file that becomes `path` when all is written.
template <class Fill>
Status write_result(const std::string& path, Fill fill) {
  Written state = Written::kAll;
  int fd = STDOUT_FILENO;
  std::string temporary;
  if (!path.empty()) {
    temporary = path + ".XXXXXX";
    fd = mkstemp(temporary.data());
    if (fd < 0) return Error{ErrorCode::kOutput, path, "cannot be written: " + error_text(), {}};
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
  }
  {
    report::Out out([&](std::string_view bytes) {
      if (state == Written::kAll) state = write_all(fd, bytes);
    });
    fill(out);
  }
  const std::string problem = state == Written::kFailed ? error_text() : "";
  if (path.empty()) {
    if (state == Written::kFailed) return Error{ErrorCode::kOutput, "", "standard output cannot be written: " + problem, {}};
    return {};
  }
  const bool closed = ::close(fd) == 0;
  if (state != Written::kAll || !closed || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const std::string why = problem.empty() ? error_text() : problem;
    unlink(temporary.c_str());
    return Error{ErrorCode::kOutput, path, "cannot be written: " + why, {}};
  }
  return {};
}

bool is_input(const std::string& target, const result::Document& document) {
  std::error_code error;
  return std::any_of(document.inputs.begin(), document.inputs.end(), [&](const result::Input& input) {
    return fs::equivalent(target, input.path, error);
  });
}

bool on_terminal() { return isatty(STDOUT_FILENO) != 0; }

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

Status sort_tables(const CommonOptions& common, result::Document& document) {
  if (common.sort.empty()) return {};
  bool found = false;
  std::vector<std::string> names;
  for (result::Table& table : document.tables) {
    if (!common.tables.empty() && std::find(common.tables.begin(), common.tables.end(), table.name()) == common.tables.end()) continue;
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

// "hta idle PATH" for a suggested "idle".
void complete_next(const CommonOptions& common, result::Document& document) {
  std::string paths;
  for (const std::string& path : common.paths) paths += " " + path;
  if (common.paths.size() > 4) paths = " " + common.paths.front() + " …";
  for (std::string& next : document.next) {
    if (!next.starts_with("hta ")) next = "hta " + next + paths;
  }
  for (result::Finding& finding : document.findings) {
    if (!finding.next.empty() && !finding.next.starts_with("hta ")) finding.next = "hta " + finding.next + paths;
  }
}

Status write_side_files(const result::Document& document) {
  for (const result::SideFile& file : document.side_files) {
    if (is_input(file.path, document)) return Error{ErrorCode::kUsage, file.path, "is an input; choose another name", {}};
    if (Status status = write_result(file.path, [&](report::Out& out) { out << file.content; }); !status) return status;
  }
  return {};
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

ExitStatus deliver(const Command& command, const CommonOptions& common, const analysis::Options& options, result::Document& document, bool lost_data) {
  if (Status status = sort_tables(common, document); !status) return fail(status.error());
  complete_next(common, document);
  const report::Format format = common.effective_format();
  if (format != report::Format::kJson) {
    for (const result::Note& note : document.notes) {
      if (note.severity != result::Severity::kInfo || common.verbose) warn(common, note.message);
    }
  }
  if (!common.output.empty() && is_input(common.output, document)) {
    return fail({ErrorCode::kUsage, common.output, "is an input; choose another name", {}});
  }
  report::RenderOptions render;
  render.format = format;
  render.color = color(common);
  const bool forced_width = std::getenv("COLUMNS") != nullptr && common.color == ColorMode::kAlways;
  render.width = common.output.empty() && (on_terminal() || forced_width) ? terminal_width() : 0;
  render.tables = common.tables;
  render.max_rows = options.top > 0 ? static_cast<std::size_t>(options.top) : 0;
  render.detail = common.verbose ? report::Detail::kVerbose : report::Detail::kNormal;
  if (!common.output_dir.empty()) {
    std::error_code error;
    fs::create_directories(common.output_dir, error);
    if (error) return fail({ErrorCode::kOutput, common.output_dir, "cannot be made: " + error.message(), {}});
    for (const result::Table& table : document.tables) {
      const std::string path = common.output_dir + "/" + std::string(command.name) + "." + table.name() + ".csv";
      if (Status status = write_result(path, [&](report::Out& out) { report::render_csv(table, out); }); !status) return fail(status.error());
    }
  } else if (Status status = write_result(common.output, [&](report::Out& out) { report::render(document, render, out); }); !status) {
    return fail(status.error());
  }
  if (Status status = write_side_files(document); !status) return fail(status.error());
  if (document.verdict == result::Verdict::kFailed) return ExitStatus::kFailed;
  if (document.verdict == result::Verdict::kInsufficient) return ExitStatus::kUnusable;
  return lost_data && common.strict ? ExitStatus::kLossy : ExitStatus::kDone;
}

}  // namespace hta::cli
