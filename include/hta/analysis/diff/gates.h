#pragma once
// Gates: conditions under which a run must not pass.
//
//   EXPR   = METRIC OP NUMBER [UNIT]
//   METRIC = step_time, compute, ... | kernel:GLOB | op:GLOB | count:GLOB     OP = > >= < <=     UNIT = % ns us ms s

#include "hta/analysis/diff/comparison.h"
#include "hta/base/result.h"
#include "hta/result/document.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hta::analysis::diff {

/// What a gate measures.
enum class Subject : std::uint8_t {
  kMetric,
  kKernel,  ///< time of the kernels whose row matches
  kOp,      ///< inclusive time of the operators and calls whose row matches
  kCount,   ///< calls of the kernels whose row matches
};

/// A gate fails when `measured OP limit` is true.
struct Gate {
  enum class Operator : std::uint8_t { kGreater, kGreaterEqual, kLess, kLessEqual };
  enum class Unit : std::uint8_t { kNone, kPercent, kTime };

  std::string text;  ///< as given
  Subject subject = Subject::kMetric;
  Metric metric = Metric::kStepTime;  ///< of kMetric
  std::string glob;                   ///< of the others
  Operator comparison = Operator::kGreater;
  std::int64_t number = 0;  ///< limit times 10^decimals
  int decimals = 0;
  Unit unit = Unit::kNone;
  Nanos unit_ns = 1;  ///< of kTime
  std::string limit;  ///< `>5%`
  std::string why;    ///< the reason for it, if a budget gives one
};

/// What gates are compared with: changes against another run, or the run's own values.
enum class GateScale : std::uint8_t { kChange, kValue };

/// kUsage with the column (from 1, in characters) where the expression goes wrong.
Result<Gate> parse_gate(std::string_view text, GateScale scale);

/// `*` any text, `?` any one character; the whole of `text`, case counts. O(pattern x text) at worst.
bool glob_matches(std::string_view pattern, std::string_view text);

/// One gate, judged.
struct JudgedGate {
  Gate gate;
  result::GateOutcome outcome = result::GateOutcome::kInsufficient;
  std::string base;  ///< µs or calls per step; empty if no row matches
  std::string test;
  std::string measured;  ///< what is compared: µs or calls, per cent with two decimals and %, or inf
  std::string sentence;  ///< the outcome in words: value, limit and, of failed ones, the largest causes
};

/// `scale` kValue: `comparison` is of the run with itself, and its TEST side is judged. A metric whose change is noise
/// passes. `min_steps`: with fewer on a side nothing is decided.
std::vector<JudgedGate> judge_gates(std::span<const Gate> gates, const Comparison& comparison, GateScale scale,
                                    std::int64_t min_steps);

/// "4 gates: 3 passed, 1 failed, 0 not decided."
std::string tally(std::span<const JudgedGate> gates);

/// failed if any failed, else insufficient if any is, else passed; nothing without gates.
result::Verdict overall_verdict(std::span<const JudgedGate> gates);

/// Findings and outcomes for the document.
void report_gates(std::span<const JudgedGate> gates, result::Document& document);

}  // namespace hta::analysis::diff
