#pragma once
// Seeded random traces for property tests: nested host events, launches, kernels on several streams, steps.

#include "hta/model/needs.h"
#include "hta/model/trace.h"

#include <cstdint>
#include <string>
#include <vector>

#include "support/random.h"

namespace hta::test {

struct RandomTraceOptions {
  int steps = 3;  ///< 0: no ProfilerSteps
  int operators_per_step = 12;
  int devices = 1;
  int streams = 3;
  int helper_threads = 1;
  int ties_percent = 10;     ///< chance that a time equals one used before
  int unlinked_percent = 5;  ///< kernels without a launch
  int overlap_percent = 10;  ///< kernels that start before their stream is free
};

/// One record of a generated trace, in the order of the file; tests may shift, shuffle or change it.
struct SketchEvent {
  std::string category;
  std::string name;
  Nanos start_ns = 0;
  Nanos dur_ns = 0;
  std::int64_t pid = 0;
  std::int64_t tid = 0;
  std::int64_t device = -1;  ///< -1: no such argument
  std::int64_t stream = -1;
  std::int64_t correlation = 0;
  std::int64_t bytes = -1;
};

std::vector<SketchEvent> random_events(std::uint64_t seed, const RandomTraceOptions& options = {});
/// Builds the trace of these records, everything kept.
Trace build_trace(const std::vector<SketchEvent>& events);
/// The records as the text of a trace file, as the profiler writes it.
std::string to_json(const std::vector<SketchEvent>& events);

}  // namespace hta::test
