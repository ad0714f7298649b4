#include "hta/analysis/diff/comparison.h"

#include "hta/analysis/diff/per_step.h"
#include "hta/base/exact.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

namespace hta::analysis::diff {
namespace {

constexpr std::int64_t kHundredths = 100;

// Original names of one row and one side.
class OriginalNames {
 public:
  void add(std::string_view name) { names_.insert(name); }
  std::string joined(std::string_view row_name) const {
    if (names_.empty() || (names_.size() == 1 && *names_.begin() == row_name)) return {};
    std::string out;
    for (const std::string_view name : names_) {
      if (!out.empty()) out += " | ";
      out += name;
    }
    return out;
  }

 private:
  std::set<std::string_view> names_;
};

struct KernelTotals {
  std::int64_t count = 0;
  Nanos time_ns = 0;
  OriginalNames names;
  std::optional<Nanos> mean() const {
    if (count == 0) return std::nullopt;
    return divide_half_even(time_ns, count);
  }
};

std::vector<KernelKey> keys_of(const RunProfile& run) {
  std::vector<KernelKey> out;
  for (const KernelSum& kernel : run.kernels) out.push_back({kernel.name, kernel.kind});
  return out;
}

std::vector<KernelTotals> totals_by_row(const RunProfile& run, const std::vector<std::size_t>& row_of,
                                        std::size_t rows) {
  std::vector<KernelTotals> out(rows);
  for (std::size_t i = 0; i < run.kernels.size(); ++i) {
    KernelTotals& totals = out[row_of[i]];
    totals.count += run.kernels[i].count;
    totals.time_ns += run.kernels[i].time_ns;
    totals.names.add(run.kernels[i].name);
  }
  return out;
}

template <class Row>
void sort_by_change(std::vector<Row>& rows, auto kind_name) {
  std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    const Nanos a_size = std::abs(a.time_ns.change());
    const Nanos b_size = std::abs(b.time_ns.change());
    if (a_size != b_size) return a_size > b_size;
    return std::pair(std::string_view(a.name), kind_name(a)) < std::pair(std::string_view(b.name), kind_name(b));
  });
}

std::vector<KernelRow> kernel_rows(const RunProfile& base, const RunProfile& test, const MatchedNames& matched,
                                   const Thresholds& thresholds) {
  const auto base_totals = totals_by_row(base, matched.base, matched.rows.size());
  const auto test_totals = totals_by_row(test, matched.test, matched.rows.size());
  std::vector<KernelRow> out;
  for (std::size_t i = 0; i < matched.rows.size(); ++i) {
    const KernelTotals& b = base_totals[i];
    const KernelTotals& t = test_totals[i];
    KernelRow row{matched.rows[i].name,
                  matched.rows[i].kind,
                  {},
                  {},
                  {},
                  b.mean(),
                  t.mean(),
                  b.names.joined(matched.rows[i].name),
                  t.names.joined(matched.rows[i].name)};
    row.count = {divide_half_even(Int128{b.count} * kHundredths, base.samples()),
                 divide_half_even(Int128{t.count} * kHundredths, test.samples())};
    row.time_ns = {divide_half_even(b.time_ns, base.samples()), divide_half_even(t.time_ns, test.samples())};
    row.change = classify_change(row.count, row.time_ns, thresholds);
    out.push_back(std::move(row));
  }
  sort_by_change(out, [](const KernelRow& row) { return kernel_type_name(row.kind); });
  return out;
}

