#pragma once
// The one door through which a Trace is made.

#include "hta/base/int_ranges.h"
#include "hta/model/needs.h"
#include "hta/model/trace.h"

#include <memory>
#include <optional>
#include <regex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace hta {

/// Which GPU events an analysis sees. Links and steps are found before, so that steps can be chosen by membership.
struct GpuFilter {
  IntRanges devices;
  IntRanges streams;
  IntRanges steps;
  std::shared_ptr<const std::regex> name;  ///< searched in the event's name; null = all

  bool all() const { return devices.all() && streams.all() && steps.all() && !name; }
};

struct BuildOptions {
  std::size_t fault_places = FaultCount::kPlacesKept;  ///< how many places of each kind of fault are kept
  Needs needs;
  GpuFilter filter;
  std::shared_ptr<const KernelRules> kernel_rules;        ///< null = built-in rules only
  Nanos max_event_dur_ns = 7 * 86'400 * kNanosPerSecond;  ///< longer events are clock errors; NOLINT(bugprone-*)
};

struct ArgValue {
  ArgKey key;
  std::int64_t value;  ///< integer, rate in 10^-9, or StringId, as arg_spec(key).type says
};

/// One record of the file, its texts interned in the builder's string table.
struct Event {
  char phase = 0;  ///< X complete, B begin, E end, i instant, s/f flow; others are not counted
  CategoryId category;
  bool has_name = false;
  StringId name;  ///< none also if it was not interned because stores_names() said so
  std::optional<Nanos> time_ns;
  std::optional<Nanos> dur_ns;
  TrackName pid;
  TrackName tid;
  std::int64_t flow_id = 0;
  bool textual_flow_id = false;  ///< made from a StringId
  std::span<const ArgValue> args;
  std::span<const std::pair<StringId, StringId>> counters;  ///< of a profiler range: all its args
  std::uint32_t position = 0;
  std::uint64_t offset = 0;  ///< bytes from the start of the (inflated) file, for reports of faults
};

class TraceBuilder {
 public:
  explicit TraceBuilder(BuildOptions options);
  ~TraceBuilder();
  TraceBuilder(TraceBuilder&&) noexcept;
  TraceBuilder& operator=(TraceBuilder&&) noexcept;

  StringTable& strings() { return trace_.strings; }
  const StringTable& strings() const { return trace_.strings; }
  TraceInfo& info() { return trace_.info; }
  Quality& quality() { return trace_.quality; }

  /// The id of a category text (interned); the same text gives the same id.
  CategoryId category(StringId text);
  CategoryKind kind(CategoryId id) const { return trace_.categories[id.value()].kind; }
  /// Whether names of events of this kind are kept; otherwise only step names matter and `Event::name` may stay empty.
  /// Of complete events without a name here only the times count: tracks and arguments may be left out as well.
  bool stores_names(CategoryKind kind) const;
  /// The name of an event whose own name is not kept but that belongs to the call tree: the empty one. None otherwise.
  StringId name_in_tree(CategoryKind kind) const;
  const Needs& needs() const { return options_.needs; }

  /// Takes one record. Records that do not count are counted by fault and dropped.
  void add(const Event& event);

  /// Whether append() may take this builder for the later part: not with records whose meaning depends on earlier ones
  /// (begins and ends) or on the table of texts (flows with ids of text).
  bool self_contained() const { return self_contained_; }
  /// Adds what `later`, a builder with the same options, took from the part of the file that follows: as if its records
  /// had been add()ed here. `records_before` is the running number of its first record. O(rows of `later`), held once.
  void append(TraceBuilder&& later, std::uint32_t records_before);

  /// Gives back memory that is kept for further records, when there may be none for a while.
  void trim();

  /// Sorts, links, classifies, filters. The builder is empty afterwards, ready for the next rank.
  Trace finish();
  /// Takes the memory of a trace that is no longer needed, for the next rank.
  void recycle(Trace&& trace);

 private:
  struct Pending;
  struct Lookups;
  // One end of a flow arrow from a forward operator to its backward pass.
  struct FlowPoint {
    std::int64_t id = 0;
    ThreadId thread;
    char phase = 's';  // s start, f end
  };

  void complete(const Event& event, Nanos start_ns, std::optional<Nanos> dur_ns);
  void store_gpu(const Event& event, Nanos start_ns, Nanos dur_ns);
  void store_host(const Event& event, Nanos start_ns, Nanos dur_ns, CategoryKind kind);
  void store_sync(const Event& event, Nanos start_ns, Nanos dur_ns);
  void store_memory(const Event& event);
  std::vector<ThreadId> backward_threads() const;
  void reset();
  ThreadId thread(const TrackName& pid, const TrackName& tid);
  StreamId stream(std::int64_t device, std::int64_t stream);

  BuildOptions options_;
  Trace trace_;
  std::vector<FlowPoint> flows_;  // in file order
  std::unique_ptr<Lookups> lookups_;
  bool self_contained_ = true;
};

}  // namespace hta
