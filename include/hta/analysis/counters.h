#pragma once
// How full are the launch queues, how fast are the copies, and what do hardware counters say?

#include "hta/analysis/analysis.h"
#include "hta/analysis/counter_series.h"
#include "hta/analysis/hardware_counters.h"
#include "hta/base/exact.h"

#include <optional>
#include <string>
#include <vector>

namespace hta::analysis {

extern const AnalysisSpec kCounters;

namespace counters {

/// Statistics over the points of a series, rounded to the decimals of their columns.
struct PointStatistics {
  std::int64_t count = 0;
  std::optional<std::int64_t> mean, deviation, min, p25, p50, p75, max;
  std::optional<std::int64_t> time_mean;  ///< weighted by the time for which each value holds
};

/// Launch queue of one stream.
struct Queue {
  Stream stream;
  PointStatistics lengths;  ///< ten-thousandths, but min and max
  Nanos full_ns = 0;        ///< at or above --queue-full
  std::string pid;          ///< as JSON
  Series points;            ///< only if a table or a trace with counters was asked for
};

/// Traffic of one kind of copy on one device.
struct Traffic {
  std::int64_t device = -1;
  std::string label;
  PointStatistics rates;  ///< 10^-6 GB/s; of the points above zero, time_mean of the time with traffic
  std::string pid;
  Series points;
};

/// Copies and fills of one name on one device.
struct Copies {
  std::int64_t device = -1;
  std::string name;
  Summary dur_ns;
  std::optional<std::int64_t> bytes;  ///< none if no event says how many
  Nanos dur_with_bytes_ns = 0;
};

struct Partial {
  std::vector<Queue> queues;     ///< by device, stream
  std::vector<Traffic> traffic;  ///< by device, label
  std::vector<Copies> copies;
  std::int64_t range_count = 0;  ///< ranges with hardware counters
  CounterRanges hardware;        ///< only if asked for
};

Partial map(const Trace& trace, const Options& options);
Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document);

}  // namespace counters
}  // namespace hta::analysis
