#include "check.h"

#include "hta/analysis/diff.h"
#include "hta/base/human.h"

#include <optional>

#include "baseline_file.h"
#include "budget_file.h"
#include "run_analysis.h"

namespace hta::cli {
namespace {

namespace diff = analysis::diff;
using analysis::OptionKind;
using analysis::OptionSpec;
using analysis::Side;

constexpr std::array kOwnOptions{
    OptionSpec{"budget", OptionKind::kText, "", "FILE", "gates from a file (JSON, schema hta-budget/1)", ""},
    OptionSpec{"baseline", OptionKind::kText, "", "BASE",
               "gates judge the change against BASE: a run, or a saved baseline", ""},
    OptionSpec{"save-baseline", OptionKind::kText, "", "FILE",
               "write this run's baseline, for --baseline in later checks", ""},
    OptionSpec{"min-steps", OptionKind::kInteger, "", "N",
               "with fewer steps gates are not decided (default: what the budget says, else 5)", ""},
    OptionSpec{"step", OptionKind::kRanges, "", "LIST", "only these ProfilerSteps, incomplete ones too, e.g. 3-10", ""},
};
constexpr std::array kOptions = analysis::join(kOwnOptions, diff::kCompareOptions);

// What is to be checked, known before any trace is read.
struct Plan {
  std::vector<diff::Gate> gates;
  std::int64_t min_steps = diff::kDefaultMinSteps;
  std::string baseline_path;                 // of a run
  std::optional<diff::RunProfile> baseline;  // from a file
};

Status add_budget(const std::string& path, diff::GateScale scale, Plan& plan) {
  const auto budget = read_budget(path);
  if (!budget) return budget.error();
  for (const Budget::Entry& entry : budget->fail_on) {
    auto gate = diff::parse_gate(entry.expression, scale);
    if (!gate) return Error{ErrorCode::kUsage, path, gate.error().message, {}};
    plan.gates.push_back(std::move(gate).value());
    plan.gates.back().why = entry.why;
  }
  plan.min_steps = budget->min_steps.value_or(plan.min_steps);
  return {};
}

Result<Plan> make_plan(const analysis::Options& options) {
  Plan plan;
  const std::string baseline = options.text("baseline");
  const auto scale = baseline.empty() ? diff::GateScale::kValue : diff::GateScale::kChange;
  if (options.has("budget")) {
    if (Status status = add_budget(options.text("budget"), scale, plan); !status) return status.error();
  }
  auto gates = diff::parse_gates(options.texts("fail-on"), scale);
  if (!gates) return gates.error();
  for (diff::Gate& gate : *gates) plan.gates.push_back(std::move(gate));
  if (options.has("min-steps")) plan.min_steps = options.integer("min-steps");
  if (plan.gates.empty() && (!options.has("save-baseline") || !baseline.empty())) {
    return Error{ErrorCode::kUsage, "", "there is nothing to check; give --budget FILE or --fail-on EXPR", {}};
  }
  if (baseline.empty()) return plan;
  if (!is_baseline(baseline)) {
    plan.baseline_path = baseline;
    return plan;
  }
  auto saved = read_baseline(baseline);
  if (!saved) return saved.error();
  plan.baseline = std::move(saved).value();
  return plan;
}

// The run's profile, cut as the baseline is.
Result<diff::RunProfile> profile_like(const diff::RunProfile& baseline,
                                      std::span<analysis::Ranked<diff::Partial>> ranks, const IntRanges& choice,
                                      result::Document& document) {
  auto sampling = diff::Sampling::kSteps;
  if (baseline.has_steps() != diff::recorded_steps(ranks)) {
    if (baseline.has_steps() || !choice.all()) {
      return Error{
          ErrorCode::kInsufficient, "", "only one of the baseline and the run has steps; they cannot be compared", {}};
    }
    sampling = diff::Sampling::kWhole;
    document.note("steps-on-one-side",
                  "the baseline was taken of runs without ProfilerSteps: this run is taken whole too");
  }
  auto run = diff::profile_run(ranks, sampling, choice, "the run");
  if (!run) return run.error();
  if (Status status = diff::check_comparable(baseline, *run); !status) return status.error();
  return run;
}

void save_baseline(const diff::RunProfile& run, const std::string& path, result::Document& document) {
  const std::int64_t ranks = run.environment.ranks;
  std::string sentence = "The baseline is in " + path + ": " + human_count(ranks, "rank", "ranks");
  if (run.has_steps()) sentence += ", " + human_count(std::ssize(run.steps), "step", "steps");
  document.heading.push_back(sentence + ", " + human_count(std::ssize(run.kernels), "kernel name", "kernel names") +
                             ".");
  document.side_files.push_back({path, baseline_text(run)});
}

Status check(Plan& plan, std::span<analysis::Ranked<diff::Partial>> ranks, const analysis::Options& options,
             result::Document& document) {
  const IntRanges choice = options.ranges("step");
  std::optional<diff::RunProfile> base = std::move(plan.baseline);
  diff::RunProfile run;
  if (!plan.baseline_path.empty()) {
    auto both = diff::profile_both(ranks, options, document);
    if (!both) return both.error();
    base = std::move(both->base);
    run = std::move(both->test);
  } else {
    auto profile = base ? profile_like(*base, ranks, choice, document)
                        : diff::profile_run(ranks, diff::Sampling::kSteps, choice, "the run");
    if (!profile) return profile.error();
    run = std::move(profile).value();
  }
  if (!base && run.kernels.empty()) {
    return Error{ErrorCode::kInsufficient,
                 "",
                 "the run holds no GPU events: nothing was measured; was ProfilerActivity.CUDA on?",
                 {}};
  }
  if (!plan.baseline_path.empty())
    document.next.push_back("hta diff " + plan.baseline_path + " " + options.paths.front());
  diff::check_gates(run, base ? &*base : nullptr, plan.gates, diff::compare_options(options), plan.min_steps, document);
  if (options.has("save-baseline")) save_baseline(run, options.text("save-baseline"), document);
  return {};
}

ExitStatus run(const Command& command, Invocation& invocation) {
  auto plan = make_plan(invocation.options);
  if (!plan) return fail(plan.error());
  std::vector<RunPaths> runs;
  if (!plan->baseline_path.empty()) runs.push_back({{plan->baseline_path}, Side::kBase});
  runs.push_back({invocation.common.paths, Side::kTest});
  auto mapped = map_runs(runs, {{&analysis::kDiff, invocation.options}}, invocation.common);
  if (!mapped) return fail(mapped.error());
  result::Document document;
  document.command = std::string(command.name);
  describe_inputs(mapped->runs, document);
  auto ranks = analysis::typed_partials<diff::Partial>(mapped->partials.front());
  if (Status status = check(*plan, ranks, invocation.options, document); !status) return fail(status.error());
  return deliver(command, invocation.common, invocation.options, document, mapped->lost_data);
}

}  // namespace

Command check_command() {
  return {
      "check",
      "does this run keep its budget?",
      "Judges one run by gates, for CI: its own values per step, or with --baseline its changes. Gates are those of\n"
      "hta diff --fail-on; without --baseline, % is the share of the step time. A budget is a file:\n"
      "\n"
      "  {\"schema\": \"hta-budget/1\", \"name\": \"…\", \"min_steps\": 5,\n"
      "   \"fail_on\": [\"step_time>120ms\", {\"expr\": \"idle>10%\", \"why\": \"target of Q3\"}]}\n"
      "\n"
      "Exit status: 0 all passed, 1 one failed, 3 one could not be decided, 2 an expression or a file is wrong.",
      Paths::kOneRun,
      diff::kCheckTables,
      kOptions,
      nullptr,
      &run};
}

}  // namespace hta::cli
