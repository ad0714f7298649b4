#pragma once
// Where does GPU time go?

#include "hta/analysis/analysis.h"
#include "hta/analysis/device_time.h"
#include "hta/base/exact.h"
#include "hta/base/shared_text.h"

#include <optional>
#include <string>
#include <vector>

namespace hta::analysis {

extern const AnalysisSpec kBreakdown;

namespace breakdown {

/// Time parts of one device, of the whole span or of one step window.
struct DeviceTime {
  std::optional<std::int64_t> device;  ///< none: the rank has no GPU events
  std::optional<std::int64_t> step;
  TimeParts parts;
};

/// Durations of all GPU events of one type and name (and innermost GPU annotation, with --by annotation).
struct KernelTime {
  KernelType type;
  SharedText name;
  SharedText annotation;
  Summary dur_ns;
};

struct AnnotationTime {
  SharedText name;
  Summary dur_ns;
};

struct Partial {
  std::vector<DeviceTime> devices;
  MaskTimes type_times{};  ///< summed over devices; [0] unused
  std::vector<KernelTime> kernels;
  std::vector<AnnotationTime> annotations;
};

Partial map(const Trace& trace, const Options& options);
Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document);

}  // namespace breakdown
}  // namespace hta::analysis
