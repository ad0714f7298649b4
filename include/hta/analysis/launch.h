#pragma once
// Do kernel launches hold the GPU back?

#include "hta/analysis/analysis.h"
#include "hta/analysis/duration_histogram.h"
#include "hta/base/exact.h"
#include "hta/base/shared_text.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hta::analysis {

extern const AnalysisSpec kLaunch;

namespace launch {

struct LaunchRow {
  std::int64_t device = -1;
  std::int64_t stream = -1;
  std::int64_t correlation = 0;
  std::uint32_t launch_name = 0;  ///< index in Partial::names
  std::uint32_t kernel_name = 0;
  Nanos cpu_ns = 0;
  Nanos gpu_ns = 0;
  Nanos delay_ns = 0;
  std::uint8_t launch_class = 0;
};

/// Calls of one aten:: operator that launched the same kernels in the same order.
struct OperatorSequence {
  SharedText op;
  SharedText kernels;
  Summary op_delay_ns;       ///< first launch start - operator start
  Summary runtime_delay_ns;  ///< first kernel start - its launch start
};

/// Launches that came too late: the device had nothing to do when they began.
struct LateLaunches {
  std::int64_t count = 0;
  Nanos wait_ns = 0;  ///< how long the device had nothing to do
  void add(Nanos ns) {
    ++count;
    wait_ns += ns;
  }
};

enum Measure : std::uint8_t { kCpuDuration, kGpuDuration, kLaunchDelay, kMeasures };

struct Partial {
  std::int64_t launches = 0;
  std::int64_t pairs = 0;
  std::int64_t short_kernels = 0;
  std::int64_t runtime_outliers = 0;
  std::int64_t delay_outliers = 0;
  Nanos launch_ns = 0;
  Nanos gpu_ns = 0;
  Summary delay_ns;
  std::optional<std::int64_t> p50_delay_ns;
  std::array<DurationHistogram, kMeasures> histograms;

  /// Calls without the GPU events that they launch, outside of an incomplete last step; nothing for a filtered trace.
  std::optional<std::int64_t> bare_launches;
  std::int64_t bare_graph_launches = 0;  ///< the same of graphs, in any step

  Nanos span_ns = 0;  ///< summed over devices
  LateLaunches late;
  std::map<std::int64_t, LateLaunches> late_by_step;

  std::vector<OperatorSequence> sequences;  ///< by count descending, operator, kernels
  std::vector<LaunchRow> rows;              ///< only if asked for
  std::vector<std::string> names;
};

Partial map(const Trace& trace, const Options& options);
Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document);

}  // namespace launch
}  // namespace hta::analysis
