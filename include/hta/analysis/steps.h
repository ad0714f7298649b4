#pragma once
// How long is each step, which ones stand out, and what grew in them?

#include "hta/analysis/analysis.h"
#include "hta/base/exact.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hta::analysis {

extern const AnalysisSpec kSteps;

namespace steps {

/// Where the time of a step goes; the parts sum to the step's length.
enum class Part : std::uint8_t { kCompute, kExposedComm, kExposedMemory, kIdle };
inline constexpr std::size_t kParts = 4;
std::string_view part_name(Part part);

/// One step window of one rank.
struct StepTime {
  std::int64_t number = 0;
  Nanos start_ns = 0;
  Nanos dur_ns = 0;
  std::array<Nanos, kParts> parts_ns{};  ///< over all devices of the rank together
  Nanos busy_ns() const { return dur_ns - parts_ns[static_cast<std::size_t>(Part::kIdle)]; }
};

struct Partial {
  std::vector<StepTime> steps;  ///< by start
  bool gpu_events = false;
};

/// A step far from the others of its rank: by over 3.5 robust deviations (1.4826 MAD) and over 5 % of the median.
struct Outlier {
  std::size_t step = 0;       ///< row of Partial::steps
  std::int64_t over_2ns = 0;  ///< twice the distance from the median, negative for a short step
  /// The part that changed most in the same direction, against its own median over the steps; none without GPU events
  /// or if the kernels of the step were not all recorded.
  std::optional<Part> part;
  std::int64_t part_2ns = 0;  ///< twice its change
};

/// What stands out among the steps of one rank. `incomplete`: numbers of steps whose kernels are not all there.
std::vector<Outlier> find_outliers(const Partial& partial, std::span<const std::int64_t> incomplete);

Partial map(const Trace& trace, const Options& options);
Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document);

}  // namespace steps
}  // namespace hta::analysis
