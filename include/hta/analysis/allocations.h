#pragma once
// The `[memory]` events of one rank, by device: totals over time, which operators allocate, what is live at the peak.

#include "hta/model/trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hta::analysis {

/// Allocations and releases below one operator (or annotation); no name: none was open.
struct OperatorMemory {
  std::string name;
  std::int64_t allocations = 0;
  std::int64_t releases = 0;
  std::int64_t allocated_bytes = 0;
  std::int64_t released_bytes = 0;
  std::int64_t kept_bytes = 0;  ///< allocated by it and not released, by anyone, until the end
  std::int64_t net_bytes() const { return allocated_bytes - released_bytes; }
};

/// Live allocations of one operator.
struct LiveMemory {
  std::string name;
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};

struct CurvePoint {
  Nanos time_ns = 0;
  std::int64_t change_bytes = 0;
  std::int64_t allocated_bytes = 0;  ///< afterwards
  std::optional<std::int64_t> reserved_bytes;
};

struct DeviceMemory {
  std::int64_t device_type = -1;  ///< as PyTorch numbers them: 0 CPU, 1 CUDA
  std::int64_t device = -1;
  std::int64_t events = 0;
  bool totals_recorded = true;   ///< else the totals are sums of the changes, from 0
  std::int64_t start_bytes = 0;  ///< before the first event
  std::int64_t end_bytes = 0;
  CurvePoint peak;  ///< the first event with the largest total
  std::optional<std::int64_t> peak_step;
  std::optional<std::int64_t> peak_reserved_bytes;
  std::optional<std::int64_t> capacity_bytes;  ///< of the device, if the trace tells
  std::vector<OperatorMemory> operators;
  std::vector<LiveMemory> live_at_peak;  ///< allocated in the trace and not released before the peak
  std::vector<CurvePoint> curve;         ///< only with Curve::kKeep

  /// Bytes at the peak that were allocated before the recording began, as far as the trace tells.
  std::int64_t older_at_peak() const;
};

enum class Curve : std::uint8_t { kDrop, kKeep };

/// By device type and device. Needs Needs::memory_events and Needs::host_events. An allocation belongs to the innermost
/// operator or annotation open on its thread; functions that only allocate (aten::empty, ...) pass it on to their
/// caller. O(host events + memory events).
std::vector<DeviceMemory> device_memory(const Trace& trace, Curve curve);

/// `cpu`, `cuda`, ...; the number if it is none of PyTorch's.
std::string device_type_name(std::int64_t device_type);

}  // namespace hta::analysis
