#pragma once
// How far the clocks of the ranks are apart: all ranks leave a synchronising collective at about the same time.

#include "hta/base/result.h"
#include "hta/result/document.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "match.h"

namespace hta::analysis::comm {

enum class ClockMethod : std::uint8_t {
  kReference,  ///< the others are compared with this rank
  kEnds,       ///< ends of collectives shared with ranks whose clocks are known
  kGiven,      ///< by the user
  kNone,       ///< not connected to the reference, or not wanted
};
std::string_view clock_method_name(ClockMethod method);  ///< reference, ends, given, none

/// The clock of one rank after its base time was taken into account.
struct RankClock {
  Nanos ahead_ns = 0;          ///< of the reference, at `origin_ns`
  std::int64_t drift_ppb = 0;  ///< how much faster it runs
  Nanos origin_ns = 0;
  std::optional<Nanos> residual_p50_ns;  ///< of the ends after correction
  std::optional<Nanos> residual_p95_ns;
  std::int64_t collectives = 0;
  ClockMethod method = ClockMethod::kNone;
};

class Clocks {
 public:
  Clocks(Ranks ranks, std::vector<RankClock> clocks, std::int64_t violations)
      : ranks_(ranks), clocks_(std::move(clocks)), violations_(violations) {}

  const RankClock& operator[](std::uint32_t rank) const { return clocks_[rank]; }
  /// A time of the rank's own clock on the common one, which is that of the reported times.
  Nanos common(std::uint32_t rank, Nanos own_ns) const {
    const RankClock& clock = clocks_[rank];
    const Nanos reported = own_ns + ranks_[rank].context.shift_ns;
    return reported - clock.ahead_ns -
           static_cast<Nanos>(Int128{reported - clock.origin_ns} * clock.drift_ppb / 1'000'000'000);
  }
  Nanos start_ns(Member m) const { return common(m.rank, at(ranks_, m).start_ns); }
  Nanos end_ns(Member m) const { return common(m.rank, at(ranks_, m).end_ns()); }
  /// Differences of times of two ranks up to this much mean nothing.
  Nanos doubt_ns(std::uint32_t a, std::uint32_t b) const {
    return clocks_[a].residual_p50_ns.value_or(0) + clocks_[b].residual_p50_ns.value_or(0);
  }
  /// Collectives that, after correction, end on one rank before they begin on another, by more than the doubt.
  std::int64_t violations() const { return violations_; }
  /// Whether any clock was off by more than its residual.
  bool any_ahead() const;

 private:
  Ranks ranks_;
  std::vector<RankClock> clocks_;
  std::int64_t violations_;
};

/// Clocks as the user gives them: `auto`, `none`, or a table with the columns rank, offset_us and, if wanted,
/// drift_ppm, as `--table clocks -f csv` writes it.
struct ClockWish {
  enum class Use : std::uint8_t { kAuto, kNone, kGiven };
  Use use = Use::kAuto;
  std::map<std::int64_t, RankClock> given;  ///< by rank
};
/// kUsage if it is neither.
Result<ClockWish> parse_clock_wish(const std::string& text);
/// The same for the option, before anything is read.
Status check_clock_option(const Options& options);

/// O(collectives of all ranks), some rounds. Drift only where the record is long enough to tell it from noise.
Clocks align_clocks(Ranks ranks, const Matching& matching, const ClockWish& wish);

/// Table `clocks`, and notes about clocks that are off and about violations of causality.
void add_clocks(Ranks ranks, const Clocks& clocks, const result::TableSpec& spec, result::Document& document);

}  // namespace hta::analysis::comm
