#include "hta/base/exact.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "clocks.h"

namespace hta::analysis::comm {
namespace {

constexpr int kRounds = 6;
constexpr Nanos kShortestForDrift = 10 * kNanosPerSecond;
constexpr std::size_t kFewestForDrift = 12;  // collectives

Nanos median(std::vector<Nanos>& values) {
  return divide_half_even(*median_times_2(values), 2);
}

class Estimator {
 public:
  Estimator(Ranks ranks, const Matching& matching) : ranks_(ranks), matching_(matching), clocks_(ranks, make(ranks)) {
    for (const Instance& instance : matching.instances) {
      if (instance.count > 1 && synchronises(signature(ranks, matching.of(instance).front())))
        used_.push_back(&instance);
    }
    of_rank_.resize(ranks.size());
    for (std::uint32_t i = 0; i < used_.size(); ++i) {
      for (const Member m : matching_.of(*used_[i])) of_rank_[m.rank].push_back({i, m});
    }
  }

  std::vector<RankClock> run() {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      if (!known(r) && !of_rank_[r].empty()) settle_island(r);
    }
    refine();
    fit_drift();
    put_references_right();
    measure();
    return {clocks_.all().begin(), clocks_.all().end()};
  }

 private:
  struct Use {
    std::uint32_t instance;
    Member member;
  };
  using Ends = std::vector<std::optional<Nanos>>;  // of used_, where known

  // Everyone is an island until compared with others.
  static std::vector<RankClock> make(Ranks ranks) {
    std::vector<RankClock> clocks(ranks.size());
    for (std::uint32_t r = 0; r < ranks.size(); ++r) clocks[r].island = r;
    return clocks;
  }

  RankClock& clock(std::uint32_t rank) { return clocks_.all()[rank]; }
  bool known(std::uint32_t rank) const { return clocks_[rank].method != ClockMethod::kNone; }

  // From `reference` to all that share a collective with a rank already known.
  void settle_island(std::uint32_t reference) {
    clock(reference).method = ClockMethod::kReference;
    for (bool grown = true; grown;) {
      grown = false;
      const Ends ends = known_ends();
      for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
        if (known(r)) continue;
        std::vector<Nanos> ahead = errors_of(r, ends);
        if (ahead.empty()) continue;
        clock(r).ahead_ns = median(ahead);
        clock(r).method = ClockMethod::kEnds;
        clock(r).island = reference;
        grown = true;
      }
    }
  }

  // When each instance ended, by the median of the members whose clocks are known.
  Ends known_ends() const {
    Ends out(used_.size());
    std::vector<Nanos> ends;
    for (std::size_t i = 0; i < used_.size(); ++i) {
      ends.clear();
      for (const Member m : matching_.of(*used_[i])) {
        if (known(m.rank)) ends.push_back(clocks_.end_ns(m));
      }
      if (!ends.empty()) out[i] = median(ends);
    }
    return out;
  }

  // How far the ends of a rank are behind those of the others.
  std::vector<Nanos> errors_of(std::uint32_t rank, const Ends& ends) const {
    std::vector<Nanos> errors;
    for (const Use& use : of_rank_[rank]) {
      if (ends[use.instance]) errors.push_back(clocks_.end_ns(use.member) - *ends[use.instance]);
    }
    return errors;
  }

