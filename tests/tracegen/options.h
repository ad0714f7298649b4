#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "random.h"

namespace tracegen {

/// The user asked for something that cannot be done.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Style : std::uint8_t { kKineto, kIndent2, kCompact, kTorchOld };
enum class TimeText : std::uint8_t { kNanos, kMicros };
enum class SpanOrder : std::uint8_t { kStart, kEnd };
enum class TruthLevel : std::uint8_t { kNone, kBasic, kFull };
enum class RankList : std::uint8_t { kFull, kCut };

struct RankFactor {
  int rank;
  int pct;
};
struct StepFactor {
  int rank;
  int step;
  int pct;
};
struct Stall {
  int rank;
  int step;
  Nanos ns;
};
struct RankStep {
  int rank;
  int step;
};
struct RankCount {
  int rank;
  std::int64_t count;
};
struct Drop {
  double launches_pct = 0;
  double kernels_pct = 0;
  double corr_pct = 0;
};

/// What readers may meet in the wild, or in an attack. Each is a name of `--hostile`.
struct Hostile {
  bool exponent_ts = false;
  bool string_ts = false;
  bool missing_dur = false;
  bool negative_dur = false;
  bool string_pid = false;
  bool missing_args = false;
  bool deep_arg = false;
  bool huge_arg = false;
  bool nul_escape = false;
  bool lone_surrogate = false;
  bool bare_array = false;
  bool nan_tokens = false;
  bool trailing_comma = false;

  [[nodiscard]] bool any_event() const {
    return exponent_ts || string_ts || missing_dur || negative_dur || string_pid || missing_args || deep_arg ||
           huge_arg || nul_escape || lone_surrogate || nan_tokens;
  }
};

/// Everything that decides the bytes of the files, and where they go.
struct Options {
  std::string out;
  std::string preset;
  unsigned threads = 1;
  TruthLevel truth = TruthLevel::kBasic;
  std::uint64_t seed = 1;

  // Size. With target_bytes > 0 and no --steps, the number of steps follows from the wanted size of the whole set.
  int ranks = 8;
  int steps = 4;
  int layers = 24;
  int micro = 1;
  int python_stack = 0;
  std::int64_t target_bytes = 0;
  bool shapes = true;
  bool flows = true;
  bool memory = false;
  bool sync_events = false;

  // Parallel layout.
  int tp = 1;
  int pp = 1;
  int bucket_layers = 4;
  int zero = 0;
  bool cuda_graphs = false;

  // Costs.
  Nanos k_ns = 180'000;
  Nanos ew_ns = 12'000;
  Nanos op_ns = 6'000;
  Nanos launch_ns = 4'500;
  Nanos lat_ns = 3'000;
  Nanos ar_ns_per_mb = 9'000;
  Nanos coll_base_ns = 15'000;
  Nanos loader_ns = 400'000;
  std::int64_t copy_bytes = std::int64_t{1} << 20U;
  int jitter = 8;
  int queue_depth = 1024;
  int item_every = 2;

  // Faults.
  std::vector<RankFactor> slow_rank;
  std::vector<RankFactor> extra_work;
  std::vector<RankFactor> slow_copy;
  std::vector<RankFactor> slow_link;  ///< `rank` is the index of a data-parallel group here.
  std::vector<Stall> stall;
  std::vector<StepFactor> launch_delay;
  std::vector<StepFactor> slow_step;
  std::vector<RankCount> sync_every;
  std::vector<RankStep> alloc;
  bool pageable = false;
  Nanos clock_skew_ns = 0;
  double clock_drift_ppm = 0;
  Nanos comm_jitter = 0;
  double lost_collectives = 0;
  Drop drop;
  std::vector<RankCount> truncate;
  std::vector<RankCount> truncate_file;
  bool comms_id = false;
  bool collective_args = true;
  RankList pg_ranks = RankList::kFull;

  // Text.
  Style style = Style::kKineto;
  TimeText ts = TimeText::kNanos;
  SpanOrder op_order = SpanOrder::kStart;
  std::int64_t base_ns = 0;
  std::int64_t base_step_ns = 0;
  bool meta_last = false;
  bool shuffle_keys = false;
  int gzip = 6;
  int members = 1;
  Hostile hostile;

  /// `{"name": "value"}` of every option as resolved, without those that do not change the bytes. Sorted by name.
  std::vector<std::pair<std::string, std::string>> listing;
  bool steps_given = false;
};

/// The factor in percent for `rank`, 100 when it is not listed.
[[nodiscard]] int factor_pct(const std::vector<RankFactor>& list, int rank);

enum class ParseOutcome : std::uint8_t { kRun, kExitOk, kExitUsage };

/// Reads the command line into `options`: the preset first, then every flag on top of it. Prints help and usage errors
/// itself. Throws UsageError when flags contradict each other.
[[nodiscard]] ParseOutcome parse_command_line(int argc, const char* const* argv, Options& options);

}  // namespace tracegen
