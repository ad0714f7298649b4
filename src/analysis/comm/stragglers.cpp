#include "hta/analysis/stragglers.h"

#include "hta/base/exact.h"
#include "hta/base/text.h"

#include <algorithm>
#include <array>

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
    ColumnSpec{"rank", kRank},           ColumnSpec{"verdict", kText},
    ColumnSpec{"wait_caused_us", kTime}, ColumnSpec{"wait_suffered_us", kTime},
    if_room("last_count", kInteger),     if_room("collectives", kInteger),
    ColumnSpec{"last_pct", kPercent},    ColumnSpec{"cause", kText},
    if_room("cause_pct", kPercent),      ColumnSpec{"cost_pct", kPercent},
    if_room("owed_us", kTime),           if_room("top_steps", kInteger),
    if_room("steps", kInteger),
};
constexpr std::array kFoldedColumns{
    ColumnSpec{"ranks", kText},          ColumnSpec{"verdict", kText},
    ColumnSpec{"wait_caused_us", kTime}, ColumnSpec{"wait_suffered_us", kTime},
    ColumnSpec{"last_pct", kPercent},    ColumnSpec{"cause", kText},
    ColumnSpec{"cost_pct", kPercent},
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
    kClockTable,
    result::TableSpec{"stragglers_folded", "Ranks by the wait they cause, those without a verdict folded",
                      kFoldedColumns},
};
constexpr std::size_t kManyRanks = 32;  // above, people see the folded table
constexpr std::array kOptions{kClockOption};

// Those that matter first, then by rank.
std::vector<std::uint32_t> order_of(const Findings& found) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t r = 0; r < found.judgements.size(); ++r) order.push_back(r);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Judgement& left = found.judgements[a];
    const Judgement& right = found.judgements[b];
    if (left.verdict != right.verdict) return left.verdict < right.verdict;
    return left.verdict != RankVerdict::kNone && left.cost.wait_ns > right.cost.wait_ns;
  });
  return order;
}

void add_ranks(const Findings& found, result::Document& document) {
  result::Table table(kTables[0]);
  const bool by_busy_time = found.basis == Basis::kBusyTime;
  for (const std::uint32_t r : order_of(found)) {
    const Judgement& judgement = found.judgements[r];
    const Account& account = found.accounts[r];
    const Cause* cause = judgement.cause ? &*judgement.cause : nullptr;
    const std::string text = cause == nullptr ? std::string() : cause->text();
    table.add({found.ranks[r].context.rank, verdict_name(judgement.verdict), account.wait_caused_ns,
               account.wait_suffered_ns, by_busy_time ? judgement.top_steps : account.last_count, account.collectives,
               by_busy_time ? percent(judgement.top_steps, judgement.steps)
                            : percent(account.last_count, account.collectives),
               cause == nullptr ? Cell(std::nullopt) : Cell(text),
               cause == nullptr
                   ? Cell(std::nullopt)
                   : Cell(percent(cause->more_ns[static_cast<std::size_t>(cause->main())], cause->late_ns)),
               percent(judgement.cost.exposed_ns, judgement.time_ns), account.wait_owed_ns, judgement.top_steps,
               judgement.steps});
  }
  document.tables.push_back(std::move(table));
}

// "0-516,518-999 (999 alike)"
std::string folded_ranks(const Findings& found, const std::vector<std::uint32_t>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size();) {
    const auto rank = [&](std::size_t row) { return found.ranks[rows[row]].context.rank.rank(); };
    std::size_t last = i;
    while (last + 1 < rows.size() && rank(last + 1) == rank(last) + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(rank(i)) + (last == i ? "" : "-" + std::to_string(rank(last)));
    i = last + 1;
  }
  return rows.size() == 1 ? text : text + " (" + with_commas(static_cast<std::int64_t>(rows.size())) + " alike)";
}

// A row for everyone with a verdict and one for all the others: their waits caused summed, those suffered on average.
void add_folded(const Findings& found, result::Document& document) {
  result::Table table(table_spec(kTables, "stragglers_folded"));
  std::vector<std::uint32_t> alike;
  Account sum;
  Nanos cost_ns = 0;
  Nanos time_ns = 0;
  for (const std::uint32_t r : order_of(found)) {
    const Judgement& judgement = found.judgements[r];
    const Account& account = found.accounts[r];
    if (judgement.cause) {
      const std::string cause = judgement.cause->text();
      table.add({folded_ranks(found, {r}), verdict_name(judgement.verdict), account.wait_caused_ns,
                 account.wait_suffered_ns, percent(account.last_count, account.collectives), cause,
                 percent(judgement.cost.exposed_ns, judgement.time_ns)});
      continue;
    }
    alike.push_back(r);
    sum.wait_caused_ns += account.wait_caused_ns;
    sum.wait_suffered_ns += account.wait_suffered_ns;
    sum.last_count += account.last_count;
    sum.collectives += account.collectives;
    cost_ns += judgement.cost.exposed_ns;
    time_ns += judgement.time_ns;
  }
  if (!alike.empty()) {
    table.add({folded_ranks(found, alike), verdict_name(RankVerdict::kNone), sum.wait_caused_ns,
               divide_half_even(sum.wait_suffered_ns, static_cast<Nanos>(alike.size())),
               percent(sum.last_count, sum.collectives), Cell(std::nullopt), percent(cost_ns, time_ns)});
  }
  document.tables.push_back(std::move(table));
}

void add_causes(const Findings& found, result::Document& document) {
  result::Table table(kTables[1]);
  for (const std::uint32_t r : order_of(found)) {
    if (!found.judgements[r].cause) continue;
    const Cause& cause = *found.judgements[r].cause;
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
                                  [](const Account& account) { return account.collectives > 0; });
  found.basis = usable ? Basis::kCollectives : Basis::kBusyTime;
  found.judgements = usable ? judge(view, found.accounts) : judge_by_busy_time(view);
  add_heading(found, document);
  add_ranks(found, document);
  add_causes(found, document);
  add_clocks(view, clocks, wish.value(), kTables[2], document);
  add_folded(found, document);
  document.shown = {view.size() > kManyRanks ? "stragglers_folded" : "stragglers"};
  const bool any = std::any_of(found.judgements.begin(), found.judgements.end(),
                               [](const Judgement& j) { return j.cause.has_value(); });
  if (any) document.shown.emplace_back("straggler_causes");
  if (clocks.any_ahead()) document.shown.emplace_back("clocks");
  return {};
}

}  // namespace comm

constexpr AnalysisSpec kStragglers = make_spec<comm::RankComm, &comm::collect, &comm::combine_stragglers>(
    "stragglers", "which rank makes the others wait, and why?",
    "Finds the same collective on every rank, brings the clocks together, and takes what a rank spends in a collective "
    "beyond the shortest duration over the ranks as waiting, which the rank that arrives last has caused. A rank is a "
    "straggler if it is last in at least half of its collectives, or costs most in at least half of the steps, and the "
    "mean wait of the others is at least 5 % of its step time; transient if at least 80 % of that sits in one step. A "
    "rank "
    "that is late because it waited in another group is a victim: its blame is passed on. The cause is what the rank "
    "does "
    "longer than the others of its group: the same kernels, more work, waiting for its host, copies; it is named if it "
    "explains at least 80 %. Without collectives that two ranks share, the busy time per step decides.",
    comm::kTables, comm::kOptions, &comm::collective_needs, Runs::kOne, &comm::check_clock_option);

}  // namespace hta::analysis
