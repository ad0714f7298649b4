#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "event_text.h"
#include "hostile.h"
#include "observer.h"
#include "rank_sim.h"

namespace tracegen {

/// How one rank's clock shows the true time of the simulation.
class Clock {
 public:
  Clock(const Options& options, int rank);
  /// The `ts` of a true time, in nanoseconds. Never decreases with it.
  [[nodiscard]] Nanos written_ns(Nanos true_ns) const {
    return true_ns + shift_ns_ + true_ns * drift_ppb_ / 1'000'000'000;
  }
  [[nodiscard]] Nanos skew_ns() const { return skew_ns_; }
  [[nodiscard]] std::int64_t drift_ppb() const { return drift_ppb_; }
  [[nodiscard]] std::int64_t base_ns() const { return base_ns_; }
  /// `written_ns(t) + base_ns() - skew_ns()` is this plus t, without drift.
  [[nodiscard]] Nanos origin_ns() const { return origin_ns_; }

 private:
  Nanos skew_ns_;
  std::int64_t drift_ppb_;
  std::int64_t base_ns_;
  Nanos origin_ns_;
  Nanos shift_ns_;
};

/// A runtime call with what it led to on the GPU: one piece of the activity part of a trace.
struct Activity {
  RuntimeCall call{};
  GpuEvent gpu{};
  SyncEvent sync{};
  bool has_call = false;
  bool has_gpu = false;
  bool has_sync = false;

  /// Activities are written in the order of this time.
  [[nodiscard]] Nanos key_ns() const { return has_gpu ? gpu.start_ns : call.start_ns; }
};

/// Written events by category and phase.
struct EventCounts {
  static constexpr std::string_view kPhases = "XsfiM";
  std::array<std::array<std::int64_t, 5>, static_cast<std::size_t>(Category::kCount)> of{};
  void add(Category category, char phase) { ++of[static_cast<std::size_t>(category)][kPhases.find(phase)]; }
};

/// Turns what happened on a rank into trace events.
class EventWriter {
 public:
  EventWriter(const Job& job, int rank, const Clock& clock, TraceText& text);

  void span(const Span& span);
  void memory(const MemoryChange& change);
  void frame(const PythonFrame& frame);
  /// What of the activity is written: not everything, with `--drop` and `--lost-collectives`.
  struct Kept {
    bool call = true;
    bool gpu = true;
    bool correlation = true;
  };
  [[nodiscard]] Kept kept(const Activity& activity) const;
  void activity(const Activity& activity);
  void gpu_annotation(std::string_view name, std::uint32_t external_id, Stream stream, Nanos start_ns, Nanos end_ns);
  /// Names of processes and threads, and the two marks at the end.
  void metadata(Nanos end_ns);

  [[nodiscard]] const EventCounts& counts() const { return counts_; }
  [[nodiscard]] std::string step_name(int step) const;

 private:
  void send();
  EventFields& begin(char phase, Category category, std::string_view name, std::int64_t pid, std::int64_t tid);
  EventFields& begin_timed(Category category, std::string_view name, std::int64_t pid, std::int64_t tid, Nanos start_ns,
                           Nanos end_ns);
  void flow(Category category, char phase, std::int64_t id, std::int64_t pid, std::int64_t tid, Nanos at_ns);
  void shapes(const OpSpec& spec);
  void collective_args(const CollectiveRef& ref);
  void gpu_event(const GpuEvent& event, Kept kept);
  void sync_event(const RuntimeCall& call, const SyncEvent& event);
  void runtime_call(const RuntimeCall& call);
  void name_process(std::int64_t pid, std::string_view labels, std::int64_t sort_index);
  void name_thread(std::int64_t pid, std::int64_t tid, std::string_view name);

  [[nodiscard]] std::int64_t tid(Thread thread) const { return pid_ + static_cast<std::int64_t>(thread); }
  [[nodiscard]] bool old_style() const { return o_.style == Style::kTorchOld; }

  const Job& job_;
  const Options& o_;
  int rank_;
  const Clock& clock_;
  TraceText& text_;
  Spoiler spoiler_;
  Draws draws_;
  std::int64_t pid_;
  std::int64_t device_;
  std::int64_t event_index_ = 0;
  EventFields event_;
  EventCounts counts_;
  // Texts that an event refers to until it is written.
  std::string scratch_name_;
  std::string scratch_number_;
  std::string scratch_id_;
  std::vector<std::string> group_ranks_;  // of the groups this rank is in, by group
};

}  // namespace tracegen
