#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "events.h"
#include "truth.h"

namespace tracegen {

// A trace lists what happened by kind, not by time: operators of each thread, then python frames, then activity. Each
// part is one replay of the rank with an observer that writes that part, so nothing has to be kept until its turn.

/// Ends of the long annotations, in the order in which they open. A file names them at their start.
class PhaseEnds final : public Observer {
 public:
  void on_open(const Span& span) override;
  void on_close(const Span& span) override;
  [[nodiscard]] static bool is_phase(const Span& span);
  [[nodiscard]] const std::vector<Nanos>& ends() const { return ends_; }

 private:
  std::vector<Nanos> ends_;
  std::vector<std::size_t> open_;
};

/// Operators, annotations and memory events of some threads.
class HostSection final : public Observer {
 public:
  enum class Threads : std::uint8_t { kAutograd, kOthers };
  HostSection(EventWriter& writer, Threads threads, SpanOrder order, const std::vector<Nanos>& phase_ends);
  void on_open(const Span& span) override;
  void on_close(const Span& span) override;
  void on_memory(const MemoryChange& change) override;

 private:
  struct Record {
    enum class Kind : std::uint8_t { kSpan, kMemory };
    Kind kind = Kind::kSpan;
    Span span{};
    MemoryChange memory{};
  };
  [[nodiscard]] bool mine(Thread thread) const {
    return (thread == Thread::kAutograd) == (threads_ == Threads::kAutograd);
  }
  void write_finished();

  EventWriter& writer_;
  Threads threads_;
  SpanOrder order_;
  const std::vector<Nanos>& phase_ends_;
  std::size_t next_phase_ = 0;
  // In order of start an operator is written before its children, so it waits here until its end is known.
  std::vector<Record> records_;
  std::vector<std::size_t> open_;
};

class FrameSection final : public Observer {
 public:
  FrameSection(EventWriter& writer, SpanOrder order, Nanos run_end_ns);
  void on_frame_open(const PythonFrame& frame) override;
  void on_frame_close(const PythonFrame& frame) override;
  [[nodiscard]] bool wants_frames() const override { return true; }

 private:
  EventWriter& writer_;
  SpanOrder order_;
  std::vector<PythonFrame> records_;
  std::vector<std::size_t> open_;
};

/// Runtime calls and GPU events, merged into the order in which the GPU events start, then the annotations as the GPU
/// saw them. Also where the truth about a rank is gathered.
class ActivitySection final : public Observer {
 public:
  ActivitySection(EventWriter& writer, RankTruth& truth);
  void on_step_begin(int step, Nanos at_ns) override;
  void on_step_end(int step, Nanos at_ns) override;
  void on_loader(Nanos ready_ns, Nanos stall_ns) override { truth_.loader(ready_ns, stall_ns); }
  void on_open(const Span& span) override;
  void on_close(const Span& span) override;
  void on_memory(const MemoryChange& change) override { truth_.memory(change); }
  void on_call(const RuntimeCall& call) override;
  void on_launch(const RuntimeCall& call, const GpuEvent& event) override;
  void on_graph_kernel(const GpuEvent& event) override;
  void on_sync(const RuntimeCall& call, const SyncEvent& event) override;
  /// Writes what is left. Returns the end of the last GPU event.
  Nanos finish();

 private:
  static constexpr std::size_t kHostQueue = kStreams;
  struct Mirror {
    Span span;
    Stream stream = Stream::kCompute;
    Nanos start_ns = -1;
    Nanos end_ns = -1;
  };
  void write_before(Nanos limit_ns);
  void write(const Activity& activity);
  void mirror(const GpuEvent& event);

  EventWriter& writer_;
  RankTruth& truth_;
  std::array<std::deque<Activity>, kStreams + 1> queues_;  // each in order; one more for calls without GPU work
  RuntimeCall last_call_;
  std::vector<Mirror> open_annotations_;
  std::vector<Mirror> mirrors_;
  Nanos gpu_end_ns_ = 0;
};

}  // namespace tracegen
