#include "hta/model/trace_builder.h"

#include "hta/base/text.h"

#include <algorithm>
#include <bit>

#include "finish.h"

namespace hta {
namespace {

constexpr std::size_t kMaxCategories = 65'535;
constexpr std::size_t kMaxOpenBegins = 1'000'000;
// Farther from zero than any clock (a century in nanoseconds), so that differences of times always fit 64 bits.
constexpr Nanos kFarthestTime = 3'500'000'000 * kNanosPerSecond;

bool is_near(Nanos time_ns) {
  return time_ns >= -kFarthestTime && time_ns <= kFarthestTime;
}

std::uint64_t spread(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93u;
  return x ^ (x >> 32);
}

// Small map from pairs of numbers to dense ids; events come in long rows of one thread, so the last hit is tried first.
class PairIds {
 public:
  void clear() {
    slots_.assign(64, Slot{});
    size_ = 0;
    last_ = Slot{};
  }
  // Returns the id, or calls `make` for a new one.
  template <class Make>
  std::uint32_t get(std::uint64_t a, std::uint64_t b, Make make) {
    if (last_.id_plus_1 != 0 && last_.a == a && last_.b == b) return last_.id_plus_1 - 1;
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = spread(a * 3 + spread(b)) & mask;
    for (; slots_[at].id_plus_1 != 0; at = (at + 1) & mask) {
      if (slots_[at].a == a && slots_[at].b == b) {
        last_ = slots_[at];
        return last_.id_plus_1 - 1;
      }
    }
    last_ = slots_[at] = Slot{a, b, make() + 1};
    if (++size_ * 2 > slots_.size()) grow();
    return last_.id_plus_1 - 1;
  }

