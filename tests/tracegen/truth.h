#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <vector>

#include "events.h"
#include "rank_sim.h"

namespace tracegen {

/// How long a device was busy, by kind of work, within consecutive windows. Intervals may overlap and come in the order
/// of their starts; a window may end before an interval does, which then counts on in the next.
class BusySweep {
 public:
  enum class Work : std::uint8_t { kCompute, kCollective, kCopy };
  struct Totals {
    Nanos busy_ns = 0;
    Nanos compute_ns = 0;
    Nanos collective_ns = 0;
    Nanos copy_ns = 0;
    Nanos overlap_ns = 0;  ///< compute and collective at once
  };

  void add(Work work, Nanos start_ns, Nanos end_ns);
  /// Totals since the last call. All intervals that start before `at_ns` must have been added.
  Totals take(Nanos at_ns);

 private:
  struct Edge {
    Nanos at_ns;
    int change;
    Work work;
    bool operator>(const Edge& other) const { return at_ns > other.at_ns; }
  };
  void advance(Nanos to_ns);

  std::priority_queue<Edge, std::vector<Edge>, std::greater<>> edges_;
  std::array<int, 3> active_{};
  Nanos now_ns_ = 0;
  Totals totals_;
};

/// Time between events, by what the GPU waited for.
struct IdleTime {
  Nanos host_wait_ns = 0;       ///< the next launch call had not begun
  Nanos dep_wait_ns = 0;        ///< launched, but held back by another stream
  Nanos launch_latency_ns = 0;  ///< neither
  void add(const GpuEvent& next, Nanos free_ns);
};

/// What is known about one rank by construction. Told while the rank is replayed; all times are true times, before
/// clock errors, and events that are simulated but not written count everywhere but in the counts.
class RankTruth {
 public:
  RankTruth(const Job& job, int rank, const std::vector<StepRecord>& steps);

  void begin_step(int step, Nanos at_ns);
  void end_step(Nanos at_ns);
  void loader(Nanos ready_ns, Nanos stall_ns);
  void memory(const MemoryChange& change) { peak_bytes_ = change.peak_bytes; }
  void launch(const RuntimeCall& call, const GpuEvent& event);
  /// GPU events in the order of their starts.
  void gpu(const GpuEvent& event, EventWriter::Kept kept);
  void backward(const Span& span);

  /// The rank's object in truth.json.
  [[nodiscard]] std::string json(const Clock& clock, const EventCounts& counts);
  /// The rank's tables with a row per event, for `--truth full`.
  [[nodiscard]] std::string tables() const;

 private:
  struct KernelStat {
    std::int64_t count = 0;
    Nanos sum_ns = 0;
    Nanos min_ns = 0;
    Nanos max_ns = 0;
  };
  struct Step {
    Nanos start_ns = 0;
    Nanos end_ns = 0;
    Nanos loader_ns = 0;
    Nanos stall_ns = 0;
    BusySweep::Totals busy{};
  };
  void change_queue(Stream stream, Nanos at_ns, int change);

  const Job& job_;
  int rank_;
  const std::vector<StepRecord>& records_;
  std::vector<Step> steps_;
  BusySweep sweep_;
  BusySweep::Totals after_steps_;
  std::vector<KernelStat> kernels_;
  std::int64_t to_device_bytes_ = 0;
  std::int64_t to_host_bytes_ = 0;
  std::int64_t peak_bytes_ = 0;
  std::array<IdleTime, kStreams> stream_idle_;
  IdleTime device_idle_;
  Nanos device_end_ns_ = -1;
  std::array<int, kStreams> queue_length_{};
  std::array<std::string, kStreams> queue_rows_;
  std::string launch_rows_;
  std::string backward_pairs_;
};

/// truth.json of the job. `ranks` are the objects of RankTruth::json(), in order.
void write_truth(const std::string& path, const Job& job, const std::vector<std::string>& ranks);

}  // namespace tracegen
