#pragma once
// How long would the window take if something were faster?

#include "hta/analysis/analysis.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hta::analysis {

extern const AnalysisSpec kWhatif;

namespace whatif {

/// What a prediction is.
enum class Method : std::uint8_t {
  kMeasured,   ///< nothing changed: the check that the replay is right
  kSimulated,  ///< lengths changed, dependencies kept
  kBound,      ///< dependencies left out that a real program has in part: it cannot get better than this
};
std::string_view method_name(Method method);

struct Outcome {
  std::string scenario;
  Method method = Method::kSimulated;
  Nanos predicted_ns = 0;
};

struct Partial {
  std::optional<Error> error;  ///< the rank has no such window; the rest is empty then
  std::string window;
  Nanos measured_ns = 0;
  Nanos unexplained_ns = 0;  ///< of the path
  Nanos inferred_ns = 0;     ///< of the path: GPU time reached only over an inferred wait
  std::int64_t dropped_edges = 0;
  std::vector<Outcome> outcomes;  ///< nothing changed, then the scenarios
};

Partial map(const Trace& trace, const Options& options);
Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document);

}  // namespace whatif
}  // namespace hta::analysis
