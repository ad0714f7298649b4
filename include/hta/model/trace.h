#pragma once
// What one rank recorded, as columns. Built by TraceBuilder; const and safe to share between threads afterwards.

#include "hta/base/column.h"
#include "hta/base/compact_column.h"
#include "hta/base/ids.h"
#include "hta/base/nanos.h"
#include "hta/model/args.h"
#include "hta/model/kernel_type.h"
#include "hta/model/string_table.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hta {

/// What an event's `cat` says about its role. Spellings of all profiler generations, case-folded.
enum class CategoryKind : std::uint8_t {
  kGpu,             ///< work on the device
  kGpuAnnotation,   ///< gpu_user_annotation: the device-side extent of an annotation
  kSync,            ///< cuda_sync: bookkeeping about waits
  kLaunch,          ///< runtime or driver call on the host
  kOperator,        ///< cpu_op, or operator in old files
  kUserAnnotation,  ///< user_annotation
  kPython,          ///< python_function
  kProfilerRange,   ///< cuda_profiler_range: hardware counters of a range
  kOverhead,        ///< the profiler's own cost
  kSpan,            ///< Trace: the profiler's own window, never counted
  kOtherHost,       ///< anything else recorded on the host
};

/// The role of a category text (any case).
CategoryKind category_kind(std::string_view category);

using CategoryId = Id<struct CategoryTag, std::uint16_t>;

struct Category {
  StringId text;    ///< as in the file
  StringId folded;  ///< lower case
  CategoryKind kind = CategoryKind::kOtherHost;
  std::uint64_t kept = 0;  ///< kept events of it
};

/// pid or tid of an event: an integer, or text that is no integer.
struct TrackName {
  std::int64_t number = 0;
  StringId text;  ///< valid if it is no integer
  auto operator<=>(const TrackName&) const = default;
};

struct Thread {
  TrackName pid;
  TrackName tid;
};

struct Stream {
  std::int64_t device = -1;
  std::int64_t stream = -1;
  auto operator<=>(const Stream&) const = default;
};

/// GPU events in event order: by start, the longer first, then the position in the file.
struct GpuEvents {
  Column<GpuId, Nanos> start_ns;
  CompactColumn<GpuId> dur_ns;
  Column<GpuId, StringId> name;
  Column<GpuId, StreamId> stream;
  Column<GpuId, ThreadId> thread;  ///< (pid, tid) as recorded; annotations share it
  Column<GpuId, CategoryId> category;
  Column<GpuId, KernelType> type;
  CompactColumn<GpuId> correlation;       ///< 0 = none
  Column<GpuId, LaunchId> launch;         ///< the call that launched it, or none
  Column<GpuId, StepId> step;             ///< membership: of the launch, or by own start; or none
  Column<GpuId, std::uint32_t> position;  ///< running number of the event in the file

  std::size_t size() const { return start_ns.size(); }
  Nanos end_ns(GpuId i) const { return start_ns[i] + dur_ns[i]; }
};

/// Runtime and driver calls in event order. They are host events too (HostEvents, if stored).
struct LaunchCalls {
  Column<LaunchId, Nanos> start_ns;
  CompactColumn<LaunchId> dur_ns;
  Column<LaunchId, StringId> name;
  Column<LaunchId, ThreadId> thread;
  CompactColumn<LaunchId> correlation;  ///< 0 = none
  Column<LaunchId, HostId> host;        ///< row of HostEvents, if stored
  Column<LaunchId, std::uint32_t> position;
  /// GPU events of launch l, in event order: gpu_of[gpu_begin[l] .. gpu_begin[l + 1]).
  Column<LaunchId, std::uint32_t> gpu_begin;  ///< size() + 1 entries
  Column<LaunchId, GpuId> gpu_of;             ///< indexed by plain position

  std::size_t size() const { return start_ns.size(); }
  Nanos end_ns(LaunchId i) const { return start_ns[i] + dur_ns[i]; }
  std::span<const GpuId> gpu_events(LaunchId i) const {
    const std::uint32_t first = gpu_begin.data()[i.value()];
    return {gpu_of.data() + first, gpu_begin.data()[i.value() + 1] - first};
  }
};

