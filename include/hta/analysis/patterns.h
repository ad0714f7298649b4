#pragma once
// Which kernel sequences does an operator launch again and again?

#include "hta/analysis/analysis.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hta::analysis {

extern const AnalysisSpec kPatterns;

namespace patterns {

/// Calls of one operator that put the same GPU events in the same order on the device.
struct Pattern {
  std::string op;
  std::string text;         ///< operator and GPU events, joined by |
  std::int64_t events = 0;  ///< GPU events of one call
  std::int64_t count = 0;
  Nanos gpu_ns = 0;  ///< of the GPU events
  Nanos cpu_ns = 0;  ///< of the operator calls
};

struct Partial {
  std::vector<Pattern> patterns;      ///< by count descending, then text
  std::vector<std::string> elements;  ///< for --overlay: the calls of the first patterns as JSON elements
};

Partial map(const Trace& trace, const Options& options);
Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document);

}  // namespace patterns
}  // namespace hta::analysis
