#include "hta/report/digest.h"

#include "hta/base/exact.h"
#include "hta/base/human.h"
#include "hta/base/text.h"

#include <algorithm>
#include <array>

#include "bottleneck.h"
#include "judge.h"
#include "measures.h"

namespace hta::report {
namespace {

using result::CellType;
using result::ColumnSpec;
using result::Finding;
using result::Severity;

constexpr std::array<std::string_view, 9> kAnalyses{"breakdown", "idle",       "overlap", "launch", "counters",
                                                    "steps",     "stragglers", "comm",    "memory"};

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

std::string left_out_sentence(const std::vector<std::string_view>& rules) {
  std::string text;
  for (const std::string_view rule : rules) text += (text.empty() ? "" : ", ") + std::string(rule);
  return "Not judged: " + text + " (-v says what the traces lack).";
}

// What the traces do not hold is told by the rules that abstain for it, and matters only to them.
constexpr std::array<std::string_view, 6> kSaidByRules{"no-gpu-events", "no-launches",      "no-links",
                                                       "no-steps",      "no-memory-events", "one-rank"};

void add_notes(std::span<const result::Document> answers, result::Document& out) {
  for (const result::Document& document : answers) {
    for (const result::Note& note : document.notes) {
      const bool known = std::any_of(out.notes.begin(), out.notes.end(),
                                     [&](const result::Note& n) { return n.message == note.message; });
      const bool said = std::find(kSaidByRules.begin(), kSaidByRules.end(), note.code) != kSaidByRules.end();
      if (!known && !said) out.notes.push_back(note);
    }
  }
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
  const auto ranks = std::count_if(document.inputs.begin(), document.inputs.end(),
                                   [](const result::Input& input) { return input.rank.has_value(); });
  return "Loaded " + human_count(ranks, "rank", "ranks") + ", " +
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
  add_notes(input.answers, out);
  const std::vector<std::string_view> left_out = judge(measures, rules, out);

  const Bottleneck bottleneck = bottleneck_of(measures);
  result::Summary summary;
  summary.bottleneck = bottleneck.kind;
  summary.evidence = bottleneck.evidence;
  const bool wrong = !out.findings.empty() && out.findings.front().severity != Severity::kInfo;
  const bool judged = value_of(measures, "compute_pct").has_value();
  summary.main_finding = wrong    ? out.findings.front().title + "."
                         : judged ? "Nothing stands out. " + bottleneck.sentence
                                  : bottleneck.sentence;
  out.summary = summary;
  out.heading = {load_sentence(out, answers), bottleneck.sentence};
  if (judged && !left_out.empty()) out.heading.push_back(left_out_sentence(left_out));

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
  if (out.next.empty()) out.next.push_back(judged ? "breakdown" : "info");
  return out;
}

}  // namespace hta::report
