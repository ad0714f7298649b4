#pragma once

#include <cstdint>

#include "catalog.h"
#include "program.h"

namespace tracegen {

/// Runtime API calls that appear in a trace.
enum class Api : std::uint8_t {
  kLaunchKernel,
  kMemcpyAsync,
  kEventRecord,
  kStreamWaitEvent,
  kStreamSynchronize,
  kMalloc,
  kFree,
  kGraphLaunch
};

/// One occurrence of a collective: the `seq`-th of its group, from 0.
struct CollectiveRef {
  int group = -1;
  int seq = -1;
  CollectiveKind kind = CollectiveKind::kAllReduce;
  std::int64_t bytes = 0;
};

/// An operator or annotation of a thread. While it is open, `end_ns` is -1.
struct Span {
  enum class Kind : std::uint8_t { kOp, kAnnotation };
  Kind kind = Kind::kOp;
  GradRole grad = GradRole::kNone;
  OpId op = OpId::kLayerNorm;
  AnnotationId annotation = AnnotationId::kStep;
  Thread thread = Thread::kMain;
  int step = 0;
  std::uint32_t external_id = 0;
  std::uint32_t forward_external_id = 0;  ///< of kEvaluate and kBackward
  Nanos start_ns = 0;
  Nanos end_ns = -1;
  std::int64_t sequence = -1;
  CollectiveRef collective{};  ///< of record_param_comms and its annotation
};

/// A pure instant of the memory profiler.
struct MemoryChange {
  Thread thread = Thread::kMain;
  Nanos at_ns = 0;
  std::int64_t bytes = 0;
  std::int64_t sequence = 0;
  std::int64_t allocated_bytes = 0;  ///< after the change
  std::int64_t peak_bytes = 0;       ///< so far
};

struct RuntimeCall {
  Api api = Api::kLaunchKernel;
  Thread thread = Thread::kMain;
  std::uint32_t correlation = 0;
  std::uint32_t external_id = 0;  ///< of the innermost operator, 0 without one
  Nanos start_ns = 0;
  Nanos end_ns = 0;
};

/// What decided when a GPU event began.
enum class Bound : std::uint8_t { kLaunch, kStream, kOtherStream };

struct GpuEvent {
  enum class Kind : std::uint8_t { kCompute, kCollective, kCopyToDevice, kCopyToHost };
  Kind kind = Kind::kCompute;
  Stream stream = Stream::kCompute;
  Bound bound = Bound::kLaunch;
  int kernel = 0;      ///< position in kernels(), for kCompute and kCollective
  int graph_node = 0;  ///< 0: not launched by a graph
  int graph = 0;
  std::uint32_t correlation = 0;
  std::uint32_t external_id = 0;
  Nanos start_ns = 0;
  Nanos end_ns = 0;
  Nanos launch_start_ns = 0;
  Nanos stream_free_ns = -1;  ///< end of the event before it on the stream, -1 for the first
  std::int64_t bytes = 0;     ///< of copies
  CollectiveRef collective{};
};

/// What the profiler adds for a call that makes someone wait.
struct SyncEvent {
  enum class Kind : std::uint8_t { kStreamSync, kStreamWaitEvent };
  Kind kind = Kind::kStreamSync;
  Stream stream = Stream::kCompute;        ///< the one that is waited for, or that waits
  Stream event_stream = Stream::kCompute;  ///< of kStreamWaitEvent: where the event was recorded
  std::uint32_t record_correlation = 0;
  int event_id = 0;
  Nanos start_ns = 0;
  Nanos end_ns = 0;
};

/// Frames 1 to kRootFrames hold the whole run, each in the one before it, and are not told.
inline constexpr std::uint32_t kRootFrames = 2;

struct PythonFrame {
  std::uint32_t id = 0;
  std::uint32_t parent = 0;  ///< 0: a root
  int name = 0;
  Nanos start_ns = 0;
  Nanos end_ns = -1;
};

/// Told of everything that happens on one rank, in the order of its program. Processor times never go backwards, and
/// whatever is launched later starts later than the latest processor time told so far; a stream's events come in order.
/// Spans and frames are told when they open, with an unknown end, and when they close.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  virtual void on_step_begin(int /*step*/, Nanos /*at_ns*/) {}
  virtual void on_step_end(int /*step*/, Nanos /*at_ns*/) {}
  virtual void on_loader(Nanos /*ready_ns*/, Nanos /*stall_ns*/) {}
  virtual void on_open(const Span& /*span*/) {}
  virtual void on_close(const Span& /*span*/) {}
  virtual void on_memory(const MemoryChange& /*change*/) {}
  virtual void on_call(const RuntimeCall& /*call*/) {}
  virtual void on_launch(const RuntimeCall& /*call*/, const GpuEvent& /*event*/) {}
  /// A kernel of the graph whose launch call was told last.
  virtual void on_graph_kernel(const GpuEvent& /*event*/) {}
  virtual void on_sync(const RuntimeCall& /*call*/, const SyncEvent& /*event*/) {}
  virtual void on_frame_open(const PythonFrame& /*frame*/) {}
  virtual void on_frame_close(const PythonFrame& /*frame*/) {}

  /// Python frames are many; whoever does not want them is not told, which changes no time.
  [[nodiscard]] virtual bool wants_frames() const { return false; }
};

}  // namespace tracegen
