#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "collectives.h"
#include "critical_path.h"
#include "observer.h"
#include "program.h"

namespace tracegen {

/// What all ranks of a job share.
struct Job {
  explicit Job(const Options& opts) : options(opts), layout(opts), programs(opts, layout), table(opts, layout) {}
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  const Options& options;
  Layout layout;
  Programs programs;
  CollectiveTable table;
};

/// Boundaries of one step on one rank, and why it took that long. Paths are filled in the first pass only.
struct StepRecord {
  Nanos start_ns = 0;
  Nanos end_ns = 0;
  Nanos completion_ns = 0;  ///< when the GPU had done what the step launched, at least end_ns
  std::vector<PathPiece> host_path_job{};
  std::vector<PathPiece> host_path_rank{};
  std::vector<PathPiece> completion_path_rank{};  ///< from the completion of the step before, or the start
};

/// Runs the program of one rank against a model of its threads and streams. The first pass runs all ranks together,
/// each until it must wait for a collective; the second runs each rank alone with the ends that are known by then. Both
/// are this code, and the random numbers depend on what they are for, so both see the same times.
class RankSim {
 public:
  enum class Pass : std::uint8_t { kFirst, kSecond };
  enum class Status : std::uint8_t { kWaits, kDone };

  /// `chain` records causes in the first pass; the second does not need it.
  RankSim(Job& job, int rank, Pass pass, CauseChain& chain, Observer& observer);

  /// Goes on until the rank waits for a collective whose other members have not arrived, or is done.
  /// `completed` receives the groups in which this rank was the last to arrive.
  Status run(std::vector<int>& completed);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] const std::vector<StepRecord>& steps() const { return steps_; }

 private:
  using Node = CauseChain::Node;
  struct Ended {
    Nanos ns = 0;
    Node cause = CauseChain::kNone;
  };
  struct StreamState {
    Ended free{-1, CauseChain::kNone};
    Ended dependency{-1, CauseChain::kNone};
    std::vector<Ended> unfinished;  // ring of the last queue_depth ends, as long as it had to become
    std::size_t oldest = 0;
  };
  struct EventSlot {
    Ended ended{-1, CauseChain::kNone};
    Stream stream = Stream::kCompute;
    std::uint32_t record_correlation = 0;
  };
  struct Container {
    Span span;
    int children = 0;
    int forward = -1;  // position in forwards_ of the forward this belongs to
  };
  struct Forward {
    std::uint32_t external_id;
    std::int64_t sequence;
  };
  struct Start {
    Nanos ns;
    Bound bound;
    Ended why;
  };
  struct Pending {
    RuntimeCall call;
    CollectiveRef ref;
    Start start;
  };

  void begin_step();
  void end_step();
  Status interpret(std::vector<int>& completed);

  void begin_child();
  [[nodiscard]] std::vector<Container>& stack() { return stacks_[static_cast<std::size_t>(thread_)]; }
  [[nodiscard]] std::uint32_t enclosing_op() const;
  void open(const Span& span, int forward);
  void close();
  void open_op(OpId id, GradRole role, CollectiveRef collective);
  void change_memory(Nanos at_ns, std::int64_t bytes, std::int64_t sequence);

  [[nodiscard]] RuntimeCall begin_call(Api api);
  void spend(Nanos ns) { cpu_ns_ += ns; }
  void wait_until(Ended ended);
  [[nodiscard]] RuntimeCall launch_call(Api api, const StreamState& stream);
  [[nodiscard]] Start earliest_start(StreamState& stream, Nanos ready_ns, Nanos launched_ns);
  void occupy(StreamState& stream, const Start& start, Nanos end_ns, Resource resource, int meeting);

  void kernel(const Instr& instr);
  void copy(const Instr& instr);
  [[nodiscard]] bool collective(const Instr& instr, std::vector<int>& completed);
  [[nodiscard]] CollectiveRef next_collective(const Instr& instr) const;
  void record(const Instr& instr);
  void wait(const Instr& instr);
  void sync(Stream stream);
  void load_batch();
  void allocate();
  void python_enter(int module);
  void python_exit(int module);
  void begin_graph(int number);
  void tell_gpu(const RuntimeCall& call, const GpuEvent& event);

  [[nodiscard]] StreamState& state(Stream stream) { return streams_[static_cast<std::size_t>(stream)]; }
  [[nodiscard]] Nanos op_cost() {
    return draws_.jitter(o_.op_ns * delay_pct_ / 100, o_.jitter, Tag("op"), op_draws_++);
  }
  [[nodiscard]] Nanos launch_cost() {
    return draws_.jitter(o_.launch_ns * delay_pct_ / 100, o_.jitter, Tag("launch"), launch_draws_++);
  }

  Job& job_;
  const Options& o_;
  int rank_;
  Pass pass_;
  CauseChain& chain_;
  Observer& observer_;

  // Fixed factors of this rank, in percent.
  int compute_pct_;
  int copy_pct_;

  // Position in the program.
  int step_ = -1;
  std::size_t pc_ = 0;
  const std::vector<Instr>* program_ = nullptr;
  bool in_step_ = false;
  std::optional<Pending> pending_;

  // The host. One time serves all threads: while one works, the others wait for it.
  Nanos cpu_ns_ = 0;
  Node cpu_cause_ = CauseChain::kNone;
  Thread thread_ = Thread::kMain;
  std::array<std::vector<Container>, kThreads> stacks_;
  std::vector<Forward> forwards_;
  std::uint32_t next_external_id_ = 1;
  std::uint32_t next_correlation_ = 1001;
  std::int64_t next_sequence_ = 0;
  std::int64_t allocated_bytes_ = std::int64_t{1} << 30U;
  std::int64_t peak_bytes_ = std::int64_t{1} << 30U;
  std::vector<PythonFrame> frames_;
  std::uint32_t next_frame_ = kRootFrames + 1;

  // The GPU.
  std::array<StreamState, kStreams> streams_;
  std::array<EventSlot, 8> events_;
  std::array<int, kRoles> next_seq_{};
  std::optional<RuntimeCall> graph_call_;
  int graph_ = 0;
  int graph_nodes_ = 0;
  Ended last_gpu_;  // of what the step launched

  // Random numbers of the step.
  Draws draws_;
  int delay_pct_ = 100;
  int step_pct_ = 100;  // of computation, besides compute_pct_
  std::uint64_t kernel_draws_ = 0;
  std::uint64_t op_draws_ = 0;
  std::uint64_t launch_draws_ = 0;
  std::uint64_t copy_draws_ = 0;

  std::vector<StepRecord> steps_;
};

/// Runs all ranks together and leaves `job.table` complete. Returns the step records of every rank.
/// Throws std::logic_error when ranks wait for each other in a circle.
[[nodiscard]] std::vector<std::vector<StepRecord>> simulate_job(Job& job, CauseChain& chain);

/// Runs one rank alone, telling `observer`. simulate_job() must have come before.
void replay_rank(Job& job, int rank, Observer& observer);

}  // namespace tracegen