/// Host events in event order, if an analysis needs them.
struct HostEvents {
  Column<HostId, Nanos> start_ns;
  CompactColumn<HostId> dur_ns;
  Column<HostId, StringId> name;
  Column<HostId, ThreadId> thread;
  Column<HostId, CategoryId> category;
  Column<HostId, std::uint32_t> position;
  Column<HostId, HostId> parent;  ///< innermost host event of the thread still open at the start; with Needs::call_tree

  std::size_t size() const { return start_ns.size(); }
  Nanos end_ns(HostId i) const { return start_ns[i] + dur_ns[i]; }
};

/// A user annotation, on the host (kUserAnnotation) or on the device (kGpuAnnotation). In event order.
struct Annotation {
  Nanos start_ns = 0;
  Nanos dur_ns = 0;
  StringId name;
  ThreadId thread;
  CategoryKind kind = CategoryKind::kUserAnnotation;
  std::uint32_t position = 0;
  Nanos end_ns() const { return start_ns + dur_ns; }
};

/// A cuda_sync record. Its times are never used, only what it says about who waits for what. In event order.
struct SyncRecord {
  Nanos start_ns = 0;
  Nanos dur_ns = 0;
  StringId name;
  std::int64_t correlation = 0;        ///< 0 = none
  std::optional<std::int64_t> device;  ///< args.device, else integer pid
  std::optional<std::int64_t> stream;  ///< args.stream only
  std::optional<std::int64_t> wait_on_stream;
  std::optional<std::int64_t> record_correlation;  ///< wait_on_cuda_event_record_corr_id
  std::uint32_t position = 0;
};

/// A `[memory]` instant: the allocator's totals after one allocation or release. By time, then position.
struct MemoryEvent {
  Nanos time_ns = 0;
  std::int64_t bytes = 0;             ///< > 0 allocated, < 0 released
  std::int64_t total_allocated = -1;  ///< of the device, after it; -1 = not recorded
  std::int64_t total_reserved = -1;   ///< what the allocator holds; -1 = not recorded
  std::int64_t device_type = -1;      ///< 0 CPU, 1 CUDA, ...
  std::int64_t device_id = -1;
  std::int64_t address = 0;
  ThreadId thread;
  std::uint32_t position = 0;
};

/// A range with hardware counters. In event order.
struct ProfilerRange {
  Nanos start_ns = 0;
  Nanos dur_ns = 0;
  StringId name;
  std::int64_t correlation = 0;
  std::vector<std::pair<StringId, StringId>> counters;  ///< name, number as text
  std::uint32_t position = 0;
};

/// All ProfilerStep events of one number: one window, first start to last end.
struct Step {
  std::int64_t number = 0;
  Nanos start_ns = 0;
  Nanos end_ns = 0;
  Nanos dur_ns() const { return end_ns - start_ns; }
};

/// N, if the name is exactly `ProfilerStep#N`.
std::optional<std::int64_t> step_number(std::string_view name);

/// One ProfilerStep event.
struct StepEvent {
  std::int64_t number = 0;
  Nanos start_ns = 0;
  Nanos end_ns = 0;
  ThreadId thread;
  std::uint32_t position = 0;
};

/// Why an event does not count, or counts with doubt.
enum class EventFault : std::uint8_t {
  // ignored
  kNoPhase,
  kNoName,
  kNoTime,
  kUnpairedBegin,
  kUnpairedEnd,
  kNegativeDuration,
  kTooLong,
  kZeroTimes,
  kProfilerSpan,
  kTimeOutOfRange,
  // suspect, but kept
  kStartsBeforeLaunch,
  kDominatesRank,
  // damaged text, found by the reader
  kDamagedText,
  kTooLarge,
  kCutOff,
  kCount
};
std::string_view event_fault_text(EventFault fault);

/// Counts of one kind of fault, with the places of the first few.
struct FaultCount {
  static constexpr std::size_t kPlacesKept = 5;
  std::uint64_t count = 0;
  std::size_t places_kept = kPlacesKept;
  std::vector<std::uint64_t> first_offsets;  ///< bytes from the start of the inflated file
  std::vector<std::uint32_t>
      first_positions;  ///< instead, for faults seen only when all is read: running numbers in the file

