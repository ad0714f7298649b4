#pragma once
// Which stretch of a rank is explained, and where its walk starts.

#include "hta/analysis/options.h"
#include "hta/base/intervals.h"
#include "hta/base/result.h"
#include "hta/model/trace.h"

#include <string>
#include <vector>

#include "lanes.h"

namespace hta::analysis::critical_path {

struct Window {
  Interval time;      ///< own clock of the rank
  std::string label;  ///< "step 7", "steps 3-5", "annotation NAME[0]", "time", "trace"
  /// Where the work of the window was done: a GPU event, else a thread, else nothing ran in it.
  GpuId last_event;
  ThreadId last_thread;
  Nanos done_ns = 0;  ///< when, at most the end of the window
  ThreadId chosen;    ///< the thread of the step or annotation, if it is one
};

/// What the user asked for: one of --step, --annotation, --time, --trace, or nothing.
class WindowChoice {
 public:
  /// kUsage if the values are malformed or contradict each other.
  static Result<WindowChoice> from(const Options& options);

  /// The window if it is a step or an annotation; done before lanes are chosen, since the thread matters to them.
  /// kInsufficient if there is no such thing. A window of kind time or trace comes back unfinished.
  Result<Window> find(const Trace& trace) const;
  /// Finishes a window of kind time or trace. kInsufficient if it is empty.
  Status finish(const Trace& trace, const Lanes& lanes, Window& window) const;

 private:
  enum class Kind : std::uint8_t { kDefault, kStep, kAnnotation, kTime, kTrace };
  Result<Window> find_annotation(const Trace& trace) const;

  Kind kind_ = Kind::kDefault;
  std::int64_t first_step_ = 0;
  std::int64_t last_step_ = 0;
  std::string annotation_;
  std::int64_t instance_ = 0;
  Interval reported_;  ///< of --time, on the reported clock
};

/// When each step of the trace was done: its end, or the last end of a GPU event that belongs to it. By StepId.
std::vector<Nanos> step_completions(const Trace& trace);

}  // namespace hta::analysis::critical_path
