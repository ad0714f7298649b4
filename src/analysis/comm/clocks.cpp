#include "clocks.h"

#include "hta/base/exact.h"
#include "hta/base/human.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "clock_causality.h"

namespace hta::analysis::comm {
namespace {

constexpr Nanos kWorthANote = 10 * kNanosPerMicro;

std::string rank_name(const RankContext& context) {
  return "rank " + std::to_string(context.rank.rank());
}

}  // namespace

std::string_view clock_method_name(ClockMethod method) {
  switch (method) {
    case ClockMethod::kReference: return "reference";
    case ClockMethod::kEnds: return "ends";
    case ClockMethod::kCausality: return "causality";
    case ClockMethod::kGiven: return "given";
    case ClockMethod::kNone: return "none";
  }
  return {};
}

Nanos Clocks::usual_doubt_ns() const {
  std::vector<Nanos> residuals;
  for (const RankClock& clock : clocks_) {
    if (clock.residual_p50_ns) residuals.push_back(*clock.residual_p50_ns);
  }
  return median_times_2(residuals).value_or(0);
}

bool Clocks::any_ahead() const {
  return std::any_of(clocks_.begin(), clocks_.end(), [](const RankClock& clock) {
    return std::abs(clock.ahead_ns) > std::max(kWorthANote, clock.residual_p95_ns.value_or(0));
  });
}

Clocks align_clocks(Ranks ranks, const Matching& matching, const ClockWish& wish) {
  Clocks clocks(ranks, wish.use == ClockWish::Use::kAuto ? clocks_by_ends(ranks, matching)
                                                         : std::vector<RankClock>(ranks.size()));
  if (wish.use == ClockWish::Use::kAuto) {
    respect_causality(ranks, matching, clocks);
  } else {
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      if (const auto found = wish.given.find(ranks[r].context.rank.rank()); found != wish.given.end())
        clocks.all()[r] = found->second;
    }
  }
  measure_causality(ranks, matching, clocks);
  return clocks;
}

void add_clocks(Ranks ranks, const Clocks& clocks, const ClockWish& wish, const result::TableSpec& spec,
                result::Document& document) {
  result::Table table(spec);
  std::uint32_t farthest = 0;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    const RankClock& clock = clocks[r];
    if (std::abs(clock.ahead_ns) > std::abs(clocks[farthest].ahead_ns)) farthest = r;
    const bool known = clock.method != ClockMethod::kNone;
    table.add({ranks[r].context.rank, known ? result::Cell(clock.ahead_ns) : result::Cell(std::nullopt),
               known ? result::Cell(clock.drift_ppb * 1000) : result::Cell(std::nullopt), clock.residual_p50_ns,
               clock.residual_p95_ns, clock.least_ahead_ns, clock.most_ahead_ns, clock.collectives, clock.violations,
               clock_method_name(clock.method)});
  }
  document.tables.push_back(std::move(table));
  if (clocks.any_ahead()) {
    const Nanos ahead = clocks[farthest].ahead_ns;
    document.note("clock-offset", "the clocks of the ranks differ: that of " + rank_name(ranks[farthest].context) +
                                      " is " + human_time(std::abs(ahead)) + (ahead > 0 ? " ahead" : " behind") +
                                      (wish.use == ClockWish::Use::kAuto
                                           ? ", found from the ends of collectives and corrected (table clocks)"
                                           : ", as --clock says (table clocks)"));
  }
  if (clocks.violations() == 0) return;
  std::string message = human_count(clocks.violations(), "collective ends", "collectives end") +
                        " on one rank before another has begun it";
  switch (wish.use) {
    case ClockWish::Use::kAuto:
      message +=
          ", even after the clocks were corrected: these ranks may have been matched wrongly, or a clock has jumped";
      break;
    case ClockWish::Use::kNone:
      message += ": the clocks of these ranks are not together (--clock auto corrects them)";
      break;
    case ClockWish::Use::kGiven: message += ": the offsets that --clock gives are not those of these traces"; break;
  }
  document.note("clock-causality", message + " (table clocks)");
}

}  // namespace hta::analysis::comm