  void add(std::uint64_t offset) {
    ++count;
    if (first_offsets.size() < places_kept) first_offsets.push_back(offset);
  }
  void add_record(std::uint32_t position) {
    ++count;
    if (first_positions.size() < places_kept) first_positions.push_back(position);
  }
  /// Adds those of a later part of the file.
  void add(const FaultCount& later) {
    count += later.count;
    for (const std::uint64_t offset : later.first_offsets) {
      if (first_offsets.size() < places_kept) first_offsets.push_back(offset);
    }
  }
};

/// How much of a rank's recording could be used.
struct Quality {
  std::uint64_t kept = 0;
  std::array<FaultCount, static_cast<std::size_t>(EventFault::kCount)> faults;

  FaultCount& operator[](EventFault fault) { return faults[static_cast<std::size_t>(fault)]; }
  const FaultCount& operator[](EventFault fault) const { return faults[static_cast<std::size_t>(fault)]; }
  std::uint64_t ignored() const;
  std::uint64_t suspect() const;
  std::uint64_t damaged() const;
};

struct DeviceProperties {
  std::int64_t id = 0;
  std::string name;
  std::int64_t total_memory_bytes = 0;
  std::int64_t multiprocessors = 0;
  std::string compute_capability;
};

/// What the file says about itself, outside the events.
struct TraceInfo {
  std::optional<std::int64_t> rank;        ///< distributedInfo.rank
  std::optional<std::int64_t> world_size;  ///< distributedInfo.world_size
  std::string backend;
  std::vector<DeviceProperties> devices;
  std::map<std::string, std::string> versions;  ///< cuda_runtime_version, hip_driver_version, nccl_version, ...
  std::map<std::string, bool> capture_flags;    ///< record_shapes, with_stack, profile_memory, with_flops, with_modules
  std::optional<std::int64_t> base_time_ns;     ///< baseTimeNanoseconds
};

/// One rank (or one capture window of it). Times are the file's own clock.
struct Trace {
  StringTable strings;
  std::vector<Category> categories;
  std::vector<Thread> threads;
  std::vector<Stream> streams;

  GpuEvents gpu;
  LaunchCalls launches;
  HostEvents host;
  ArgTable<GpuId> gpu_args;
  ArgTable<HostId> host_args;

  std::vector<Annotation> annotations;
  std::vector<SyncRecord> sync_records;
  std::vector<MemoryEvent> memory_events;
  /// Threads where a flow arrow of category fwdbwd ends that started on another thread. Ascending.
  std::vector<ThreadId> backward_threads;
  std::vector<ProfilerRange> profiler_ranges;
  std::vector<Step> steps;             ///< by start, then number
  std::vector<StepEvent> step_events;  ///< in event order

  std::optional<Nanos> first_start_ns;  ///< over all kept events, stored or not; none without events
  Nanos last_end_ns = 0;
  /// Own clock + shift = reported time, if that was known before the trace was read.
  std::optional<Nanos> clock_shift_ns;
  std::uint64_t gpu_events_linked = 0;
  /// Steps whose kernels were not all recorded: a last step of two or more with over a tenth of its launches bare.
  std::vector<StepId> incomplete_steps;

  Quality quality;
  TraceInfo info;

  std::string_view text(StringId id) const { return strings.text(id); }
  const Category& category(CategoryId id) const { return categories[id.value()]; }
  const Stream& stream_of(GpuId i) const { return streams[gpu.stream[i].value()]; }
  /// `pid` or `tid` as text, the way it stands in the file.
  std::string track_text(const TrackName& name) const;
  /// The step whose window contains `t`; of several the one that starts last; or none. O(log steps).
  StepId step_at(Nanos t) const;
  const Step& step(StepId id) const { return steps[id.value()]; }
  std::string_view name(GpuId i) const { return strings.text(gpu.name[i]); }
  std::string_view name(HostId i) const { return strings.text(host.name[i]); }
  std::string_view name(LaunchId i) const { return strings.text(launches.name[i]); }
};

}  // namespace hta
