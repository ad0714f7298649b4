#include "clocks.h"

#include "hta/base/exact.h"
#include "hta/base/human.h"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace hta::analysis::comm {
namespace {

constexpr int kRounds = 6;
constexpr Nanos kShortestForDrift = 10 * kNanosPerSecond;
constexpr Nanos kWorthANote = 10 * kNanosPerMicro;

Nanos median(std::vector<Nanos>& values) {
  return divide_half_even(*median_times_2(values), 2);
}

// All leave at about the same time only where everyone needs data from everyone.
bool synchronises(const Signature& s) {
  return s.pairing == Pairing::kGroup && (s.kind == "all_reduce" || s.kind == "all_gather" ||
                                          s.kind == "reduce_scatter" || s.kind == "all_to_all" || s.kind == "barrier");
}

class Estimator {
 public:
  Estimator(Ranks ranks, const Matching& matching) : ranks_(ranks), matching_(matching), clocks_(ranks.size()) {
    for (const Instance& instance : matching.instances) {
      if (instance.count > 1 && synchronises(signature(ranks, matching.of(instance).front())))
        used_.push_back(&instance);
    }
    of_rank_.resize(ranks.size());
    for (std::uint32_t i = 0; i < used_.size(); ++i) {
      for (const Member m : matching_.of(*used_[i])) of_rank_[m.rank].push_back({i, m});
    }
  }

  Clocks run() {
    spread();
    for (int round = 0; round < kRounds; ++round) refine();
    fit_drift();
    measure();
    Clocks clocks(ranks_, clocks_, 0);
    return {ranks_, clocks_, count_violations(clocks)};
  }

 private:
  struct Use {
    std::uint32_t instance;
    Member member;
  };

  Nanos raw_end_ns(Member m) const { return at(ranks_, m).end_ns() + ranks_[m.rank].context.shift_ns; }
  Nanos corrected(Member m) const {
    const RankClock& clock = clocks_[m.rank];
    const Nanos end = raw_end_ns(m);
    return end - clock.ahead_ns - static_cast<Nanos>(Int128{end - clock.origin_ns} * clock.drift_ppb / 1'000'000'000);
  }
  bool known(std::uint32_t rank) const { return clocks_[rank].method != ClockMethod::kNone; }

  // From the first rank to all that share a collective with a rank already known.
  void spread() {
    const auto reference =
        std::find_if(of_rank_.begin(), of_rank_.end(), [](const auto& uses) { return !uses.empty(); });
    if (reference == of_rank_.end()) return;
    clocks_[static_cast<std::size_t>(reference - of_rank_.begin())].method = ClockMethod::kReference;
    for (bool grown = true; grown;) {
      grown = false;
      std::vector<std::optional<Nanos>> end = known_ends();
      for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
        if (known(r)) continue;
        std::vector<Nanos> ahead;
        for (const Use& use : of_rank_[r]) {
          if (end[use.instance]) ahead.push_back(raw_end_ns(use.member) - *end[use.instance]);
        }
        if (ahead.empty()) continue;
        clocks_[r].ahead_ns = median(ahead);
        clocks_[r].method = ClockMethod::kEnds;
        grown = true;
      }
    }
  }

  // When each instance ended, by the median of the members whose clocks are known.
  std::vector<std::optional<Nanos>> known_ends() const {
    std::vector<std::optional<Nanos>> out(used_.size());
    std::vector<Nanos> ends;
    for (std::size_t i = 0; i < used_.size(); ++i) {
      ends.clear();
      for (const Member m : matching_.of(*used_[i])) {
        if (known(m.rank)) ends.push_back(corrected(m));
      }
      if (!ends.empty()) out[i] = median(ends);
    }
    return out;
  }

  void refine() {
    const std::vector<std::optional<Nanos>> end = known_ends();
    Nanos reference_moves_ns = 0;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      std::vector<Nanos> errors = errors_of(r, end);
      if (errors.empty()) continue;
      const Nanos error = median(errors);
      if (clocks_[r].method == ClockMethod::kReference) reference_moves_ns = error;
      else clocks_[r].ahead_ns += error;
    }
    for (RankClock& clock : clocks_) {
      if (clock.method == ClockMethod::kEnds) clock.ahead_ns -= reference_moves_ns;
    }
  }

  std::vector<Nanos> errors_of(std::uint32_t r, const std::vector<std::optional<Nanos>>& end) const {
    std::vector<Nanos> errors;
    if (!known(r)) return errors;
    for (const Use& use : of_rank_[r]) errors.push_back(corrected(use.member) - *end[use.instance]);
    return errors;
  }

  // Drift is taken over if the record is long and the residual falls by at least 30 %.
  void fit_drift() {
    const std::vector<std::optional<Nanos>> end = known_ends();
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      const std::vector<Use>& uses = of_rank_[r];
      if (clocks_[r].method != ClockMethod::kEnds || uses.size() < 6) continue;
      std::vector<std::pair<Nanos, Nanos>> points;  // end, error
      for (const Use& use : uses)
        points.emplace_back(raw_end_ns(use.member), corrected(use.member) - *end[use.instance]);
      std::sort(points.begin(), points.end());
      if (points.back().first - points.front().first < kShortestForDrift) continue;
      const std::size_t third = points.size() / 3;
      const auto [early_ns, early_error] = middle(std::span(points).first(third));
      const auto [late_ns, late_error] = middle(std::span(points).last(third));
      const RankClock before = clocks_[r];
      const Nanos residual_before = residual(r, end);
      clocks_[r].drift_ppb =
          divide_half_even(Int128{late_error - early_error} * 1'000'000'000, std::max<Nanos>(1, late_ns - early_ns));
      clocks_[r].origin_ns = early_ns;
      clocks_[r].ahead_ns += early_error;
      if (residual(r, end) * 10 > residual_before * 7) clocks_[r] = before;
    }
  }

