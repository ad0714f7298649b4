#include "hta/analysis/stragglers.h"

#include "hta/base/exact.h"
#include "hta/base/int_ranges.h"
#include "hta/base/text.h"

#include <algorithm>
#include <array>

#include "kernel_speed.h"
#include "stragglers_heading.h"
#include "tables.h"

namespace hta::analysis {
namespace comm {
namespace {

using result::Cell;
using result::ColumnSpec;
using result::if_room;
using enum result::CellType;

constexpr std::array kStragglerColumns{
    ColumnSpec{"rank", kRank},          ColumnSpec{"verdict", kText},    ColumnSpec{"wait_caused_us", kTime},
    if_room("wait_suffered_us", kTime), if_room("last_count", kInteger), if_room("collectives", kInteger),
    ColumnSpec{"last_pct", kPercent},   ColumnSpec{"cause", kText},      if_room("cause_pct", kPercent),
    ColumnSpec{"cost_pct", kPercent},   if_room("cost_us", kTime),       if_room("owed_us", kTime),
    if_room("top_steps", kInteger),     if_room("steps", kInteger),      if_room("persistence", kText),
    if_room("kernel_speed", kRatio),
};
constexpr std::array kFoldedColumns{
    ColumnSpec{"ranks", kText},         ColumnSpec{"verdict", kText},  ColumnSpec{"wait_caused_us", kTime},
    if_room("wait_suffered_us", kTime), if_room("last_pct", kPercent), ColumnSpec{"cause", kText},
    ColumnSpec{"cost_pct", kPercent},
};
constexpr std::array kLatenessColumns{
    ColumnSpec{"rank", kRank},          ColumnSpec{"step", kInteger},        ColumnSpec{"cost_us", kTime},
    ColumnSpec{"cost_pct", kPercent},   ColumnSpec{"wait_caused_us", kTime}, ColumnSpec{"wait_suffered_us", kTime},
    ColumnSpec{"last_count", kInteger}, ColumnSpec{"collectives", kInteger},
};
constexpr std::array kGroupColumns{
    ColumnSpec{"rank", kRank},          ColumnSpec{"group", kText},          ColumnSpec{"collectives", kInteger},
    ColumnSpec{"last_count", kInteger}, ColumnSpec{"wait_caused_us", kTime}, ColumnSpec{"wait_suffered_us", kTime},
    ColumnSpec{"owed_us", kTime},
};
constexpr std::array kCauseColumns{
    ColumnSpec{"rank", kRank},
    ColumnSpec{"part", kText},
    ColumnSpec{"more_us", kTime},
    ColumnSpec{"covers_pct", kPercent},
};
constexpr std::array kTables{
    result::TableSpec{"stragglers", "Ranks by the wait they cause", kStragglerColumns},
    result::TableSpec{"straggler_causes", "What late ranks do more of than the others", kCauseColumns},
    result::TableSpec{"lateness", "How long each rank makes each of the others wait, in % of its mean step",
                      kLatenessColumns, result::RowsPer::kGroup, result::MapSpec{"rank", "step", "cost_pct"}},
    result::TableSpec{"straggler_groups", "Waits in each process group", kGroupColumns},
    kClockTable,
    result::TableSpec{"stragglers_folded", "Ranks by the wait they cause, those alike folded", kFoldedColumns},
};
constexpr std::int64_t kFewRanks = 4;  // whose causes people see in full
constexpr std::size_t kManyRanks = 8;  // above, people see the folded table
constexpr std::array kOptions{kClockOption};

void add_ranks(const Findings& found, result::Document& document) {
  result::Table table(kTables[0]);
  const bool by_busy_time = found.basis == Basis::kBusyTime;
  const std::vector<std::optional<std::int64_t>> speeds = kernel_speeds(found.ranks);
  for (const std::uint32_t r : by_importance(found)) {
    const Judgement& judgement = found.verdicts.ranks[r];
    const Tally& tally = found.accounts[r].all;
    const Cause* cause = judgement.cause ? &*judgement.cause : nullptr;
    const std::string text = cause == nullptr ? std::string() : cause->text();
    const auto top_steps = static_cast<std::int64_t>(judgement.top_steps.size());
    table.add({found.ranks[r].context.rank, verdict_name(judgement.verdict), tally.wait_caused_ns,
               tally.wait_suffered_ns, by_busy_time ? top_steps : tally.last_count, tally.collectives,
               by_busy_time ? percent(top_steps, judgement.steps) : percent(tally.last_count, tally.collectives),
               cause == nullptr ? Cell(std::nullopt) : Cell(text),
               cause == nullptr
                   ? Cell(std::nullopt)
                   : Cell(percent(cause->more_ns[static_cast<std::size_t>(cause->main())], cause->late_ns)),
               percent(judgement.cost.exposed_ns, judgement.time_ns), judgement.cost.exposed_ns, tally.wait_owed_ns,
               top_steps, judgement.steps,
               judgement.persistence == Persistence::kNone ? Cell(std::nullopt)
                                                           : Cell(persistence_name(judgement.persistence)),
               speeds[r]});
  }
  document.tables.push_back(std::move(table));
}

// A row for every straggler, and one for all others of one kind: what they cause summed, what they suffer on average.
class Folded {
 public:
  explicit Folded(const Findings& found) {
    for (const std::uint32_t r : by_importance(found)) {
      const Judgement& judgement = found.verdicts.ranks[r];
      const std::string cause = judgement.cause ? judgement.cause->text() : std::string();
      const auto same = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) {
        return judgement.persistence != Persistence::kPersistent && row.verdict == judgement.verdict &&
               row.cause == cause;
      });
      Row& row = same != rows_.end() ? *same : rows_.emplace_back(Row{judgement.verdict, cause, {}, {}, 0, 0});
      const Tally& tally = found.accounts[r].all;
      row.ranks.push_back(found.ranks[r].context.rank.rank());
      row.sum.wait_caused_ns += tally.wait_caused_ns;
      row.sum.wait_suffered_ns += tally.wait_suffered_ns;
      row.sum.last_count += tally.last_count;
      row.sum.collectives += tally.collectives;
      row.cost_ns += judgement.cost.exposed_ns;
      row.time_ns += judgement.time_ns;
    }
  }

