#include "judge.h"

#include <algorithm>
#include <map>
#include <vector>

namespace hta::report {
namespace {

using result::CellType;
using result::Finding;
using result::Measure;
using result::Severity;

bool passes(std::optional<std::int64_t> value, Compare compare, std::int64_t threshold) {
  return value && (compare == Compare::kAbove ? *value > threshold : *value < threshold);
}

// "{idle_pct} % ... {x:subject}" with the values put in.
std::string filled(std::string_view text, const Measures& measures) {
  std::string out;
  while (true) {
    const std::size_t open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) return out;
    const std::size_t close = text.find('}', open);
    const std::string_view name = text.substr(open + 1, close - open - 1);
    const std::size_t colon = name.find(':');
    const auto measure = measures.find(name.substr(0, colon));
    if (measure != measures.end())
      out += colon == std::string_view::npos ? measure_text(measure->second) : measure->second.subject;
    text.remove_prefix(close + 1);
  }
}

Measure as_measure(std::string_view name, const MeasuredValue& value) {
  return Measure::of(std::string(name), value.type, value.value.value_or(0));
}

struct Judged {
  const RuleSpec* rule;
  Finding finding;
  std::int64_t gain = 0;
  std::optional<std::int64_t> rank;
};

std::optional<Judged> apply(const RuleSpec& rule, const Measures& measures) {
  const auto measured = measures.find(rule.measure);
  if (measured == measures.end() || !passes(measured->second.value, rule.compare, rule.warning)) return std::nullopt;
  if (!rule.condition_measure.empty() &&
      !passes(value_of(measures, rule.condition_measure), Compare::kAbove, rule.condition_value))
    return std::nullopt;
  const MeasuredValue& value = measured->second;
  Judged out{&rule, {}, 0, value.rank};
  Finding& finding = out.finding;
  finding.id = std::string(rule.id);
  finding.severity =
      rule.critical && passes(value.value, rule.compare, *rule.critical) ? Severity::kCritical : rule.severity;
  finding.title = filled(rule.title, measures);
  finding.recommendation = filled(rule.recommendation, measures);
  finding.next = std::string(rule.next);
  finding.evidence.push_back(as_measure(rule.measure, value));
  if (!value.subject.empty()) finding.evidence.push_back(Measure::of_text("subject", value.subject));
  if (value.rank) finding.evidence.push_back(Measure::of("rank", CellType::kInteger, *value.rank));
  if (!rule.condition_measure.empty())
    finding.evidence.push_back(as_measure(rule.condition_measure, measures.find(rule.condition_measure)->second));
  const CellType type = measure_type(rule.measure);
  finding.threshold.push_back(Measure::of("warning", type, rule.warning));
  if (rule.critical) finding.threshold.push_back(Measure::of("critical", type, *rule.critical));
  if (const auto gain = value_of(measures, rule.gain_measure)) {
    out.gain = *gain;
    finding.gain = Measure::of("gpu_time_pct", CellType::kPercent, *gain);
    finding.gain_method = "bound";
  }
  return out;
}

void drop_covered(std::vector<Judged>& all) {
  const auto covered = [&](const Judged& one) {
    return std::any_of(all.begin(), all.end(), [&](const Judged& other) {
      return other.rule->id == one.rule->covered_by && other.rank && other.rank == one.rank;
    });
  };
  std::vector<Judged> kept;
  for (const Judged& one : all) {
    if (!covered(one)) kept.push_back(one);
  }
  all = std::move(kept);
}

}  // namespace

std::vector<std::string_view> judge(const Measures& measures, const RuleBook& rules, result::Document& document) {
  std::vector<Judged> judged;
  std::vector<std::string_view> left_out;
  std::map<std::string_view, std::string> abstained;  // what is needed -> rules
  for (const RuleBook::Entry& entry : rules.entries()) {
    if (entry.off) continue;
    if (auto found = apply(entry.spec, measures)) {
      judged.push_back(std::move(*found));
    } else if (!value_of(measures, entry.spec.measure) && !entry.spec.needs.empty()) {
      left_out.push_back(entry.spec.id);
      std::string& list = abstained[entry.spec.needs];
      list += (list.empty() ? "" : ", ") + std::string(entry.spec.id);
    }
  }
  for (const auto& [needs, list] : abstained)
    document.note("not-judged", "not judged, because the traces lack " + std::string(needs) + ": " + list,
                  Severity::kInfo);
  drop_covered(judged);
  std::stable_sort(judged.begin(), judged.end(), [](const Judged& a, const Judged& b) {
    if (a.finding.severity != b.finding.severity) return a.finding.severity > b.finding.severity;
    return a.gain > b.gain;
  });
  for (Judged& one : judged) document.findings.push_back(std::move(one.finding));
  return left_out;
}

}  // namespace hta::report
