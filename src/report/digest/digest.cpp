#include "hta/report/digest.h"

#include "hta/base/exact.h"
#include "hta/base/human.h"
#include "hta/base/text.h"

#include <algorithm>
#include <array>

#include "measures.h"

namespace hta::report {
namespace {

using result::CellType;
using result::ColumnSpec;
using result::Finding;
using result::Measure;
using result::Severity;

constexpr std::array<std::string_view, 8> kAnalyses{"breakdown", "idle",  "overlap",    "launch",
                                                    "counters",  "steps", "stragglers", "memory"};

constexpr std::array kFindingColumns{
    ColumnSpec{"severity", CellType::kText}, ColumnSpec{"id", CellType::kText},
    ColumnSpec{"title", CellType::kText},    ColumnSpec{"recommendation", CellType::kText},
    ColumnSpec{"next", CellType::kText},
};
constexpr std::array kTopColumns{
    ColumnSpec{"pct", CellType::kPercent},  ColumnSpec{"calls", CellType::kInteger},
    ColumnSpec{"mean_us", CellType::kTime}, ColumnSpec{"kernel_type", CellType::kText},
    ColumnSpec{"name", CellType::kText},
};
constexpr std::array kLoadColumns{ColumnSpec{"category", CellType::kText}, ColumnSpec{"events", CellType::kInteger}};
constexpr std::array kMeasureColumns{ColumnSpec{"measure", CellType::kText}, ColumnSpec{"value", CellType::kNumberText},
                                     ColumnSpec{"unit", CellType::kText}, ColumnSpec{"subject", CellType::kText}};
constexpr std::array kTables{
    result::TableSpec{"findings", "What is wrong, and what to do", kFindingColumns},
    result::TableSpec{"top_kernels", "Top GPU kernels by time, all ranks together", kTopColumns},
    result::TableSpec{"load", "Events by category", kLoadColumns},
    result::TableSpec{"measures", "What the rules looked at", kMeasureColumns},
};

constexpr std::int64_t kShareThatBinds = 10 * 100;  // hundredths of a per cent of GPU time
constexpr std::int64_t kComputeThatBinds = 80 * 100;
constexpr std::int64_t kKernelThatBinds = 50 * 100;

bool passes(std::optional<std::int64_t> value, Compare compare, std::int64_t threshold) {
  return value && (compare == Compare::kAbove ? *value > threshold : *value < threshold);
}

std::optional<std::int64_t> value_of(const Measures& measures, std::string_view name) {
  const auto at = measures.find(name);
  return at == measures.end() ? std::nullopt : at->second.value;
}

// "{idle_pct} % ... {x:subject}" with the values put in.
std::string filled(std::string_view text, const Measures& measures) {
  std::string out;
  while (true) {
    const std::size_t open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) return out;
    const std::size_t close = text.find('}', open);
    std::string_view name = text.substr(open + 1, close - open - 1);
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
  Finding finding;
  std::int64_t gain = 0;
};

std::optional<Judged> judge(const RuleSpec& rule, const Measures& measures) {
  const auto measured = measures.find(rule.measure);
  if (measured == measures.end() || !passes(measured->second.value, rule.compare, rule.warning)) return std::nullopt;
  if (!rule.condition_measure.empty() &&
      !passes(value_of(measures, rule.condition_measure), rule.condition, rule.condition_value))
    return std::nullopt;
  Judged out;
  Finding& finding = out.finding;
  finding.id = std::string(rule.id);
  finding.severity = rule.critical && passes(measured->second.value, rule.compare, *rule.critical) ? Severity::kCritical
                                                                                                   : rule.severity;
  finding.title = filled(rule.title, measures);
  finding.recommendation = filled(rule.recommendation, measures);
  finding.next = std::string(rule.next);
  finding.evidence.push_back(as_measure(rule.measure, measured->second));
  if (!measured->second.subject.empty())
    finding.evidence.push_back(Measure::of_text("subject", measured->second.subject));
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

// The kind of work that bounds the run; how it is chosen is written down in docs/summary.md.
struct Bottleneck {
  std::string kind = "none";
  std::string sentence;
  std::vector<Measure> evidence;
};

Bottleneck bottleneck_of(const Measures& measures) {
  const auto pct = [&](std::string_view name) { return value_of(measures, name).value_or(0); };
  const auto text = [&](std::string_view name) { return fixed_point(pct(name), 2) + " %"; };
  Bottleneck out;
  for (const std::string_view name :
       {"compute_pct", "exposed_comm_pct", "exposed_memory_pct", "idle_pct", "idle_host_wait_pct",
        "idle_kernel_wait_pct", "straggler_wait_pct", "late_ranks_wait_pct"}) {
    if (const auto at = measures.find(name); at != measures.end() && at->second.value)
      out.evidence.push_back(as_measure(name, at->second));
  }
  if (!value_of(measures, "compute_pct")) {
    out.sentence = "There are no GPU events to judge by.";
    return out;
  }
  const std::int64_t straggler = pct("straggler_wait_pct");
  const std::int64_t late = pct("late_ranks_wait_pct");
  const std::int64_t host = pct("idle_host_wait_pct") + pct("idle_kernel_wait_pct");
  const std::int64_t communication = pct("exposed_comm_pct");
  const std::int64_t memory = pct("exposed_memory_pct");
  const std::int64_t largest = std::max({host, communication, memory});
  if (straggler >= kShareThatBinds / 2 && late * 2 >= communication && late >= host) {
    out.kind = "straggler";
    out.sentence = "Waiting for " + measures.find("straggler_wait_pct")->second.subject + " takes " +
                   text("straggler_wait_pct") + " of GPU time, waiting for late ranks altogether " +
                   text("late_ranks_wait_pct") + "; exposed communication is " + text("exposed_comm_pct") + ".";
  } else if (largest >= kShareThatBinds && largest == communication) {
    out.kind = "communication";
    out.sentence = "Communication that nothing hides takes " + text("exposed_comm_pct") +
                   " of GPU time, more than waiting for the host (" + fixed_point(host, 2) + " %) or copies (" +
                   text("exposed_memory_pct") + ").";
  } else if (largest >= kShareThatBinds && largest == host) {
    out.kind = "host";
    out.sentence = "The GPUs wait for the host " + fixed_point(host, 2) + " % of the time (late launches " +
                   text("idle_host_wait_pct") + ", gaps between kernels " + text("idle_kernel_wait_pct") + ").";
  } else if (largest >= kShareThatBinds) {
    out.kind = "memory";
    out.sentence = "Copies and memsets that nothing hides take " + text("exposed_memory_pct") + " of GPU time.";
  } else if (pct("compute_pct") >= kComputeThatBinds && pct("top_kernel_pct") >= kKernelThatBinds) {
    out.kind = "compute";
    out.sentence = "The GPUs compute " + text("compute_pct") + " of the time, " + text("top_kernel_pct") +
                   " of kernel time in one kernel: " + measures.find("top_kernel_pct")->second.subject + ".";
  } else {
    out.sentence = "The GPUs compute " + text("compute_pct") + " of the time; exposed communication " +
                   text("exposed_comm_pct") + ", exposed memory " + text("exposed_memory_pct") + ", idle " +
                   text("idle_pct") + ".";
  }
  return out;
}

void add_top_kernels(const Answers& answers, std::int64_t top, result::Document& document) {
  result::Table out(kTables[1]);
  const result::Table* kernels = answers.table("breakdown", "kernels");
  if (kernels != nullptr) {
    struct Sum {
      std::int64_t calls = 0;
      Int128 dur_ns = 0;
    };
    std::map<std::pair<std::string_view, std::string_view>, Sum> sums;
    Int128 total = 0;
    const auto column = [&](std::string_view name) { return *kernels->find_column(name); };
    const std::size_t type = column("kernel_type"), name = column("name"), count = column("count"),
                      sum = column("sum_us");
    for (std::size_t row = 0; row < kernels->rows(); ++row) {
      Sum& of = sums[{kernels->text(row, name), kernels->text(row, type)}];
      of.calls += kernels->number(row, count);
      of.dur_ns += kernels->number(row, sum);
      total += kernels->number(row, sum);
    }
    using Row = std::pair<std::pair<std::string_view, std::string_view>, Sum>;
    std::vector<Row> rows(sums.begin(), sums.end());
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.second.dur_ns > b.second.dur_ns; });
    Sum rest;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Sum& of = rows[i].second;
      if (top == 0 || i < static_cast<std::size_t>(top)) {
        out.add({percent(of.dur_ns, total), of.calls, divide_half_even(of.dur_ns, of.calls), rows[i].first.second,
                 rows[i].first.first});
      } else {
        rest.calls += of.calls;
        rest.dur_ns += of.dur_ns;
      }
    }
    if (rest.calls > 0)
      out.add(
          {percent(rest.dur_ns, total), rest.calls, divide_half_even(rest.dur_ns, rest.calls), std::nullopt, "others"});
  }
  document.tables.push_back(std::move(out));
}

