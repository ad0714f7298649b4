#include "digest_run.h"

#include "hta/analysis/registry.h"

#include <fstream>
#include <iterator>

namespace hta::cli {

using analysis::OptionKind;
using analysis::OptionSpec;

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

std::vector<Job> digest_jobs(const Invocation& invocation) {
  std::vector<Job> jobs;
  for (const std::string_view name : report::digest_analyses()) {
    const analysis::AnalysisSpec* spec = analysis::find_analysis(name);
    if (spec == nullptr) continue;
    jobs.push_back(default_job(*spec, invocation));
  }
  return jobs;
}

result::Document digest_of(const Analysed& analysed, const Invocation& invocation, const report::RuleBook& rules) {
  report::DigestInput input;
  input.answers = analysed.documents;
  input.top = invocation.options.top;
  for (const input::RunInput& rank : analysed.runs.front().inputs) {
    if (!rank.selected) continue;
    for (const auto& [category, count] : rank.kept_by_category) input.events_by_category[category] += count;
  }
  return report::digest(input, rules);
}

}  // namespace hta::cli
