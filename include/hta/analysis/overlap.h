#pragma once
// Is communication hidden behind computation?

#include "hta/analysis/analysis.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hta::analysis {

extern const AnalysisSpec kOverlap;

namespace overlap {

/// Communication of one device, or the part of it of one kind.
struct Hiding {
  Nanos comm_ns = 0;     ///< any of the communication running
  Nanos overlap_ns = 0;  ///< and computation as well
  Nanos exposed_ns() const { return comm_ns - overlap_ns; }
};

/// The collectives of one kind in one process group. Where two kinds run at once, the time counts for both.
struct CollectiveHiding {
  std::string_view kind;
  std::string process_group;  ///< empty if the trace does not tell
  std::int64_t count = 0;
  Hiding hiding;
};

struct DeviceOverlap {
  std::int64_t device = -1;
  Nanos span_ns = 0;
  Nanos compute_ns = 0;
  Hiding hiding;
  std::vector<CollectiveHiding> collectives;  ///< most exposed first, then by name
};

struct Partial {
  std::vector<DeviceOverlap> devices;
};

Partial map(const Trace& trace, const Options& options);
Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document);

}  // namespace overlap
}  // namespace hta::analysis