// What was loaded, in one sentence.
std::string load_sentence(const result::Document& document, const Answers& answers) {
  const auto kernels = [&](std::string_view column) {
    const auto total = answers.sum("breakdown", "kernels", column).value_or(0);
    return total - answers.sum("breakdown", "kernels", column, "kernel_type", "MEMORY").value_or(0);
  };
  std::size_t ranks = 0;
  for (const result::Input& input : document.inputs) ranks += input.rank ? 1u : 0u;
  return "Loaded " + std::to_string(ranks) + (ranks == 1 ? " rank, " : " ranks, ") +
         with_commas(static_cast<std::int64_t>(document.quality.events)) + " events, " + with_commas(kernels("count")) +
         " kernels with " + human_time(kernels("sum_us")) + " of kernel time.";
}

void add_load(const std::map<std::string, std::uint64_t>& events, result::Document& document) {
  std::vector<std::pair<std::string, std::uint64_t>> rows(events.begin(), events.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  result::Table table(kTables[2]);
  for (const auto& [category, count] : rows) table.add({category, count});
  document.tables.push_back(std::move(table));
}

void add_measures(const Measures& measures, result::Document& document) {
  result::Table table(kTables[3]);
  for (const auto& [name, value] : measures) {
    const std::string_view unit = value.type == CellType::kTime ? "us" : value.type == CellType::kPercent ? "%" : "";
    table.add({name,
               value.value ? result::Cell(fixed_point(*value.value, result::decimals_of(value.type)))
                           : result::Cell(std::nullopt),
               unit.empty() ? result::Cell(std::nullopt) : result::Cell(unit),
               value.subject.empty() ? result::Cell(std::nullopt) : result::Cell(value.subject)});
  }
  document.tables.push_back(std::move(table));
}

}  // namespace

