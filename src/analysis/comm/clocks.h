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
  kCausality,  ///< no such collective; what is received was sent before
  kGiven,      ///< by the user
  kNone,       ///< not connected to the reference, or not wanted
};
std::string_view clock_method_name(ClockMethod method);  ///< reference, ends, causality, given, none

/// The clock of one rank after its base time was taken into account.
struct RankClock {
  Nanos ahead_ns = 0;                    ///< of the reference, when the common clock shows 0
  std::int64_t drift_ppb = 0;            ///< how much faster it runs
  std::optional<Nanos> residual_p50_ns;  ///< of the ends after correction
  std::optional<Nanos> residual_p95_ns;
  std::optional<Nanos> least_ahead_ns;  ///< what causality leaves possible for ahead_ns
  std::optional<Nanos> most_ahead_ns;
  std::int64_t collectives = 0;  ///< that ahead_ns was found from
  std::int64_t violations = 0;   ///< collectives in which, after correction, this rank contradicts causality
  ClockMethod method = ClockMethod::kNone;
  std::uint32_t island = 0;   ///< ranks of one number were compared by ends
  Nanos island_doubt_ns = 0;  ///< how far the island as a whole may be off
};

class Clocks {
 public:
  Clocks(Ranks ranks, std::vector<RankClock> clocks) : ranks_(ranks), clocks_(std::move(clocks)) {}

  const RankClock& operator[](std::uint32_t rank) const { return clocks_[rank]; }
  /// A time of the rank's own clock on the common one, which is that of the reported times.
  Nanos common(std::uint32_t rank, Nanos own_ns) const {
    const RankClock& clock = clocks_[rank];
    const Nanos even = own_ns + ranks_[rank].context.shift_ns - clock.ahead_ns;
    if (clock.drift_ppb == 0) return even;
    return even - static_cast<Nanos>(Int128{even} * clock.drift_ppb / 1'000'000'000);
  }
  Nanos start_ns(Member m) const { return common(m.rank, at(ranks_, m).start_ns); }
  Nanos end_ns(Member m) const { return common(m.rank, at(ranks_, m).end_ns()); }
  /// Differences of times of two ranks up to this much mean nothing.
  Nanos doubt_ns(std::uint32_t a, std::uint32_t b) const {
    const auto of = [](const RankClock& clock) { return clock.residual_p50_ns.value_or(0); };
    const RankClock& one = clocks_[a];
    const RankClock& two = clocks_[b];
    return of(one) + of(two) + (one.island == two.island ? 0 : one.island_doubt_ns + two.island_doubt_ns);
  }
  /// Of two ranks in the middle of all: twice the median residual.
  Nanos usual_doubt_ns() const;
  /// Whether any clock was off by more than its residual.
  bool any_ahead() const;
  /// Collectives that contradict causality.
  std::int64_t violations() const { return violations_; }
  void set_violations(std::int64_t count) { violations_ = count; }
  std::span<RankClock> all() { return clocks_; }

 private:
  Ranks ranks_;
  std::vector<RankClock> clocks_;
  std::int64_t violations_ = 0;
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

/// By the ends of collectives, moved as far as causality demands; or as wished. O(collectives of all ranks), some
/// rounds.
Clocks align_clocks(Ranks ranks, const Matching& matching, const ClockWish& wish);

/// By the ends alone. Ranks that share no collective, not even through others, are islands with a reference each.
/// Drift only where the record is long enough to tell it from noise.
std::vector<RankClock> clocks_by_ends(Ranks ranks, const Matching& matching);

/// Whether all ranks leave at about the same time, because everyone needs data from everyone.
bool synchronises(const Signature& signature);

/// Table `clocks`, and notes about clocks that are off and about violations of causality.
void add_clocks(Ranks ranks, const Clocks& clocks, const ClockWish& wish, const result::TableSpec& spec,
                result::Document& document);

}  // namespace hta::analysis::comm
