#include "hta/analysis/memory.h"
#include "hta/analysis/registry.h"
#include "hta/cli/command.h"

#include "check.h"
#include "info.h"
#include "memory.h"
#include "report.h"
#include "run_analysis.h"
#include "schema.h"
#include "summary.h"

namespace hta::cli {
namespace {

// Every analysis is a command; the rest stand here, one line each.
std::vector<Command> make_commands() {
  std::vector<Command> all;
  all.push_back(summary_command());
  for (const analysis::AnalysisSpec* spec : analysis::registry()) {
    const auto run = spec == &analysis::kMemory ? &run_memory_command : &run_analysis_command;
    const Paths paths = spec->runs == analysis::Runs::kTwo ? Paths::kTwoRuns : Paths::kOneRun;
    all.push_back({spec->name, spec->summary, spec->details, paths, spec->tables, spec->options, spec, run});
  }
  all.push_back(check_command());
  all.push_back(report_command());
  all.push_back(rules_command());
  all.push_back(info_command());
  all.push_back(schema_command());
  return all;
}

}  // namespace

std::span<const Command> commands() {
  static const std::vector<Command> kAll = make_commands();
  return kAll;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

}  // namespace hta::cli