  result::Table table() {
    result::Table table(table_spec(kTables, "stragglers_folded"));
    for (Row& row : rows_) {
      const auto count = static_cast<std::int64_t>(row.ranks.size());
      std::sort(row.ranks.begin(), row.ranks.end());
      const std::string ranks = range_list(row.ranks) + (count == 1 ? "" : " (" + with_commas(count) + " alike)");
      table.add({ranks, verdict_name(row.verdict), row.sum.wait_caused_ns,
                 divide_half_even(row.sum.wait_suffered_ns, count), percent(row.sum.last_count, row.sum.collectives),
                 row.cause.empty() ? Cell(std::nullopt) : Cell(row.cause), percent(row.cost_ns, row.time_ns)});
    }
    return table;
  }

 private:
  struct Row {
    RankVerdict verdict;
    std::string cause;
    std::vector<std::int64_t> ranks;
    Tally sum;
    Nanos cost_ns;
    Nanos time_ns;
  };
  std::vector<Row> rows_;
};

void add_lateness(const Findings& found, result::Document& document) {
  result::Table table(table_spec(kTables, "lateness"));
  for (std::uint32_t r = 0; r < found.ranks.size(); ++r) {
    const Judgement& judgement = found.verdicts.ranks[r];
    const std::map<std::int64_t, Tally>& tallies = found.accounts[r].by_step;
    for (const StepWork& work : found.ranks[r].partial.steps) {
      const auto cost = judgement.step_costs.find(work.step);
      const Nanos cost_ns = cost == judgement.step_costs.end() ? 0 : cost->second.wait_ns;
      const auto found_tally = tallies.find(work.step);
      const Tally tally = found_tally == tallies.end() ? Tally{} : found_tally->second;
      table.add({found.ranks[r].context.rank, work.step == kNoStep ? Cell(std::nullopt) : Cell(work.step), cost_ns,
                 percent(Int128{cost_ns} * judgement.steps, judgement.time_ns), tally.wait_caused_ns,
                 tally.wait_suffered_ns, tally.last_count, tally.collectives});
    }
  }
  document.tables.push_back(std::move(table));
}

void add_groups(const Findings& found, result::Document& document) {
  result::Table table(table_spec(kTables, "straggler_groups"));
  std::vector<std::string> labels;
  for (const Group& group : found.groups) labels.push_back(group.label());
  for (std::uint32_t r = 0; r < found.ranks.size(); ++r) {
    for (const auto& [group, tally] : found.accounts[r].by_group) {
      table.add({found.ranks[r].context.rank, labels[group], tally.collectives, tally.last_count, tally.wait_caused_ns,
                 tally.wait_suffered_ns, tally.wait_owed_ns});
    }
  }
  document.tables.push_back(std::move(table));
}

// Worth drawing: several steps, and somebody who costs something in one of them.
bool shows_lateness(const Findings& found) {
  return std::any_of(found.verdicts.ranks.begin(), found.verdicts.ranks.end(), [](const Judgement& judgement) {
    return judgement.steps > 1 &&
           std::any_of(judgement.step_costs.begin(), judgement.step_costs.end(), [&](const auto& entry) {
             return entry.first != kNoStep && entry.second.wait_ns * judgement.steps * 100 >= judgement.time_ns;
           });
  });
}

void add_causes(const Findings& found, result::Document& document) {
  result::Table table(kTables[1]);
  for (const std::uint32_t r : by_importance(found)) {
    if (!found.verdicts.ranks[r].cause) continue;
    const Cause& cause = *found.verdicts.ranks[r].cause;
    for (std::size_t p = 0; p < kCauseParts; ++p) {
      table.add({found.ranks[r].context.rank, cause_part_name(static_cast<CausePart>(p)), cause.more_ns[p],
                 percent(cause.more_ns[p], cause.late_ns)});
    }
  }
  document.tables.push_back(std::move(table));
}

}  // namespace

