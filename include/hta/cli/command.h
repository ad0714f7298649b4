#pragma once
// What a command is, and the values of the options that all commands share.

#include "hta/analysis/analysis.h"
#include "hta/base/int_ranges.h"
#include "hta/base/result.h"
#include "hta/input/run.h"
#include "hta/report/render.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hta::cli {

enum class ExitStatus : int { kDone = 0, kFailed = 1, kUsage = 2, kUnusable = 3, kLossy = 4 };

enum class ColorMode : std::uint8_t { kAuto, kAlways, kNever };

/// Options that mean the same for every command.
struct CommonOptions {
  std::vector<std::string> paths;
  std::optional<report::Format> format;
  std::string output;
  std::string output_dir;
  std::vector<std::string> tables;
  IntRanges ranks;
  GpuFilter filter;
  std::optional<std::int64_t> top;
  std::string sort;
  std::size_t threads = 0;
  ColorMode color = ColorMode::kAuto;
  bool quiet = false;
  bool verbose = false;
  bool strict = false;
  bool no_progress = false;
  input::Recursive recursive = input::Recursive::kNo;
  input::RankFrom rank_from = input::RankFrom::kAuto;
  std::map<std::string, std::int64_t> assigned_ranks;
  std::shared_ptr<const KernelRules> kernel_rules;
  std::optional<Nanos> max_event_dur_ns;
  input::ScanLimits scan_limits;
  input::LoadLimits load_limits;

  /// The format that counts: -f, else the extension of the output file, else a table.
  report::Format effective_format() const;
};

/// One parsed call.
struct Invocation {
  CommonOptions common;
  analysis::Options options;
};

enum class Paths : std::uint8_t { kNone, kOneRun, kTwoRuns };

/// A row of the command table.
struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view details;
  Paths paths = Paths::kOneRun;
  std::span<const result::TableSpec> tables;
  std::span<const analysis::OptionSpec> options;
  const analysis::AnalysisSpec* analysis = nullptr;  ///< for commands that are one analysis
  ExitStatus (*run)(const Command&, Invocation&) = nullptr;
};

/// All commands in the order of the help.
std::span<const Command> commands();
const Command* find_command(std::string_view name);

/// Prints `hta: error: ...` and returns the status that belongs to the error's code.
ExitStatus fail(const Error& error);
/// Prints one line on standard error unless -q.
void warn(const CommonOptions& common, std::string_view message);

}  // namespace hta::cli
