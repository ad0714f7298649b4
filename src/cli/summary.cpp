#include "summary.h"

#include "hta/analysis/diff.h"

#include "baseline_file.h"
#include "digest_run.h"

namespace hta::cli {
namespace {

using analysis::OptionKind;
using analysis::OptionSpec;

constexpr std::array kBaselineOptions{
    OptionSpec{"save-baseline", OptionKind::kText, "", "FILE",
               "write what later runs are compared with (hta check --baseline FILE)", ""},
};
constexpr std::array kSummaryOptions = analysis::join(kRulesOptions, kBaselineOptions);

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
  result::Document document = digest_of(*analysed, invocation, *rules);
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