std::span<const std::string_view> digest_analyses() {
  return kAnalyses;
}
std::span<const result::TableSpec> digest_tables() {
  return kTables;
}

result::Document digest(const DigestInput& input, const RuleBook& rules) {
  const Answers answers(input.answers);
  const Measures measures = measure(answers);
  result::Document out;
  out.command = "summary";
  out.inputs = answers.first().inputs;
  out.quality = answers.first().quality;
  for (const result::Document& document : input.answers) {
    for (const result::Note& note : document.notes) {
      const bool known = std::any_of(out.notes.begin(), out.notes.end(),
                                     [&](const result::Note& n) { return n.message == note.message; });
      if (!known) out.notes.push_back(note);
    }
  }

  std::vector<Judged> judged;
  std::map<std::string_view, std::vector<std::string_view>> abstained;  // what is needed -> rules
  for (const RuleBook::Entry& entry : rules.entries()) {
    if (entry.off) continue;
    if (auto found = judge(entry.spec, measures)) judged.push_back(std::move(*found));
    else if (!value_of(measures, entry.spec.measure) && !entry.spec.needs.empty())
      abstained[entry.spec.needs].push_back(entry.spec.id);
  }
  for (const auto& [needs, ids] : abstained) {
    std::string list;
    for (const std::string_view id : ids) list += (list.empty() ? "" : ", ") + std::string(id);
    out.note("not-judged", "not judged, because the traces lack " + std::string(needs) + ": " + list, Severity::kInfo);
  }
  std::stable_sort(judged.begin(), judged.end(), [](const Judged& a, const Judged& b) {
    if (a.finding.severity != b.finding.severity) return a.finding.severity > b.finding.severity;
    return a.gain > b.gain;
  });
  for (Judged& one : judged) out.findings.push_back(std::move(one.finding));

  const Bottleneck bottleneck = bottleneck_of(measures);
  result::Summary summary;
  summary.bottleneck = bottleneck.kind;
  summary.evidence = bottleneck.evidence;
  const bool wrong = !out.findings.empty() && out.findings.front().severity != Severity::kInfo;
  summary.main_finding = wrong ? out.findings.front().title + "." : "Nothing stands out. " + bottleneck.sentence;
  out.summary = summary;
  out.heading = {load_sentence(out, answers), bottleneck.sentence};

  result::Table findings(kTables[0]);
  for (const Finding& f : out.findings)
    findings.add({result::severity_name(f.severity), f.id, f.title, f.recommendation, f.next});
  out.tables.push_back(std::move(findings));
  add_top_kernels(answers, input.top, out);
  add_load(input.events_by_category, out);
  add_measures(measures, out);
  for (const Finding& f : out.findings) {
    if (std::find(out.next.begin(), out.next.end(), f.next) == out.next.end() && out.next.size() < 2)
      out.next.push_back(f.next);
  }
  if (out.next.empty()) out.next.push_back("breakdown");
  return out;
}

}  // namespace hta::report