std::vector<OpRow> op_rows(const RunProfile& base, const RunProfile& test, const Thresholds& thresholds) {
  struct Both {
    OpSum base;
    OpSum test;
  };
  std::map<std::pair<std::string_view, OpKind>, Both> ops;
  for (const OpSum& op : base.ops) ops[{op.name, op.kind}].base = op;
  for (const OpSum& op : test.ops) ops[{op.name, op.kind}].test = op;
  std::vector<OpRow> out;
  for (const auto& [key, both] : ops) {
    const auto per_step = [&, &both = both](std::int64_t OpSum::*value, std::int64_t scale = 1) {
      return Pair{divide_half_even(Int128{both.base.*value} * scale, base.samples()),
                  divide_half_even(Int128{both.test.*value} * scale, test.samples())};
    };
    OpRow row{std::string(key.first),
              key.second,
              per_step(&OpSum::count, kHundredths),
              per_step(&OpSum::time_ns),
              per_step(&OpSum::self_ns),
              per_step(&OpSum::gpu_ns),
              {}};
    row.change = classify_change(row.count, row.time_ns, thresholds);
    out.push_back(std::move(row));
  }
  sort_by_change(out, [](const OpRow& row) { return op_kind_name(row.kind); });
  return out;
}

std::vector<OwnedRow> owned_rows(const RunProfile& base, const RunProfile& test, const MatchedNames& matched,
                                 const std::array<Nanos, kMetrics>& base_metrics,
                                 const std::array<Nanos, kMetrics>& test_metrics) {
  // Rows are by name, so names can be numbered in passing; kinds of one name share the number.
  std::vector<std::size_t> name_of_row;
  std::vector<std::string_view> names;
  for (const MatchedNames::Row& row : matched.rows) {
    if (names.empty() || names.back() != row.name) names.emplace_back(row.name);
    name_of_row.push_back(names.size() - 1);
  }
  const auto numbers = [&](const std::vector<std::size_t>& rows) {
    std::vector<std::size_t> out;
    for (const std::size_t row : rows) out.push_back(name_of_row[row]);
    return out;
  };
  std::map<std::pair<Component, std::size_t>, Pair> times;
  for (const OwnedTime& owned : owned_per_step(base, numbers(matched.base), base_metrics))
    times[{owned.component, owned.name}].base = owned.per_step_ns;
  for (const OwnedTime& owned : owned_per_step(test, numbers(matched.test), test_metrics))
    times[{owned.component, owned.name}].test = owned.per_step_ns;
  std::vector<OwnedRow> out;
  for (const auto& [key, time] : times) out.push_back({key.first, std::string(names[key.second]), time});
  sort_by_change(out, [](const OwnedRow& row) { return component_name(row.component); });
  return out;
}

// One value for each step number: the mean over the ranks that have it.
std::vector<Nanos> step_values(const RunProfile& run, Metric metric) {
  std::vector<Nanos> out;
  for (const StepSum& step : run.steps) out.push_back(divide_half_even(metric_of(step.times, metric), step.samples));
  return out;
}

}  // namespace

CompareOptions compare_options(const Options& options) {
  CompareOptions out;
  const std::string names = options.text("names");
  out.names = names == "exact" ? NameRule::kExact : names == "normal" ? NameRule::kNormal : NameRule::kAuto;
  out.thresholds = {options.time_ns("min-us"), options.integer("min-pct")};
  out.significance = {options.integer("alpha"), options.integer("min-effect")};
  return out;
}

Comparison compare(const RunProfile& base, const RunProfile& test, const CompareOptions& options) {
  const MatchedNames matched = match_names(keys_of(base), keys_of(test), options.names);
  const auto base_metrics = metrics_per_step(base);
  const auto test_metrics = metrics_per_step(test);
  Comparison out;
  out.kernels = kernel_rows(base, test, matched, options.thresholds);
  out.ops = op_rows(base, test, options.thresholds);
  out.owned = owned_rows(base, test, matched, base_metrics, test_metrics);
  for (std::size_t m = 0; m < kMetrics; ++m) {
    const auto metric = static_cast<Metric>(m);
    const std::vector<Nanos> base_values = step_values(base, metric);
    const std::vector<Nanos> test_values = step_values(test, metric);
    out.metrics[m] = {metric,
                      {base_metrics[m], test_metrics[m]},
                      {static_cast<std::int64_t>(base_values.size()), static_cast<std::int64_t>(test_values.size())},
                      judge_noise(base_values, test_values, options.significance)};
  }
  return out;
}

}  // namespace hta::analysis::diff
