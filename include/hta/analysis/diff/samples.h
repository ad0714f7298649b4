#pragma once
// What one rank contributes to a comparison: its samples (steps, or the whole of it) and sums over them by name.

#include "hta/analysis/diff/components.h"
#include "hta/analysis/options.h"
#include "hta/model/needs.h"
#include "hta/model/trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hta::analysis::diff {

/// One step of one rank, or the whole rank (then `step` is empty).
struct Sample {
  std::optional<std::int64_t> step;
  WindowTimes times;
};

/// A kernel over several samples. Present also if it only reaches into a window without belonging to the sample.
struct KernelSum {
  std::string name;
  KernelType kind = KernelType::kComputation;
  std::int64_t count = 0;
  Nanos time_ns = 0;   ///< durations of the events that belong to the samples
  Nanos owned_ns = 0;  ///< time of the windows that is given to it (Timeline)
};

enum class OpKind : std::uint8_t { kOp, kCall };
std::string_view op_kind_name(OpKind kind);  ///< op, call

/// An operator, or a runtime or driver call, over several samples.
struct OpSum {
  std::string name;
  OpKind kind = OpKind::kOp;
  std::int64_t count = 0;
  Nanos time_ns = 0;  ///< durations, but of those not enclosed by one of the same name and kind on their thread
  Nanos self_ns = 0;  ///< time in which it is the innermost operator or call
  Nanos gpu_ns = 0;   ///< durations of the GPU events it launched (op: the innermost around the launch)
};

struct SampleSet {
  std::vector<Sample> samples;  ///< steps by start
  std::vector<KernelSum> kernels;
  std::vector<OpSum> ops;
};

struct Partial {
  SampleSet steps;                           ///< those that are used: the chosen ones, or all complete ones
  SampleSet whole;                           ///< the rank as one sample; empty if steps were chosen by number
  std::vector<std::int64_t> recorded_steps;  ///< numbers, by start
  std::size_t incomplete_left_out = 0;
};

/// The step numbers chosen for the side that is being mapped: --base-step or --test-step, else --step.
IntRanges step_choice(const Options& options);

Needs needs(const Options& options);
Partial map(const Trace& trace, const Options& options);

}  // namespace hta::analysis::diff
