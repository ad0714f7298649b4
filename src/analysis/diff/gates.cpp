// Gates against numbers: what is measured, whether it fails, and what caused it.

#include "hta/analysis/diff/gates.h"

#include "hta/analysis/diff/per_step.h"
#include "hta/base/exact.h"
#include "hta/base/human.h"
#include "hta/base/text.h"

#include <algorithm>
#include <cstdlib>

namespace hta::analysis::diff {
namespace {

constexpr std::size_t kCausesNamed = 3;

/// Something that adds to what a gate measures.
struct Cause {
  std::string name;
  Pair value;
};

/// What a gate looks at: both runs' values and what they are made of.
struct Measured {
  bool found = false;  // a row matches, or it is a metric
  Pair value;          // ns, or hundredths of calls
  std::vector<Cause> causes;

  void add(std::string name, Pair pair) {
    found = true;
    value.base += pair.base;
    value.test += pair.test;
    causes.push_back({std::move(name), pair});
  }
};

// Kernels that own time of these components, and idle time by its cause.
void add_components(const Comparison& comparison, std::size_t first, std::size_t end, std::vector<Cause>& causes) {
  for (const OwnedRow& row : comparison.owned) {
    const auto component = static_cast<std::size_t>(row.component);
    if (component < first || component >= end) continue;
    causes.push_back({std::string(component_phrase(row.component)) + " by " + short_name(row.name), row.time_ns});
  }
  for (std::size_t c = std::max(first, kBusyComponents); c < end; ++c) {
    const auto component = static_cast<Component>(c);
    causes.push_back({std::string(component_phrase(component)), comparison.metrics[c + 1].time_ns});
  }
}

Measured measure_metric(const Comparison& comparison, Metric metric) {
  Measured out;
  out.found = true;
  out.value = comparison[metric].time_ns;
  switch (metric) {
    case Metric::kStepTime: add_components(comparison, 0, kComponents, out.causes); break;
    case Metric::kGpuBusy: add_components(comparison, 0, kBusyComponents, out.causes); break;
    case Metric::kIdle: add_components(comparison, kBusyComponents, kComponents, out.causes); break;
    case Metric::kKernelTime:
      for (const KernelRow& row : comparison.kernels) out.causes.push_back({short_name(row.name), row.time_ns});
      break;
    default: {
      const std::size_t component = static_cast<std::size_t>(metric) - 1;
      add_components(comparison, component, component + 1, out.causes);
    }
  }
  return out;
}

Measured measure(const Gate& gate, const Comparison& comparison) {
  Measured out;
  switch (gate.subject) {
    case Subject::kMetric: return measure_metric(comparison, gate.metric);
    case Subject::kKernel:
    case Subject::kCount:
      for (const KernelRow& row : comparison.kernels) {
        if (glob_matches(gate.glob, row.name))
          out.add(short_name(row.name), gate.subject == Subject::kCount ? row.count : row.time_ns);
      }
      break;
    case Subject::kOp:
      for (const OpRow& row : comparison.ops) {
        if (glob_matches(gate.glob, row.name)) out.add(row.name, row.time_ns);
      }
      break;
  }
  return out;
}

/// What stands on the left of the comparison, in hundredths (calls, per cent) or ns.
struct Compared {
  bool infinite = false;
  bool defined = true;  // false: a share of nothing
  std::int64_t value = 0;
};

Compared compared_value(const Gate& gate, const Measured& measured, const Comparison& comparison, GateScale scale) {
  const std::int64_t value = scale == GateScale::kChange ? measured.value.change() : measured.value.test;
  if (gate.unit != Gate::Unit::kPercent) return {false, true, value};
  const std::int64_t whole =
      scale == GateScale::kChange ? measured.value.base : comparison[Metric::kStepTime].time_ns.test;
  if (const auto share = percent(value, whole)) return {false, true, *share};
  if (scale == GateScale::kValue) return {false, false, 0};
  return {value > 0, true, 0};
}

bool is_true(const Gate& gate, const Compared& left) {
  Int128 power = 1;
  for (int i = 0; i < gate.decimals; ++i) power *= 10;
  const Int128 a = left.infinite ? 1 : Int128{left.value} * power;
  const Int128 b = left.infinite ? 0 : Int128{gate.number} * (gate.unit == Gate::Unit::kTime ? gate.unit_ns : 100);
  switch (gate.comparison) {
    case Gate::Operator::kGreater: return a > b;
    case Gate::Operator::kGreaterEqual: return a >= b;
    case Gate::Operator::kLess: return a < b;
    case Gate::Operator::kLessEqual: return a <= b;
  }
  return false;
}

std::string plain(std::int64_t value, bool calls) {
  return fixed_point(value, calls ? 2 : 3);
}

std::string human(std::int64_t value, bool calls) {
  return calls ? fixed_point(value, 2) + " calls" : human_time(value);
}

std::string with_sign(std::int64_t value, const std::string& text) {
  return value > 0 ? "+" + text : text;
}

// The largest causes of what the gate complains about: in the direction in which it fails.
std::string causes_text(const Gate& gate, const Measured& measured, GateScale scale) {
  const bool calls = gate.subject == Subject::kCount;
  const bool too_much = gate.comparison == Gate::Operator::kGreater || gate.comparison == Gate::Operator::kGreaterEqual;
  const auto size = [&](const Cause& cause) {
    const std::int64_t value = scale == GateScale::kChange ? cause.value.change() : cause.value.test;
    return too_much || scale == GateScale::kValue ? value : -value;
  };
  std::vector<const Cause*> causes;
  for (const Cause& cause : measured.causes) {
    if (size(cause) > 0) causes.push_back(&cause);
  }
  std::sort(causes.begin(), causes.end(), [&](const Cause* a, const Cause* b) {
    return size(*a) != size(*b) ? size(*a) > size(*b) : a->name < b->name;
  });
  if (causes.size() > kCausesNamed) causes.resize(kCausesNamed);
  std::string text;
  for (const Cause* cause : causes) {
    text += text.empty() ? (scale == GateScale::kChange ? " Largest causes: " : " Largest parts: ") : "; ";
    text += cause->name + " ";
    if (scale == GateScale::kChange) {
      text += with_sign(cause->value.change(), human(cause->value.change(), calls)) + " (" +
              human(cause->value.base, calls) + " to " + human(cause->value.test, calls) + ")";
    } else {
      text += human(cause->value.test, calls);
    }
  }
  return text.empty() ? text : text + ".";
}

std::string words(const JudgedGate& judged, const Measured& measured, GateScale scale) {
  const Gate& gate = judged.gate;
  const bool calls = gate.subject == Subject::kCount;
  std::string text;
  if (scale == GateScale::kChange) {
    text = human(measured.value.base, calls) + " to " + human(measured.value.test, calls) + " per step, ";
    if (gate.unit != Gate::Unit::kPercent)
      text += with_sign(measured.value.change(), human(measured.value.change(), calls));
    else if (judged.measured == "inf") text += "up from nothing";
    else text += with_sign(measured.value.change(), judged.measured);
  } else {
    text = human(measured.value.test, calls) + " per step";
    if (gate.unit == Gate::Unit::kPercent) text += ", " + judged.measured + " of the step";
  }
  switch (judged.outcome) {
    case result::GateOutcome::kPass: return text + ", which is not " + gate.limit + ".";
    case result::GateOutcome::kNoise:
      return text + ", which is " + gate.limit + ", but no more than noise between steps.";
    case result::GateOutcome::kFail:
      return text + ", which is " + gate.limit + "." + causes_text(gate, measured, scale);
    case result::GateOutcome::kInsufficient: break;
  }
  return text;
}

std::string too_few_steps(Pair steps, GateScale scale, std::int64_t min_steps) {
  std::string text = "not decided: ";
  if (scale == GateScale::kChange)
    text += std::to_string(steps.base) + " steps of BASE and " + std::to_string(steps.test) + " of TEST";
  else text += "the run has " + human_count(steps.test, "step", "steps");
  return text + ", at least " + std::to_string(min_steps) + " are wanted (--min-steps).";
}

JudgedGate judge(const Gate& gate, const Comparison& comparison, GateScale scale, std::int64_t min_steps) {
  const Measured measured = measure(gate, comparison);
  JudgedGate out{gate, result::GateOutcome::kInsufficient, {}, {}, {}, {}};
  if (!measured.found) {
    out.sentence = "not decided: no row matches.";
    return out;
  }
  if (comparison.kernels.empty() && gate.subject == Subject::kMetric && gate.metric != Metric::kStepTime) {
    out.sentence = "not decided: no GPU events were recorded.";
    return out;
  }
  const bool calls = gate.subject == Subject::kCount;
  const Compared left = compared_value(gate, measured, comparison, scale);
  out.base = plain(measured.value.base, calls);
  out.test = plain(measured.value.test, calls);
  if (!left.defined) {
    out.sentence = "not decided: the steps have no length.";
    return out;
  }
  if (left.infinite) out.measured = "inf";
  else if (gate.unit == Gate::Unit::kPercent) out.measured = fixed_point(left.value, 2) + "%";
  else out.measured = plain(left.value, calls);

  const Pair steps = comparison[Metric::kStepTime].steps;
  if (steps.test < min_steps || (scale == GateScale::kChange && steps.base < min_steps)) {
    out.sentence = too_few_steps(steps, scale, min_steps);
    return out;
  }
  const bool no_more_than_noise = scale == GateScale::kChange && gate.subject == Subject::kMetric &&
                                  comparison[gate.metric].noise.verdict == Verdict::kUnchanged;
  if (!is_true(gate, left)) out.outcome = result::GateOutcome::kPass;
  else out.outcome = no_more_than_noise ? result::GateOutcome::kNoise : result::GateOutcome::kFail;
  out.sentence = words(out, measured, scale);
  return out;
}

}  // namespace

std::string tally(std::span<const JudgedGate> gates) {
  const auto count = [&](result::GateOutcome outcome) {
    return std::count_if(gates.begin(), gates.end(), [&](const JudgedGate& gate) { return gate.outcome == outcome; });
  };
  const auto noise = count(result::GateOutcome::kNoise);
  std::string text = human_count(std::ssize(gates), "gate", "gates") + ": " +
                     std::to_string(count(result::GateOutcome::kPass) + noise) + " passed";
  if (noise > 0) text += " (" + std::to_string(noise) + " because the change is noise)";
  return text + ", " + std::to_string(count(result::GateOutcome::kFail)) + " failed, " +
         std::to_string(count(result::GateOutcome::kInsufficient)) + " not decided.";
}

std::vector<JudgedGate> judge_gates(std::span<const Gate> gates, const Comparison& comparison, GateScale scale,
                                    std::int64_t min_steps) {
  std::vector<JudgedGate> out;
  for (const Gate& gate : gates) out.push_back(judge(gate, comparison, scale, min_steps));
  return out;
}

result::Verdict overall_verdict(std::span<const JudgedGate> gates) {
  if (gates.empty()) return result::Verdict::kNone;
  const auto any = [&](result::GateOutcome outcome) {
    return std::any_of(gates.begin(), gates.end(), [&](const JudgedGate& gate) { return gate.outcome == outcome; });
  };
  if (any(result::GateOutcome::kFail)) return result::Verdict::kFailed;
  return any(result::GateOutcome::kInsufficient) ? result::Verdict::kInsufficient : result::Verdict::kPassed;
}

void report_gates(std::span<const JudgedGate> gates, result::Document& document) {
  using result::GateOutcome;
  for (const JudgedGate& gate : gates) {
    document.gates.push_back({gate.gate.text, gate.outcome, gate.sentence, gate.gate.why});
    if (gate.outcome != GateOutcome::kFail && gate.outcome != GateOutcome::kInsufficient) continue;
    const bool failed = gate.outcome == GateOutcome::kFail;
    result::Finding finding;
    finding.id = failed ? "gate-failed" : "gate-insufficient";
    finding.severity = failed ? result::Severity::kCritical : result::Severity::kWarning;
    finding.title = (failed ? "gate failed: " : "gate ") + gate.gate.text + ": " + gate.sentence;
    if (!gate.gate.why.empty()) finding.title += " Why it is there: " + gate.gate.why;
    finding.evidence.push_back(result::Measure::of_text("gate", gate.gate.text));
    if (!gate.measured.empty()) finding.evidence.push_back(result::Measure::of_text("value", gate.measured));
    finding.threshold.push_back(result::Measure::of_text("limit", gate.gate.limit));
    document.findings.push_back(std::move(finding));
  }
  const result::Verdict verdict = overall_verdict(gates);
  if (verdict != result::Verdict::kNone) document.verdict = verdict;
}

}  // namespace hta::analysis::diff