  void refine() {
    for (int round = 0; round < kRounds; ++round) {
      const Ends ends = known_ends();
      for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
        std::vector<Nanos> errors = errors_of(r, ends);
        if (!errors.empty()) clock(r).ahead_ns += median(errors);
      }
    }
  }

  // All clocks get a drift, and those lose it again that do not need it.
  void fit_drift() {
    const std::vector<RankClock> even(clocks_.all().begin(), clocks_.all().end());
    bool any = false;
    for (int round = 0; round < kRounds; ++round) {
      const Ends ends = known_ends();
      for (std::uint32_t r = 0; r < ranks_.size(); ++r) any |= tilt(r, ends);
    }
    if (!any) return;
    const Ends ends = known_ends();
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      const RankClock tilted = clocks_[r];
      if (tilted.drift_ppb == 0) continue;
      const Nanos residual_ns = residual_around_median(r, ends);
      clock(r) = even[r];
      const Nanos even_residual_ns = residual_around_median(r, ends);
      // The residual has to fall by 30 %, and by more than chance can do.
      const Nanos change_ns = std::abs(static_cast<Nanos>(Int128{record_ns(r)} * tilted.drift_ppb / 1'000'000'000));
      if (residual_ns * 10 <= even_residual_ns * 7 && change_ns > 4 * residual_ns) clock(r) = tilted;
    }
    refine();
  }

  // Lays a line through the errors of a rank: through the medians of the first and the last third.
  bool tilt(std::uint32_t rank, const Ends& ends) {
    if (of_rank_[rank].size() < kFewestForDrift || record_ns(rank) < kShortestForDrift) return false;
    std::vector<std::pair<Nanos, Nanos>> points;  // end, error
    for (const Use& use : of_rank_[rank]) {
      const Nanos end = clocks_.end_ns(use.member);
      points.emplace_back(end, end - *ends[use.instance]);
    }
    std::sort(points.begin(), points.end());
    const std::size_t third = points.size() / 3;
    const auto [early_ns, early_error] = middle(std::span(points).first(third));
    const auto [late_ns, late_error] = middle(std::span(points).last(third));
    const std::int64_t ppb =
        divide_half_even(Int128{late_error - early_error} * 1'000'000'000, std::max<Nanos>(1, late_ns - early_ns));
    clock(rank).drift_ppb += ppb;
    clock(rank).ahead_ns += early_error - static_cast<Nanos>(Int128{early_ns} * ppb / 1'000'000'000);
    return true;
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

  // From the first to the last collective.
  Nanos record_ns(std::uint32_t rank) const {
    const auto [first, last] = std::minmax_element(
        of_rank_[rank].begin(), of_rank_[rank].end(),
        [&](const Use& a, const Use& b) { return at(ranks_, a.member).end_ns() < at(ranks_, b.member).end_ns(); });
    return first == of_rank_[rank].end() ? 0 : at(ranks_, last->member).end_ns() - at(ranks_, first->member).end_ns();
  }

  Nanos residual_around_median(std::uint32_t rank, const Ends& ends) const {
    std::vector<Nanos> errors = errors_of(rank, ends);
    const Nanos offset_ns = median(errors);
    for (Nanos& error : errors) error = std::abs(error - offset_ns);
    return median(errors);
  }

  // The reference of an island is right by definition; what was found of it belongs to the others.
  void put_references_right() {
    const std::vector<RankClock> found(clocks_.all().begin(), clocks_.all().end());
    for (RankClock& clock : clocks_.all()) {
      clock.ahead_ns -= found[clock.island].ahead_ns;
      clock.drift_ppb -= found[clock.island].drift_ppb;
    }
  }

  // Against the median of the others alone: of few ranks, each is close to a median that it takes part in.
  void measure() {
    std::vector<std::vector<Nanos>> residuals(ranks_.size());
    std::vector<std::pair<Nanos, std::uint32_t>> ends;
    for (const Instance* instance : used_) {
      ends.clear();
      for (const Member m : matching_.of(*instance)) ends.emplace_back(clocks_.end_ns(m), m.rank);
      std::sort(ends.begin(), ends.end());
      // The place of the lower and of the upper middle of the others, if one of all is left out.
      const std::size_t low = (ends.size() - 2) / 2;
      const std::size_t high = (ends.size() - 1) / 2;
      for (std::size_t i = 0; i < ends.size(); ++i) {
        const Nanos others =
            divide_half_even(Int128{ends[low + (low >= i ? 1 : 0)].first} + ends[high + (high >= i ? 1 : 0)].first, 2);
        residuals[ends[i].second].push_back(std::abs(ends[i].first - others));
      }
    }
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      std::sort(residuals[r].begin(), residuals[r].end());
      clock(r).collectives = static_cast<std::int64_t>(residuals[r].size());
      clock(r).residual_p50_ns = quantile(residuals[r], 1, 2);
      clock(r).residual_p95_ns = quantile(residuals[r], 95, 100);
    }
  }

  Ranks ranks_;
  const Matching& matching_;
  Clocks clocks_;
  std::vector<const Instance*> used_;
  std::vector<std::vector<Use>> of_rank_;
};

}  // namespace

bool synchronises(const Signature& s) {
  return s.pairing == Pairing::kGroup && (s.kind == "all_reduce" || s.kind == "all_gather" ||
                                          s.kind == "reduce_scatter" || s.kind == "all_to_all" || s.kind == "barrier");
}

std::vector<RankClock> clocks_by_ends(Ranks ranks, const Matching& matching) {
  return Estimator(ranks, matching).run();
}

}  // namespace hta::analysis::comm
