#pragma once
// Two runs side by side: every row of every table, before anything is printed.

#include "hta/analysis/diff/names.h"
#include "hta/analysis/diff/noise.h"
#include "hta/analysis/diff/profile.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hta::analysis::diff {

/// A value of both runs.
struct Pair {
  std::int64_t base = 0;
  std::int64_t test = 0;
  std::int64_t change() const { return test - base; }
};

/// How a kernel or operator changed.
enum class ChangeClass : std::uint8_t { kUnchanged, kAdded, kRemoved, kMore, kFewer, kSlower, kFaster };
std::string_view change_class_name(ChangeClass change);

/// Changes below either of these are none.
struct Thresholds {
  Nanos min_ns = kNanosPerMicro;
  std::int64_t min_pct = 2'000'000;  ///< of the larger time; in 10^-6
};
/// From calls per step (hundredths) and time per step (ns). Swapping the runs gives the opposite class.
ChangeClass classify_change(Pair count, Pair time_ns, const Thresholds& thresholds);

struct KernelRow {
  std::string name;
  KernelType kind;
  Pair count;    ///< per step, hundredths
  Pair time_ns;  ///< per step
  ChangeClass change = ChangeClass::kUnchanged;
  std::optional<Nanos> base_mean_ns;  ///< per call
  std::optional<Nanos> test_mean_ns;
  std::string base_names;  ///< original names joined by " | "; empty if there is only `name`
  std::string test_names;
};

struct OpRow {
  std::string name;
  OpKind kind;
  Pair count;    ///< per step, hundredths
  Pair time_ns;  ///< per step, inclusive
  Pair self_ns;
  Pair gpu_ns;
  ChangeClass change = ChangeClass::kUnchanged;
};

struct OwnedRow {
  Component component;
  std::string name;
  Pair time_ns;  ///< per step
};

struct MetricRow {
  Metric metric;
  Pair time_ns;  ///< per step
  Pair steps;    ///< step numbers that have a value
  NoiseResult noise;
};

struct Comparison {
  std::vector<KernelRow> kernels;  ///< by |change|, then name, then kind; so are the next two
  std::vector<OpRow> ops;
  std::vector<OwnedRow> owned;
  std::array<MetricRow, kMetrics> metrics;  ///< in the order of Metric
  const MetricRow& operator[](Metric m) const { return metrics[static_cast<std::size_t>(m)]; }
};

struct CompareOptions {
  NameRule names = NameRule::kAuto;
  Thresholds thresholds;
  Significance significance;
};
CompareOptions compare_options(const Options& options);

/// Neither run is without samples.
Comparison compare(const RunProfile& base, const RunProfile& test, const CompareOptions& options);

}  // namespace hta::analysis::diff
