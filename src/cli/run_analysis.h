#pragma once
// Loads the files once and runs one or several analyses over them.

#include "hta/cli/command.h"

#include <vector>

namespace hta::cli {

struct Job {
  const analysis::AnalysisSpec* spec = nullptr;
  analysis::Options options;
};

struct Analysed {
  std::vector<input::Run> runs;             ///< one, or base and test
  std::vector<result::Document> documents;  ///< one per job, with inputs, quality and notes filled in
  bool lost_data = false;
};

/// The files of one run, and which it is when two are compared.
struct RunPaths {
  std::vector<std::string> paths;
  analysis::Side side = analysis::Side::kOnly;
};

struct MappedRuns {
  std::vector<input::Run> runs;
  std::vector<std::vector<analysis::RankPartial>> partials;  ///< of each job, by run, then rank
  bool lost_data = false;
};

/// Maps every job over every rank, in one pass over the files of each run.
Result<MappedRuns> map_runs(const std::vector<RunPaths>& runs, const std::vector<Job>& jobs,
                            const CommonOptions& common);

/// Combines the partials of `jobs`, which map_runs made.
Result<Analysed> combine_runs(MappedRuns mapped, const std::vector<Job>& jobs);

/// Maps, then combines.
Result<Analysed> analyse(const std::vector<Job>& jobs, const CommonOptions& common, Paths paths);

/// The command that is one analysis.
ExitStatus run_analysis_command(const Command& command, Invocation& invocation);

/// Fills inputs, quality and notes of a document from what was read.
void describe_inputs(const std::vector<input::Run>& runs, result::Document& document);

/// The paths as they stand in a suggested command, each after a blank.
std::string paths_text(const CommonOptions& common);
/// Makes "hta idle PATH" of a suggested "idle".
void complete_next(const CommonOptions& common, result::Document& document);
/// Notes that matter, on standard error; all with -v.
void warn_of_notes(const CommonOptions& common, const result::Document& document);

/// Writes the document as the options ask, prints notes on standard error, and says with what status to exit.
ExitStatus deliver(const Command& command, const CommonOptions& common, const analysis::Options& options,
                   result::Document& document, bool lost_data);

}  // namespace hta::cli
