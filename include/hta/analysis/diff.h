#pragma once
// What changed between two runs, and does a run keep its budget?

#include "hta/analysis/analysis.h"
#include "hta/analysis/diff/comparison.h"
#include "hta/analysis/diff/gates.h"
#include "hta/analysis/diff/profile.h"

#include <array>

namespace hta::analysis {

extern const AnalysisSpec kDiff;

namespace diff {

/// Options that diff and check share.
inline constexpr std::array kCompareOptions{
    OptionSpec{"fail-on", OptionKind::kTextList, "", "EXPR",
               "gate: exit with 1 when it is true, e.g. 'step_time>5%' (repeatable)", ""},
    OptionSpec{"junit", OptionKind::kText, "", "FILE", "also write the gates as JUnit XML", ""},
    OptionSpec{"names", OptionKind::kChoice, "auto", "RULE",
               "match kernel names: auto (normal forms where full names differ), exact, normal", "auto|exact|normal"},
    OptionSpec{"min-us", OptionKind::kTime, "1", "US", "smaller changes of a kernel or operator are none", ""},
    OptionSpec{"min-pct", OptionKind::kDecimal, "2", "PCT", "smaller changes of a kernel or operator are none", ""},
    OptionSpec{"alpha", OptionKind::kDecimal, "0.05", "P", "p-value below which a change is no chance", ""},
    OptionSpec{"min-effect", OptionKind::kDecimal, "1", "PCT", "smaller changes of a median are none", ""},
    OptionSpec{"kernel-gap", OptionKind::kTime, "30", "US", "shorter gaps count as kernel waits", ""},
};
inline constexpr std::int64_t kDefaultMinSteps = 5;
/// Tables of check.
extern const std::span<const result::TableSpec> kCheckTables;

/// The gates of --fail-on; kUsage with the column of the first fault.
Result<std::vector<Gate>> parse_gates(std::span<const std::string> expressions, GateScale scale);

Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document);

/// Two runs of ranks sorted by side to their profiles, cut in the same way. kInsufficient if a side has no samples.
struct ProfilePair {
  RunProfile base;
  RunProfile test;
  Sampling sampling = Sampling::kSteps;
};
Result<ProfilePair> profile_both(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document);

/// kInsufficient if only one side has GPU events: then the other recorded nothing, which is no improvement.
Status check_comparable(const RunProfile& base, const RunProfile& test);

/// `run` against gates: its own values, or (`base` given) its changes. Fills table, findings, heading and verdict.
void check_gates(const RunProfile& run, const RunProfile* base, std::span<const Gate> gates,
                 const CompareOptions& compare, std::int64_t min_steps, result::Document& document);

}  // namespace diff
}  // namespace hta::analysis