 private:
  struct Slot {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    std::uint32_t id_plus_1 = 0;
  };
  void grow() {
    std::vector<Slot> bigger(slots_.size() * 2);
    const std::size_t mask = bigger.size() - 1;
    for (const Slot& slot : slots_) {
      if (slot.id_plus_1 == 0) continue;
      std::size_t at = spread(slot.a * 3 + spread(slot.b)) & mask;
      while (bigger[at].id_plus_1 != 0) at = (at + 1) & mask;
      bigger[at] = slot;
    }
    slots_ = std::move(bigger);
  }
  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::size_t size_ = 0;
  Slot last_;
};

std::uint64_t key_of(const TrackName& name) {
  // Texts and numbers must not meet: texts take the top bit, which no pid or tid uses.
  return name.text.valid() ? (std::uint64_t{1} << 63) | name.text.value() : static_cast<std::uint64_t>(name.number);
}

std::optional<std::int64_t> arg(const Event& event, ArgKey key) {
  for (const ArgValue& value : event.args) {
    if (value.key == key) return value.value;
  }
  return std::nullopt;
}

std::int64_t correlation_of(const Event& event) {
  const std::int64_t id = arg(event, ArgKey::kCorrelation).value_or(0);
  return id >= 1 ? id : 0;
}

std::int64_t device_of(const Event& event) {
  if (const auto device = arg(event, ArgKey::kDevice)) return *device;
  return event.pid.text.valid() ? -1 : event.pid.number;
}

std::int64_t stream_of(const Event& event) {
  if (const auto stream = arg(event, ArgKey::kStream)) return *stream;
  return event.tid.text.valid() ? -1 : event.tid.number;
}

}  // namespace

// A begin that waits for its end.
struct TraceBuilder::Pending {
  Event event;
  std::vector<ArgValue> args;
  std::vector<std::pair<StringId, StringId>> counters;
};

struct TraceBuilder::Lookups {
  std::vector<CategoryId> category_of_text;  // by StringId
  PairIds threads;
  PairIds streams;
  std::unordered_map<std::uint32_t, std::vector<Pending>> open;  // by ThreadId
  std::size_t open_begins = 0;
  StringId no_name;
  StringId memory_name;
  StringId memory_category;
  StringId forward_backward;
};

TraceBuilder::TraceBuilder(BuildOptions options) : options_(std::move(options)), lookups_(std::make_unique<Lookups>()) {
  Needs closed;
  closed |= options_.needs;
  options_.needs = closed;
  reset();
}
TraceBuilder::~TraceBuilder() = default;
TraceBuilder::TraceBuilder(TraceBuilder&&) noexcept = default;
TraceBuilder& TraceBuilder::operator=(TraceBuilder&&) noexcept = default;

void TraceBuilder::reset() {
  lookups_->category_of_text.clear();
  lookups_->threads.clear();
  lookups_->streams.clear();
  lookups_->open.clear();
  lookups_->open_begins = 0;
  for (FaultCount& fault : trace_.quality.faults) fault.places_kept = options_.fault_places;
  self_contained_ = true;
  flows_.clear();
  lookups_->no_name = trace_.strings.intern("");
  lookups_->memory_name = trace_.strings.intern("[memory]");
  lookups_->memory_category = trace_.strings.intern("cpu_instant_event");
  lookups_->forward_backward = trace_.strings.intern("fwdbwd");
}

CategoryId TraceBuilder::category(StringId text) {
  auto& known = lookups_->category_of_text;
  if (text.value() < known.size() && known[text.value()].valid()) return known[text.value()];
  if (text.value() >= known.size()) known.resize(text.value() + 1);
  if (trace_.categories.size() == kMaxCategories) {  // hostile: the rest shares one
    return known[text.value()] = CategoryId(kMaxCategories - 1);
  }
  Category category;
  category.text = text;
  category.kind = category_kind(trace_.strings.text(text));
  category.folded = trace_.strings.intern(to_lower(trace_.strings.text(text)));
  trace_.categories.push_back(category);
  if (text.value() >= known.size()) known.resize(text.value() + 1);
  return known[text.value()] = CategoryId(trace_.categories.size() - 1);
}

bool TraceBuilder::stores_names(CategoryKind kind) const {
  switch (kind) {
    case CategoryKind::kGpu:
    case CategoryKind::kLaunch: return true;
    case CategoryKind::kGpuAnnotation: return options_.needs.annotations;
    case CategoryKind::kUserAnnotation: return options_.needs.annotations || options_.needs.host_events;
    case CategoryKind::kSync: return options_.needs.sync_records;
    case CategoryKind::kPython: return options_.needs.host_events && options_.needs.python_frames;
    case CategoryKind::kProfilerRange: return options_.needs.host_events || options_.needs.profiler_ranges;
    case CategoryKind::kOperator:
    case CategoryKind::kOverhead:
    case CategoryKind::kSpan: return options_.needs.host_events;
    // instants and flows live in such categories; they are recognised by name
    case CategoryKind::kOtherHost: return options_.needs.host_events || options_.needs.memory_events;
  }
  return true;
}

StringId TraceBuilder::name_in_tree(CategoryKind kind) const {
  const Needs& needs = options_.needs;
  return kind == CategoryKind::kPython && needs.host_events && needs.python_tree ? lookups_->no_name : StringId();
}

ThreadId TraceBuilder::thread(const TrackName& pid, const TrackName& tid) {
  return ThreadId(lookups_->threads.get(key_of(pid), key_of(tid), [&] {
    trace_.threads.push_back({pid, tid});
    return static_cast<std::uint32_t>(trace_.threads.size() - 1);
  }));
}

StreamId TraceBuilder::stream(std::int64_t device, std::int64_t stream) {
  return StreamId(lookups_->streams.get(static_cast<std::uint64_t>(device), static_cast<std::uint64_t>(stream), [&] {
    trace_.streams.push_back({device, stream});
    return static_cast<std::uint32_t>(trace_.streams.size() - 1);
  }));
}

void TraceBuilder::add(const Event& event) {
  switch (event.phase) {
    case 'X':
      if (!event.time_ns || !event.dur_ns) {
        if (event.category.valid() && kind(event.category) == CategoryKind::kSpan) {
          trace_.quality[EventFault::kProfilerSpan].add(event.offset);
        } else {
          trace_.quality[EventFault::kNoTime].add(event.offset);
        }
        return;
      }
      complete(event, *event.time_ns, event.dur_ns);
      return;
    case 'B': {
      if (lookups_->open_begins == kMaxOpenBegins) return trace_.quality[EventFault::kUnpairedBegin].add(event.offset);
      ++lookups_->open_begins;
      self_contained_ = false;
      Pending pending{event, {event.args.begin(), event.args.end()}, {event.counters.begin(), event.counters.end()}};
      lookups_->open[thread(event.pid, event.tid).value()].push_back(std::move(pending));
      return;
    }
    case 'E': {
      self_contained_ = false;
      auto& open = lookups_->open[thread(event.pid, event.tid).value()];
      if (open.empty()) {
        trace_.quality[EventFault::kUnpairedEnd].add(event.offset);
        return;
      }
      Pending pending = std::move(open.back());
      open.pop_back();
      --lookups_->open_begins;
      if (!pending.event.time_ns || !event.time_ns) {
        trace_.quality[EventFault::kNoTime].add(pending.event.offset);
        return;
      }
      pending.event.args = pending.args;
      pending.event.counters = pending.counters;
      Nanos dur_ns = 0;
      if (__builtin_sub_overflow(*event.time_ns, *pending.event.time_ns, &dur_ns)) {
        trace_.quality[EventFault::kTimeOutOfRange].add(pending.event.offset);
        return;
      }
      complete(pending.event, *pending.event.time_ns, dur_ns);
      return;
    }
    case 'i':
    case 'I':
      if (options_.needs.memory_events) store_memory(event);
      return;
    case 's':
    case 'f':
      if (options_.needs.flows && event.time_ns && is_near(*event.time_ns) && event.category.valid() &&
          trace_.categories[event.category.value()].folded == lookups_->forward_backward) {
        self_contained_ &= !event.textual_flow_id;
        flows_.push_back({event.flow_id, thread(event.pid, event.tid), event.phase});
      }
      return;
    default: return;
  }
}

void TraceBuilder::complete(const Event& event, Nanos start_ns, std::optional<Nanos> dur_ns) {
  Quality& quality = trace_.quality;
  const CategoryKind what = event.category.valid() ? kind(event.category) : CategoryKind::kOtherHost;
  if (what == CategoryKind::kSpan) return quality[EventFault::kProfilerSpan].add(event.offset);
  if (!event.has_name) return quality[EventFault::kNoName].add(event.offset);
  if (*dur_ns < 0) return quality[EventFault::kNegativeDuration].add(event.offset);
  if (*dur_ns > options_.max_event_dur_ns) return quality[EventFault::kTooLong].add(event.offset);
  if (what == CategoryKind::kGpu && start_ns == 0 && *dur_ns == 0)
    return quality[EventFault::kZeroTimes].add(event.offset);
  if (!is_near(start_ns) || *dur_ns > kFarthestTime - start_ns)
    return quality[EventFault::kTimeOutOfRange].add(event.offset);
  const Nanos end_ns = start_ns + *dur_ns;

  ++quality.kept;
  if (event.category.valid()) ++trace_.categories[event.category.value()].kept;
  if (!trace_.first_start_ns) {
    trace_.first_start_ns = start_ns;
    trace_.last_end_ns = end_ns;
  } else {
    trace_.first_start_ns = std::min(*trace_.first_start_ns, start_ns);
    trace_.last_end_ns = std::max(trace_.last_end_ns, end_ns);
  }

  switch (what) {
    case CategoryKind::kGpu: return store_gpu(event, start_ns, *dur_ns);
    case CategoryKind::kSync:
      if (options_.needs.sync_records) store_sync(event, start_ns, *dur_ns);
      return;
    case CategoryKind::kGpuAnnotation:
      if (options_.needs.annotations) {
        trace_.annotations.push_back(
            {start_ns, *dur_ns, event.name, thread(event.pid, event.tid), what, event.position});
      }
      return;
    default: return store_host(event, start_ns, *dur_ns, what);
  }
}

void TraceBuilder::store_gpu(const Event& event, Nanos start_ns, Nanos dur_ns) {
  GpuEvents& gpu = trace_.gpu;
  const GpuId row(gpu.size());
  gpu.start_ns.push_back(start_ns);
  gpu.dur_ns.push_back(dur_ns);
  gpu.name.push_back(event.name);
  gpu.stream.push_back(stream(device_of(event), stream_of(event)));
  gpu.thread.push_back(thread(event.pid, event.tid));
  gpu.category.push_back(event.category);
  const StringId collective(static_cast<std::size_t>(arg(event, ArgKey::kCollectiveName).value_or(0xffffffff)));
  const bool named = collective.valid() && !trace_.strings.text(collective).empty();
  // The final type needs the whole string table; until finish() the column says whether a collective is named.
  gpu.type.push_back(named ? KernelType::kCommunication : KernelType::kComputation);
  gpu.correlation.push_back(correlation_of(event));
  gpu.position.push_back(event.position);
  for (const ArgValue& value : event.args) {
    if (options_.needs.gpu_args.contains(value.key)) trace_.gpu_args[value.key].add(row, value.value);
  }
}

void TraceBuilder::store_host(const Event& event, Nanos start_ns, Nanos dur_ns, CategoryKind what) {
  if (!event.name.valid()) return;  // neither stored nor a step
  const ThreadId on = thread(event.pid, event.tid);
  if (const auto number = step_number(trace_.strings.text(event.name))) {
    trace_.step_events.push_back({*number, start_ns, start_ns + dur_ns, on, event.position});
  }
  HostId host_row;
  const Needs& needs = options_.needs;
  if (needs.host_events && (what != CategoryKind::kPython || needs.python_frames || needs.python_tree)) {
    HostEvents& host = trace_.host;
    host_row = HostId(host.size());
    host.start_ns.push_back(start_ns);
    host.dur_ns.push_back(dur_ns);
    host.name.push_back(event.name);
    host.thread.push_back(on);
    host.category.push_back(event.category);
    host.position.push_back(event.position);
    for (const ArgValue& value : event.args) {
      if (options_.needs.host_args.contains(value.key)) trace_.host_args[value.key].add(host_row, value.value);
    }
  }
  if (what == CategoryKind::kLaunch) {
    LaunchCalls& calls = trace_.launches;
    calls.start_ns.push_back(start_ns);
    calls.dur_ns.push_back(dur_ns);
    calls.name.push_back(event.name);
    calls.thread.push_back(on);
    calls.correlation.push_back(correlation_of(event));
    calls.host.push_back(host_row);
    calls.position.push_back(event.position);
  } else if (what == CategoryKind::kUserAnnotation && options_.needs.annotations) {
    trace_.annotations.push_back({start_ns, dur_ns, event.name, on, what, event.position});
  } else if (what == CategoryKind::kProfilerRange && options_.needs.profiler_ranges) {
    trace_.profiler_ranges.push_back({start_ns,
                                      dur_ns,
                                      event.name,
                                      correlation_of(event),
                                      {event.counters.begin(), event.counters.end()},
                                      event.position});
  }
}

void TraceBuilder::store_sync(const Event& event, Nanos start_ns, Nanos dur_ns) {
  SyncRecord record;
  record.start_ns = start_ns;
  record.dur_ns = dur_ns;
  record.name = event.name;
  record.correlation = correlation_of(event);
  if (const auto device = arg(event, ArgKey::kDevice)) record.device = *device;
  else if (!event.pid.text.valid()) record.device = event.pid.number;
  record.stream = arg(event, ArgKey::kStream);
  record.wait_on_stream = arg(event, ArgKey::kWaitOnStream);
  record.record_correlation = arg(event, ArgKey::kWaitOnEventRecordCorrelation);
  record.position = event.position;
  trace_.sync_records.push_back(record);
}

void TraceBuilder::store_memory(const Event& event) {
  if (!event.time_ns || !is_near(*event.time_ns) || event.name != lookups_->memory_name) return;
  MemoryEvent memory;
  memory.time_ns = *event.time_ns;
  memory.bytes = arg(event, ArgKey::kMemoryBytes).value_or(0);
  memory.total_allocated = arg(event, ArgKey::kTotalAllocated).value_or(-1);
  memory.total_reserved = arg(event, ArgKey::kTotalReserved).value_or(-1);
  memory.device_type = arg(event, ArgKey::kDeviceType).value_or(-1);
  memory.device_id = arg(event, ArgKey::kDeviceId).value_or(-1);
  memory.address = arg(event, ArgKey::kAddress).value_or(0);
  memory.thread = thread(event.pid, event.tid);
  memory.position = event.position;
  trace_.memory_events.push_back(memory);
}

std::vector<ThreadId> TraceBuilder::backward_threads() const {
  std::vector<std::pair<std::int64_t, ThreadId>> starts;  // by id; of several of one id the first counts
  for (const FlowPoint& point : flows_) {
    if (point.phase == 's') starts.emplace_back(point.id, point.thread);
  }
  const auto by_id = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(starts.begin(), starts.end(), by_id)) std::stable_sort(starts.begin(), starts.end(), by_id);
  std::vector<bool> backward(trace_.threads.size());
  for (const FlowPoint& point : flows_) {
    if (point.phase != 'f' || backward[point.thread.value()]) continue;
    const auto start = std::lower_bound(starts.begin(), starts.end(), std::pair(point.id, ThreadId()), by_id);
    backward[point.thread.value()] = start != starts.end() && start->first == point.id && start->second != point.thread;
  }
  std::vector<ThreadId> out;
  for (std::size_t thread = 0; thread < backward.size(); ++thread) {
    if (backward[thread]) out.emplace_back(thread);
  }
  return out;
}

Trace TraceBuilder::finish() {
  std::vector<std::uint64_t> unpaired;
  for (const auto& [on, open] : lookups_->open) {
    for (const Pending& pending : open) unpaired.push_back(pending.event.offset);
  }
  std::sort(unpaired.begin(), unpaired.end());
  for (const std::uint64_t offset : unpaired) trace_.quality[EventFault::kUnpairedBegin].add(offset);
  trace_.backward_threads = backward_threads();
  flows_ = {};
  finish_trace(trace_, options_);
  Trace done = std::move(trace_);
  trace_ = Trace();
  reset();
  return done;
}

void TraceBuilder::trim() {
  trim_trace(trace_);
}

void TraceBuilder::recycle(Trace&& trace) {
  trace_ = std::move(trace);
  clear_trace(trace_);
  reset();
}

}  // namespace hta
