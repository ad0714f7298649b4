#pragma once
// What a user can turn about the rules of the walk.

#include "hta/analysis/options.h"
#include "hta/base/nanos.h"
#include "hta/base/result.h"

#include <cstdint>
#include <memory>
#include <regex>

namespace hta::analysis::critical_path {

enum class Inference : std::uint8_t { kOff, kOn };

struct Settings {
  Nanos clock_slack_ns = 10 * kNanosPerMicro;  ///< how far the clocks of host and device may disagree
  Nanos kernel_gap_ns = 30 * kNanosPerMicro;   ///< a GPU gap up to this needs no further explanation
  Nanos launch_gap_ns = kNanosPerMilli;        ///< the same for a gap behind the launch call
  Inference inference = Inference::kOn;        ///< whether waits across streams are inferred where none are recorded
  std::shared_ptr<const std::regex> loader;    ///< names of further data-loading events; may be null

  /// From --clock-slack, --kernel-gap, --no-infer and --data-loading; kUsage if the last is no regular expression.
  static Result<Settings> from(const Options& options);
};

}  // namespace hta::analysis::critical_path
