// The predictions of all ranks, and how far they can be trusted.

#include "hta/analysis/whatif.h"
#include "hta/base/exact.h"
#include "hta/base/human.h"

#include <algorithm>
#include <array>
#include <string>

#include "../critical_path/options.h"
#include "../critical_path/path.h"
#include "scenario.h"

namespace hta::analysis {
namespace whatif {
namespace {

using result::Bar;
using result::ColumnSpec;
using result::Fit;
using result::Presence;
using enum result::CellType;

constexpr int kDoubtfulPct = 10;  // of the window unexplained or inferred

constexpr std::array kWhatifColumns{
    ColumnSpec{"rank", kRank},
    ColumnSpec{"window", kText, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"scenario", kText},
    ColumnSpec{"measured_us", kTime, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"predicted_us", kTime},
    ColumnSpec{"gain_us", kTime},
    ColumnSpec{"gain_pct", kPercent, Presence::kAlways, Bar::kYes},
    ColumnSpec{"method", kText},
    ColumnSpec{"unexplained_pct", kPercent, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"inferred_pct", kPercent, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"trusted", kText},
};
constexpr std::array kRanksColumns{
    ColumnSpec{"scenario", kText},
    ColumnSpec{"method", kText},
    ColumnSpec{"ranks", kInteger},
    ColumnSpec{"mean_gain_us", kTime},
    ColumnSpec{"gain_pct", kPercent, Presence::kAlways, Bar::kYes},
    ColumnSpec{"min_gain_us", kTime},
    ColumnSpec{"min_rank", kInteger},
    ColumnSpec{"max_gain_us", kTime},
    ColumnSpec{"max_rank", kInteger},
    ColumnSpec{"trusted_ranks", kInteger},
};
constexpr std::array kTables{
    result::TableSpec{"whatif", "How long the window would take; gains do not add up", kWhatifColumns},
    result::TableSpec{"whatif_ranks", "Gains over all ranks, each replayed on its own; gains do not add up",
                      kRanksColumns},
};
constexpr std::array kOwnOptions{
    OptionSpec{
        "scale", OptionKind::kTextList, "", "CLASS[:REGEX]=FACTOR",
        "multiply lengths: kernel, compute, comm, copies, op, call (with names) or launch, python, loading; repeatable",
        ""},
    OptionSpec{"no-launch-overhead", OptionKind::kFlag, "", "", "launching takes no time, as with one graph for all",
               ""},
    OptionSpec{"no-sync", OptionKind::kFlag, "", "", "the host never waits for the GPU before the end", ""},
    OptionSpec{"perfect-overlap", OptionKind::kFlag, "", "", "communication holds up nothing but communication", ""},
};
constexpr auto kOptions = critical_path::joined(critical_path::kWindowOptions, kOwnOptions);

Needs needs(const Options&) {
  return critical_path::needs_of_path();
}

Status check(const Options& options) {
  if (const auto scenarios = scenarios_of(options); !scenarios) return scenarios.error();
  return critical_path::check_path_options(options);
}

bool replay_is_exact(const Partial& partial) {
  return partial.outcomes.front().predicted_ns == partial.measured_ns;
}

bool is_trusted(const Partial& partial) {
  return (partial.unexplained_ns + partial.inferred_ns) * 100 <= partial.measured_ns * kDoubtfulPct &&
         replay_is_exact(partial);
}

void add_outcomes(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[0]);
  for (const auto& [context, partial] : ranks) {
    for (const Outcome& outcome : partial.outcomes) {
      const Nanos gain_ns = partial.measured_ns - outcome.predicted_ns;
      table.add({context.rank, partial.window, outcome.scenario, partial.measured_ns, outcome.predicted_ns, gain_ns,
                 percent(gain_ns, partial.measured_ns), method_name(outcome.method),
                 percent(partial.unexplained_ns, partial.measured_ns),
                 percent(partial.inferred_ns, partial.measured_ns), is_trusted(partial) ? "yes" : "no"});
    }
  }
  document.tables.push_back(std::move(table));
}

struct OverRanks {
  const Outcome* outcome = nullptr;
  std::int64_t ranks = 0;
  std::int64_t trusted = 0;
  Nanos measured_ns = 0;
  Nanos gain_ns = 0;
  std::pair<Nanos, std::int64_t> low{INT64_MAX, 0};
  std::pair<Nanos, std::int64_t> high{INT64_MIN, 0};
};

enum class Order : std::uint8_t { kAsGiven, kByGain };

std::vector<OverRanks> over_ranks(std::span<Ranked<Partial>> ranks, Order order) {
  std::vector<OverRanks> rows;
  for (const auto& [context, partial] : ranks) {
    for (const Outcome& outcome : partial.outcomes) {
      auto row = std::find_if(rows.begin(), rows.end(),
                              [&](const OverRanks& r) { return r.outcome->scenario == outcome.scenario; });
      if (row == rows.end()) row = rows.insert(rows.end(), OverRanks{&outcome});
      const Nanos gain_ns = partial.measured_ns - outcome.predicted_ns;
      ++row->ranks;
      if (is_trusted(partial)) ++row->trusted;
      row->measured_ns += partial.measured_ns;
      row->gain_ns += gain_ns;
      if (gain_ns < row->low.first) row->low = {gain_ns, context.rank.rank()};
      if (gain_ns > row->high.first) row->high = {gain_ns, context.rank.rank()};
    }
  }
  if (order == Order::kByGain) {  // nobody asked in an order
    std::stable_sort(rows.begin() + std::min<std::ptrdiff_t>(1, std::ssize(rows)), rows.end(),
                     [](const OverRanks& a, const OverRanks& b) { return a.gain_ns > b.gain_ns; });
  }
  return rows;
}

void add_ranks(const std::vector<OverRanks>& rows, result::Document& document) {
  result::Table table(kTables[1]);
  for (const OverRanks& row : rows) {
    table.add({row.outcome->scenario, method_name(row.outcome->method), row.ranks,
               divide_half_even(row.gain_ns, row.ranks), percent(row.gain_ns, row.measured_ns), row.low.first,
               row.low.second, row.high.first, row.high.second, row.trusted});
  }
  document.tables.push_back(std::move(table));
}

void add_heading(const std::vector<OverRanks>& rows, std::span<Ranked<Partial>> ranks, result::Document& document) {
  const auto usable = std::find_if(ranks.begin(), ranks.end(), [](const auto& rank) { return !rank.partial.error; });
  const OverRanks& base = rows.front();
  std::string replayed = base.ranks == 1
                             ? "Rank " + std::to_string(usable->context.rank.rank()) + ", " + usable->partial.window
                             : std::to_string(base.ranks) + " ranks, each on its own";
  document.heading.push_back(
      replayed + ": " + human_time(divide_half_even(base.measured_ns, base.ranks)) +
      (base.ranks == 1 ? " measured" : " measured on average") +
      (base.gain_ns == 0 ? ", which the replay reproduces exactly." : ", which the replay misses."));
  const auto best = std::max_element(rows.begin() + 1, rows.end(),
                                     [](const OverRanks& a, const OverRanks& b) { return a.gain_ns < b.gain_ns; });
  if (best == rows.end()) return;
  if (best->gain_ns <= 0) {
    document.heading.push_back("None of the changes makes it shorter.");
  } else {
    document.heading.push_back("The largest gain is " + human_percent(best->gain_ns, best->measured_ns) + " by " +
                               best->outcome->scenario +
                               (best->outcome->method == Method::kBound ? " (at most)." : " (simulated)."));
  }
}

// One line for all doubtful ranks, told by the worst of them.
void judge(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  const Ranked<Partial>* worst = nullptr;
  std::size_t doubtful = 0;
  const auto doubtful_share = [](const Partial& partial) {
    return percent(partial.unexplained_ns + partial.inferred_ns, partial.measured_ns).value_or(0);
  };
  for (const Ranked<Partial>& rank : ranks) {
    const auto& [context, partial] = rank;
    const std::string prefix = "rank " + std::to_string(context.rank.rank()) + ": ";
    if (partial.error) {
      document.note("no-window", prefix + partial.error->message);
      continue;
    }
    if (partial.dropped_edges > 0) {
      document.note("dependencies-dropped", prefix + critical_path::dropped_edges_text(partial.dropped_edges));
    }
    if (is_trusted(partial)) continue;
    ++doubtful;
    if (worst == nullptr || doubtful_share(worst->partial) < doubtful_share(partial)) worst = &rank;
  }
  if (worst == nullptr) return;
  if (options.strict) document.verdict = result::Verdict::kInsufficient;
  const auto& [context, partial] = *worst;
  std::string message = "the predictions are not to be trusted: ";
  if (ranks.size() > 1) {
    message = "the predictions of " + std::to_string(doubtful) + " of " + std::to_string(ranks.size()) +
              " ranks are not to be trusted: of rank " + std::to_string(context.rank.rank()) + " ";
  }
  message += human_percent(partial.unexplained_ns, partial.measured_ns) + " of the window is unexplained and " +
             human_percent(partial.inferred_ns, partial.measured_ns) + " rests on inferred waits";
  if (!replay_is_exact(partial)) message += ", and the replay misses the measured length";
  document.note("prediction-doubtful", message);
}

}  // namespace

std::string_view method_name(Method method) {
  constexpr std::array<std::string_view, 3> kNames{"measured", "simulated", "bound"};
  return kNames[static_cast<std::size_t>(method)];
}

Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  const std::vector<OverRanks> rows = over_ranks(ranks, names_scenarios(options) ? Order::kAsGiven : Order::kByGain);
  if (rows.empty()) {
    Error error = *ranks.front().partial.error;
    error.path = ranks.front().context.path;
    return error;
  }
  add_heading(rows, ranks, document);
  add_outcomes(ranks, document);
  if (ranks.size() > 1) add_ranks(rows, document);
  document.shown = {ranks.size() > 1 ? "whatif_ranks" : "whatif"};
  document.next.push_back("critical-path");
  judge(ranks, options, document);
  return {};
}

}  // namespace whatif

constexpr AnalysisSpec kWhatif = [] {
  AnalysisSpec spec = make_spec<whatif::Partial, &whatif::map, &whatif::combine>(
      "whatif", "how long would the step take if something were faster?",
      "Replays the window of hta critical-path with other lengths: everything starts as soon as what it depends on "
      "lets it, "
      "so work that nobody waited for gains nothing. Each option is replayed on its own, and all of them together; "
      "gains "
      "never add up. 'simulated' keeps every dependency, 'bound' leaves out some that a real program has in part, so "
      "it "
      "cannot get better than that. Without options a usual set is replayed. With nothing changed the replay gives the "
      "measured length to the nanosecond. Predictions are not to be trusted when over 10 % of the window is "
      "unexplained "
      "or rests on inferred waits; with --strict that is exit status 3.",
      whatif::kTables, whatif::kOptions, &whatif::needs);
  spec.validate = &whatif::check;
  spec.needs_clock = &critical_path::needs_clock;
  return spec;
}();

}  // namespace hta::analysis