  static std::pair<Nanos, Nanos> middle(std::span<const std::pair<Nanos, Nanos>> points) {
    std::vector<Nanos> times;
    std::vector<Nanos> errors;
    for (const auto& [time, error] : points) {
      times.push_back(time);
      errors.push_back(error);
    }
    return {median(times), median(errors)};
  }

  Nanos residual(std::uint32_t r, const std::vector<std::optional<Nanos>>& end) const {
    std::vector<Nanos> errors = errors_of(r, end);
    for (Nanos& error : errors) error = std::abs(error);
    return median(errors);
  }

  void measure() {
    const std::vector<std::optional<Nanos>> end = known_ends();
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      std::vector<Nanos> errors = errors_of(r, end);
      for (Nanos& error : errors) error = std::abs(error);
      std::sort(errors.begin(), errors.end());
      clocks_[r].collectives = static_cast<std::int64_t>(errors.size());
      clocks_[r].residual_p50_ns = quantile(errors, 1, 2);
      clocks_[r].residual_p95_ns = quantile(errors, 95, 100);
    }
  }

  std::int64_t count_violations(const Clocks& clocks) const {
    std::int64_t count = 0;
    for (const Instance* instance : used_) {
      Nanos last_start = INT64_MIN;
      Nanos first_end = INT64_MAX;
      Nanos doubt = 0;
      for (const Member m : matching_.of(*instance)) {
        if (!known(m.rank)) continue;
        last_start = std::max(last_start, clocks.start_ns(m));
        first_end = std::min(first_end, clocks.end_ns(m));
        doubt = std::max(doubt, clocks[m.rank].residual_p95_ns.value_or(0));
      }
      count += last_start != INT64_MIN && last_start - first_end > 2 * doubt ? 1 : 0;
    }
    return count;
  }

  Ranks ranks_;
  const Matching& matching_;
  std::vector<RankClock> clocks_;
  std::vector<const Instance*> used_;
  std::vector<std::vector<Use>> of_rank_;
};

std::string rank_name(const RankContext& context) {
  return "rank " + std::to_string(context.rank.rank());
}

}  // namespace

std::string_view clock_method_name(ClockMethod method) {
  switch (method) {
    case ClockMethod::kReference: return "reference";
    case ClockMethod::kEnds: return "ends";
    case ClockMethod::kGiven: return "given";
    case ClockMethod::kNone: return "none";
  }
  return {};
}

bool Clocks::any_ahead() const {
  return std::any_of(clocks_.begin(), clocks_.end(), [](const RankClock& clock) {
    return std::abs(clock.ahead_ns) > std::max(kWorthANote, clock.residual_p95_ns.value_or(0));
  });
}

Clocks align_clocks(Ranks ranks, const Matching& matching, const ClockWish& wish) {
  if (wish.use == ClockWish::Use::kAuto) return Estimator(ranks, matching).run();
  std::vector<RankClock> clocks(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (const auto found = wish.given.find(ranks[r].context.rank.rank()); found != wish.given.end())
      clocks[r] = found->second;
  }
  return {ranks, std::move(clocks), 0};
}

void add_clocks(Ranks ranks, const Clocks& clocks, const result::TableSpec& spec, result::Document& document) {
  result::Table table(spec);
  std::uint32_t farthest = 0;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    const RankClock& clock = clocks[r];
    if (std::abs(clock.ahead_ns) > std::abs(clocks[farthest].ahead_ns)) farthest = r;
    const bool known = clock.method != ClockMethod::kNone;
    table.add({ranks[r].context.rank, known ? result::Cell(clock.ahead_ns) : result::Cell(std::nullopt),
               known ? result::Cell(clock.drift_ppb * 1000) : result::Cell(std::nullopt), clock.residual_p50_ns,
               clock.residual_p95_ns, clock.collectives, clock_method_name(clock.method)});
  }
  document.tables.push_back(std::move(table));
  if (clocks.any_ahead()) {
    const Nanos ahead = clocks[farthest].ahead_ns;
    document.note("clock-offset", "the clocks of the ranks differ: that of " + rank_name(ranks[farthest].context) +
                                      " is " + human_time(std::abs(ahead)) + (ahead > 0 ? " ahead" : " behind") +
                                      ", found from the ends of collectives and corrected (table clocks)");
  }
  if (clocks.violations() > 0) {
    document.note(
        "clock-causality",
        std::to_string(clocks.violations()) +
            " collectives end on one rank before they begin on another, even after the clocks were corrected: "
            "these ranks may have been matched wrongly, or a clock has jumped");
  }
}

}  // namespace hta::analysis::comm
