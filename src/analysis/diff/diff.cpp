#include "hta/analysis/diff.h"

#include <algorithm>

#include "tables.h"
#include "words.h"

namespace hta::analysis {
namespace diff {
namespace {

constexpr std::array kSelectionOptions{
    OptionSpec{"step", OptionKind::kRanges, "", "LIST",
               "compare these ProfilerSteps only, incomplete ones too, e.g. 3-10", ""},
    OptionSpec{"base-step", OptionKind::kRanges, "", "LIST", "the same for BASE alone", ""},
    OptionSpec{"test-step", OptionKind::kRanges, "", "LIST", "the same for TEST alone", ""},
    OptionSpec{"base-rank", OptionKind::kRanges, "", "LIST", "only these ranks of BASE (--rank: of both)", ""},
    OptionSpec{"test-rank", OptionKind::kRanges, "", "LIST", "only these ranks of TEST", ""},
    OptionSpec{"min-steps", OptionKind::kInteger, "5", "N",
               "with fewer steps on a side gates are not decided (exit status 3)", ""},
};
constexpr std::array kOptions = join(kSelectionOptions, kCompareOptions);

struct Sides {
  std::span<Ranked<Partial>> base;
  std::span<Ranked<Partial>> test;
};

Sides split(std::span<Ranked<Partial>> ranks) {
  const auto test =
      std::find_if(ranks.begin(), ranks.end(), [](const auto& rank) { return rank.context.side == Side::kTest; });
  const auto base_count = static_cast<std::size_t>(test - ranks.begin());
  return {ranks.first(base_count), ranks.subspan(base_count)};
}

IntRanges choice_of(Side side, const Options& options) {
  Options of_side = options;
  of_side.side = side;
  return step_choice(of_side);
}

Status validate(const Options& options) {
  const auto gates = parse_gates(options.texts("fail-on"), GateScale::kChange);
  return gates ? Status() : Status(gates.error());
}

void suggest(const Comparison& comparison, const Options& options, result::Document& document) {
  if (options.paths.size() != 2) return;
  const std::string both = options.paths[0] + " " + options.paths[1];
  const Nanos host = comparison[Metric::kHostWait].time_ns.change();
  const Nanos busy = comparison[Metric::kGpuBusy].time_ns.change();
  if (std::abs(host) > std::abs(busy)) document.next.push_back("hta diff " + both + " --table ops");
  else if (busy != 0) document.next.push_back("hta diff " + both + " --table waterfall_kernels");
  if (host > 0) document.next.push_back("hta idle " + options.paths[1]);
}

}  // namespace

Result<std::vector<Gate>> parse_gates(std::span<const std::string> expressions, GateScale scale) {
  std::vector<Gate> out;
  for (const std::string& text : expressions) {
    auto gate = parse_gate(text, scale);
    if (!gate) return gate.error();
    out.push_back(std::move(gate).value());
  }
  return out;
}

Status check_comparable(const RunProfile& base, const RunProfile& test) {
  if (base.kernels.empty() == test.kernels.empty()) return {};
  const bool base_empty = base.kernels.empty();
  return Error{ErrorCode::kInsufficient,
               "",
               std::string(base_empty ? "BASE" : "TEST") + " holds no GPU events, " + (base_empty ? "TEST" : "BASE") +
                   " does: no comparison is possible; was ProfilerActivity.CUDA on?",
               {}};
}

Result<ProfilePair> profile_both(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  const Sides sides = split(ranks);
  const IntRanges base_choice = choice_of(Side::kBase, options);
  const IntRanges test_choice = choice_of(Side::kTest, options);
  ProfilePair out;
  const bool base_steps = recorded_steps(sides.base);
  if (base_steps != recorded_steps(sides.test)) {
    const std::string_view without = base_steps ? "TEST" : "BASE";
    if (!base_choice.all() || !test_choice.all()) {
      return Error{ErrorCode::kInsufficient,
                   "",
                   "steps are chosen by number, but " + std::string(without) +
                       " has none; leave the choice out to compare the runs as a whole",
                   {}};
    }
    out.sampling = Sampling::kWhole;
    document.note("steps-on-one-side",
                  std::string(without) + " has no ProfilerSteps: both runs are taken whole, each rank as one sample");
  }
  auto base = profile_run(sides.base, out.sampling, base_choice, "BASE");
  if (!base) return base.error();
  auto test = profile_run(sides.test, out.sampling, test_choice, "TEST");
  if (!test) return test.error();
  out.base = std::move(base).value();
  out.test = std::move(test).value();
  if (const Status status = check_comparable(out.base, out.test); !status) return status.error();
  return out;
}

Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  auto pair = profile_both(ranks, options, document);
  if (!pair) return pair.error();
  auto gates = parse_gates(options.texts("fail-on"), GateScale::kChange);
  if (!gates) return gates.error();

  const Comparison comparison = compare(pair->base, pair->test, compare_options(options));
  add_heading(pair->base, pair->test, comparison, document);
  add_notes(pair->base, pair->test, comparison, document);
  add_comparison_tables(comparison, options.top, document);
  result::Table steps = steps_table();
  const Sides sides = split(ranks);
  add_step_rows(sides.base, pair->sampling, "base", steps);
  add_step_rows(sides.test, pair->sampling, "test", steps);
  document.tables.insert(document.tables.end() - 1, std::move(steps));  // before metrics, as the contract lists them
  const auto judged = judge_gates(*gates, comparison, GateScale::kChange, options.integer("min-steps"));
  add_gates_table(judged, document);
  report_gates(judged, document);
  document.shown = {"waterfall", "kernels"};
  suggest(comparison, options, document);
  if (judged.empty()) return {};
  document.heading.push_back(tally(judged));
  document.shown.insert(document.shown.begin(), "gates");
  return {};
}

void check_gates(const RunProfile& run, const RunProfile* base, std::span<const Gate> gates,
                 const CompareOptions& options, std::int64_t min_steps, result::Document& document) {
  const GateScale scale = base == nullptr ? GateScale::kValue : GateScale::kChange;
  const Comparison comparison = compare(base == nullptr ? run : *base, run, options);
  const auto judged = judge_gates(gates, comparison, scale, min_steps);
  if (base != nullptr) {
    add_heading(*base, run, comparison, document);
    add_notes(*base, run, comparison, document);
  }
  if (!judged.empty()) document.heading.push_back(tally(judged));
  add_check_table(judged, document);
  report_gates(judged, document);
}

}  // namespace diff

const AnalysisSpec kDiff = make_spec<diff::Partial, &diff::map, &diff::combine>(
    "diff", "what changed between two runs?",
    "Compares TEST with BASE, each a trace or a directory of ranks, step by step: where the step time changed, which "
    "kernels\n"
    "and operators did it, and whether the change is more than noise. change is always TEST - BASE.\n"
    "\n"
    "Gates: --fail-on METRIC OP NUMBER UNIT. METRIC: step_time, compute, exposed_comm, exposed_memory, "
    "idle_host_wait,\n"
    "idle_kernel_wait, idle_other, gpu_busy, idle, kernel_time, or kernel:NAME, op:NAME, count:NAME with * and ? in "
    "NAME.\n"
    "OP: > >= < <=. UNIT: % (of BASE), ns, us, ms, s; none for count. The gate fails when the comparison is true of "
    "the change.\n"
    "Exit status: 0 all passed, 1 one failed, 3 one could not be decided, 2 an expression is wrong.",
    diff::kDiffTables, diff::kOptions, &diff::needs, Runs::kTwo, &diff::validate);

}  // namespace hta::analysis