Status combine_stragglers(std::span<Ranked<RankComm>> ranks, const Options& options, result::Document& document) {
  const std::vector<Ranked<RankComm>> view(ranks.begin(), ranks.end());
  const Matching matching = match(view);
  const Result<ClockWish> wish = parse_clock_wish(options.text("clock"));
  if (!wish) return wish.error();
  const Clocks clocks = align_clocks(view, matching, wish.value());
  Findings found;
  found.ranks = view;
  found.waits = find_waits(view, matching, clocks);
  found.accounts = make_accounts(view, matching, found.waits);
  const bool usable = std::any_of(found.accounts.begin(), found.accounts.end(),
                                  [](const Account& account) { return account.all.collectives > 0; });
  found.basis = usable ? Basis::kCollectives : Basis::kBusyTime;
  found.verdicts = usable ? judge(view, found.accounts) : judge_by_busy_time(view);
  found.groups = matching.groups;
  found.clock_doubt_ns = clocks.usual_doubt_ns();
  add_heading(found, document);
  add_ranks(found, document);
  add_causes(found, document);
  add_lateness(found, document);
  add_groups(found, document);
  add_clocks(view, clocks, wish.value(), kClockTable, document);
  document.tables.push_back(Folded(found).table());
  document.shown = {view.size() > kManyRanks ? "stragglers_folded" : "stragglers"};
  if (shows_lateness(found)) document.shown.emplace_back("lateness");
  const auto explained = std::count_if(found.verdicts.ranks.begin(), found.verdicts.ranks.end(),
                                       [](const Judgement& judgement) { return judgement.cause.has_value(); });
  if (explained > 0 && explained <= kFewRanks) document.shown.emplace_back("straggler_causes");
  if (clocks.any_ahead() && view.size() <= kMostClocksShown) document.shown.emplace_back("clocks");
  return {};
}

}  // namespace comm

constexpr AnalysisSpec kStragglers = make_spec<comm::RankComm, &comm::collect, &comm::combine_stragglers>(
    "stragglers", "which rank makes the others wait, and why?",
    "Finds the same collective on every rank, brings the clocks together, and takes what a rank spends in a collective "
    "beyond the shortest duration over the ranks as waiting, which the rank that arrives last has caused. A rank is a "
    "straggler if it is last in at least half of its collectives, or costs most in at least half of the steps, and the "
    "mean wait of the others is at least 5 % of its step time; transient if at least 80 % of that sits in one step. "
    "If most steps have a late rank but three or more take turns, lateness is rotating. A "
    "rank "
    "that is late because it waited in another group is a victim: its blame is passed on. The cause is what the rank "
    "does "
    "longer than the others of its group: the same kernels, more work, waiting for its host, copies; it is named if it "
    "explains at least 80 %. Without collectives that two ranks share, the busy time per step decides.",
    comm::kTables, comm::kOptions, &comm::collective_needs, Runs::kOne, &comm::check_clock_option);

}  // namespace hta::analysis
