#pragma once
// The analyses that a digest is made of, run together: what summary and report share.

#include "hta/report/digest.h"

#include <array>

#include "run_analysis.h"

namespace hta::cli {

inline constexpr std::array kRulesOptions{
    analysis::OptionSpec{"rules", analysis::OptionKind::kText, "", "FILE",
                         "thresholds of your own (JSON; hta rules lists them)", ""},
};

/// The rules with the thresholds of --rules.
Result<report::RuleBook> rule_book(const analysis::Options& options);

/// An analysis with its default options.
Job default_job(const analysis::AnalysisSpec& spec, const Invocation& invocation);

/// Every analysis of the digest.
std::vector<Job> digest_jobs(const Invocation& invocation);

/// The digest of the answers; `analysed` may hold answers of further analyses.
result::Document digest_of(const Analysed& analysed, const Invocation& invocation, const report::RuleBook& rules);

}  // namespace hta::cli
