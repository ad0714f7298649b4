#pragma once
// One run as a comparison sees it: sums of its samples. Small enough to be kept in a file (a baseline).

#include "hta/analysis/analysis.h"
#include "hta/analysis/diff/samples.h"
#include "hta/base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hta::analysis::diff {

/// The samples of one step number, summed over the ranks that have it.
struct StepSum {
  std::optional<std::int64_t> step;  ///< empty: ranks taken whole
  std::int64_t samples = 0;
  WindowTimes times;
};

/// What must be alike for times to be comparable.
struct Environment {
  std::int64_t ranks = 0;
  std::vector<std::string> gpus;                ///< distinct names of devices, sorted
  std::map<std::string, std::string> versions;  ///< as recorded; values of several ranks joined by ", "
};

struct RunProfile {
  Environment environment;
  std::vector<StepSum> steps;      ///< by number
  std::vector<KernelSum> kernels;  ///< by name, then kind
  std::vector<OpSum> ops;          ///< by name, then kind
  std::size_t incomplete_left_out = 0;

  std::int64_t samples() const;
  WindowTimes times() const;  ///< summed over all samples
  bool has_steps() const { return !steps.empty() && steps.front().step.has_value(); }
};

/// How the ranks of a run are cut into samples.
enum class Sampling : std::uint8_t {
  kSteps,  ///< by their steps; a rank without any is one sample, unless steps were chosen by number
  kWhole,  ///< every rank is one sample
};

/// What of a rank is used.
const SampleSet& samples_of(const Partial& partial, Sampling sampling);

/// Adds up one run, whose steps were chosen by `choice`. kInsufficient if no sample is left.
Result<RunProfile> profile_run(std::span<Ranked<Partial>> ranks, Sampling sampling, const IntRanges& choice,
                               std::string_view run_name);

/// Whether any rank recorded steps.
bool recorded_steps(std::span<Ranked<Partial>> ranks);

}  // namespace hta::analysis::diff
