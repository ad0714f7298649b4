#include "summary.h"

#include "hta/analysis/diff.h"
#include "hta/analysis/registry.h"
#include "hta/report/digest.h"

#include <array>
#include <fstream>
#include <iterator>

#include "baseline_file.h"
#include "run_analysis.h"

namespace hta::cli {
namespace {

using analysis::OptionKind;
using analysis::OptionSpec;

constexpr std::array kRulesOptions{
    OptionSpec{"rules", OptionKind::kText, "", "FILE", "thresholds of your own (JSON; hta rules lists them)", ""},
};
constexpr std::array kBaselineOptions{
    OptionSpec{"save-baseline", OptionKind::kText, "", "FILE",
               "write what later runs are compared with (hta check --baseline FILE)", ""},
};
constexpr std::array kSummaryOptions = analysis::join(kRulesOptions, kBaselineOptions);

Result<report::RuleBook> rule_book(const analysis::Options& options) {
  const std::string path = options.text("rules");
  if (path.empty()) return report::RuleBook();
  std::ifstream file(path);
  if (!file) return Error{ErrorCode::kUsage, path, "cannot be opened; --rules takes a JSON file", {}};
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return report::RuleBook::from_json(text, path);
}

Job default_job(const analysis::AnalysisSpec& spec, const Invocation& invocation) {
  Job job;
  job.spec = &spec;
  for (const OptionSpec& option : spec.options) {
    if (!option.default_text.empty() && option.kind != OptionKind::kTextList)
      (void)job.options.set(option, option.default_text);
  }
  job.options.paths = invocation.common.paths;
  return job;
}

// Every analysis of the digest with its default options; only tables without a row per event.
std::vector<Job> digest_jobs(const Invocation& invocation) {
  std::vector<Job> jobs;
  for (const std::string_view name : report::digest_analyses()) {
    const analysis::AnalysisSpec* spec = analysis::find_analysis(name);
    if (spec == nullptr) continue;
    jobs.push_back(default_job(*spec, invocation));
  }
  return jobs;
}

// The last job of `mapped` is the comparison's: takes it out and makes a baseline of it.
Result<std::string> take_baseline(MappedRuns& mapped) {
  std::vector<analysis::RankPartial> partials = std::move(mapped.partials.back());
  mapped.partials.pop_back();
  auto ranks = analysis::typed_partials<analysis::diff::Partial>(partials);
  const auto run = analysis::diff::profile_run(ranks, analysis::diff::Sampling::kSteps, {}, "the run");
  if (!run) return run.error();
  return baseline_text(*run);
}

ExitStatus run_summary(const Command& command, Invocation& invocation) {
  auto rules = rule_book(invocation.options);
  if (!rules) return fail(rules.error());
  const std::string baseline_path = invocation.options.text("save-baseline");
  if (!baseline_path.empty() && !invocation.common.filter.all()) {
    return fail({ErrorCode::kUsage,
                 "",
                 "--save-baseline takes the whole run; leave --step, --device, --stream and --name out",
                 {}});
  }
  std::vector<Job> jobs = digest_jobs(invocation);
  if (!baseline_path.empty()) jobs.push_back(default_job(analysis::kDiff, invocation));
  auto mapped = map_runs({{invocation.common.paths, analysis::Side::kOnly}}, jobs, invocation.common);
  if (!mapped) return fail(mapped.error());
  std::optional<result::SideFile> baseline;
  if (!baseline_path.empty()) {
    jobs.pop_back();
    auto text = take_baseline(*mapped);
    if (!text) return fail(text.error());
    baseline = {baseline_path, std::move(text).value()};
  }
  auto analysed = combine_runs(std::move(mapped).value(), jobs);
  if (!analysed) return fail(analysed.error());
  report::DigestInput input;
  input.answers = analysed->documents;
  input.top = invocation.options.top;
  for (const input::RunInput& rank : analysed->runs.front().inputs) {
    if (!rank.selected) continue;
    for (const auto& [category, count] : rank.kept_by_category) input.events_by_category[category] += count;
  }
  result::Document document = report::digest(input, *rules);
  if (baseline) document.side_files.push_back(std::move(*baseline));
  return deliver(command, invocation.common, invocation.options, document, analysed->lost_data);
}

ExitStatus run_rules(const Command& command, Invocation& invocation) {
  auto rules = rule_book(invocation.options);
  if (!rules) return fail(rules.error());
  result::Document document;
  document.command = "rules";
  document.tables.push_back(rules->table());
  return deliver(command, invocation.common, invocation.options, document, false);
}

}  // namespace

Command summary_command() {
  return {"summary",
          "what is the main problem, and what do I do next?",
          "Runs the analyses in one pass over the files, applies rules to what they measure, and says what is wrong, "
          "what bounds the run, and what to change. "
          "hta PATH alone does the same.",
          Paths::kOneRun,
          report::digest_tables(),
          kSummaryOptions,
          nullptr,
          &run_summary};
}

Command rules_command() {
  return {"rules",
          "which rules does the summary apply, and with what thresholds?",
          "Lists the rules. A file for --rules changes thresholds: {\"rules\": [{\"id\": \"host-bound\", \"warning\": "
          "15, \"critical\": 40, \"off\": false}]}, "
          "in the unit of the measure (per cent for names that end in _pct).",
          Paths::kNone,
          {},
          kRulesOptions,
          nullptr,
          &run_rules};
}

}  // namespace hta::cli
