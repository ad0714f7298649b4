#pragma once
// Who waited for which GPU event: host calls that block, and streams that were told to wait for another stream.

#include "hta/model/trace.h"

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpu.h"
#include "names.h"
#include "settings.h"

namespace hta::analysis::critical_path {

class Waits {
 public:
  /// O((n + records) log n).
  Waits(const Trace& trace, const NameTraits& names, const GpuTimeline& gpu, const Settings& settings);

  /// What the call waits for, as far as its name and its own GPU events tell.
  WaitKind kind(LaunchId call) const;
  /// The GPU event that let the waiting call return, or none. A binary search and a walk over what ended meanwhile.
  GpuId awaited(LaunchId call) const;
  /// Whether the call copies and does not return before its GPU event `g` is done, as far as names and times tell.
  bool blocks_on(LaunchId call, GpuId g) const;
  /// The events of other streams that `g` had to wait for by order of the program, in event order.
  std::span<const std::pair<GpuId, GpuId>> awaited_by(GpuId g) const;
  /// Whether the rank recorded any wait of a stream for another.
  bool has_stream_waits() const { return has_stream_waits_; }

 private:
  // GPU events of one launch call on one stream.
  struct Batch {
    LaunchId launch;
    GpuId first;  // in event order
    GpuId last;   // the one that ends last
  };
  using RecordOf = std::pair<std::int64_t, const SyncRecord*>;  // correlation, first record of its kind

  void index_calls();
  void index_batches();
  void index_records();
  LaunchId call_of(std::int64_t correlation) const;
  const SyncRecord* find(const std::vector<RecordOf>& records, LaunchId call) const;
  GpuId marked(LaunchId record_call, std::int64_t stream, std::optional<std::int64_t> device) const;
  GpuId first_launched_from(const Stream& on, Nanos start_ns) const;
  GpuId awaited_copy(LaunchId call) const;
  GpuId awaited_work(LaunchId call, const SyncRecord* only) const;

  const Trace& trace_;
  const NameTraits& names_;
  const GpuTimeline& gpu_;
  Nanos clock_slack_ns_;
  std::unordered_map<std::int64_t, LaunchId> calls_;  // the first call of each correlation that the records name
  std::vector<std::vector<Batch>> batches_;           // by StreamId, in order of the launch calls
  std::vector<RecordOf> stream_records_;              // by correlation
  std::vector<RecordOf> event_records_;
  std::vector<std::pair<GpuId, GpuId>> stream_waits_;  // (who waits, for what), sorted
  bool has_stream_waits_ = false;
};

}  // namespace hta::analysis::critical_path
