#pragma once
// The disjoint parts of a step, and the metrics made of them.

#include "hta/base/nanos.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace hta::analysis::diff {

/// What an instant of a window is given to: the first of these that applies. In the order of the waterfall.
enum class Component : std::uint8_t {
  kCompute,        ///< computation is running on some device of the rank
  kExposedComm,    ///< communication is, and no computation
  kExposedMemory,  ///< copies, fills or bookkeeping are, and neither of those
  kHostWait,       ///< idle: the host launched the next event too late
  kKernelWait,     ///< idle: a short gap, the next event was launched in time
  kOtherIdle,      ///< idle: any other gap, and the end of the recording
};
inline constexpr std::size_t kComponents = 6;
inline constexpr std::size_t kBusyComponents = 3;  ///< the first ones: GPU events own them
/// compute, exposed_comm, ..., idle_other.
std::string_view component_name(Component component);
/// "computation", "waiting for the host", ...: for sentences.
std::string_view component_phrase(Component component);

/// Times of a window, or their sum over several.
struct WindowTimes {
  Nanos step_ns = 0;  ///< length of the window: the sum of the components
  std::array<Nanos, kComponents> component_ns{};
  Nanos kernel_ns = 0;  ///< summed durations of the GPU events that belong to it, wherever they run
  Nanos& operator[](Component c) { return component_ns[static_cast<std::size_t>(c)]; }
  WindowTimes& operator+=(const WindowTimes& other);
};

/// What is judged step by step. In the order of the table.
enum class Metric : std::uint8_t {
  kStepTime,
  kCompute,
  kExposedComm,
  kExposedMemory,
  kHostWait,
  kKernelWait,
  kOtherIdle,
  kGpuBusy,
  kIdle,
  kKernelTime
};
inline constexpr std::size_t kMetrics = 10;
/// The rows of the waterfall: the step and its components.
inline constexpr std::size_t kWaterfallMetrics = 1 + kComponents;
std::string_view metric_name(Metric metric);
Nanos metric_of(const WindowTimes& times, Metric metric);

}  // namespace hta::analysis::diff
