#include "finish.h"

#include "hta/model/event_order.h"

#include <algorithm>
#include <bit>
#include <span>
#include <unordered_map>

#include "columns.h"

namespace hta {
namespace {

constexpr Nanos kDominatingFrom = kNanosPerSecond;
constexpr std::uint32_t kNoRow = 0xffffffff;
constexpr std::int64_t kIncompleteShare = 10;  // a step is incomplete with more than 1/10 of its launches bare

// Gives the values of each column to the new rows of theirs, and drops those of rows that have none.
template <class Index>
void remap_rows(ArgTable<Index>& args, std::span<const std::uint32_t> new_row) {
  for (ArgColumn<Index>& column : args.columns) {
    Index* const rows = column.rows().data();
    std::int64_t* const values = column.values().data();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < column.size(); ++i) {
      const std::uint32_t row = new_row[rows[i].value()];
      if (row == kNoRow) continue;
      rows[kept] = Index(row);
      values[kept++] = values[i];
    }
    column.rows().resize(kept);
    column.values().resize(kept);
    auto order = sorted_order(kept, [rows](std::uint32_t a, std::uint32_t b) { return rows[a] < rows[b]; });
    if (order.empty()) continue;
    Reordering reordering(std::move(order));
    reordering.apply(column.rows());
    reordering.apply(column.values());
  }
}

void sort_gpu(Trace& trace) {
  GpuEvents& gpu = trace.gpu;
  auto order = event_order(OrderKeys<GpuId>{gpu.start_ns, gpu.dur_ns, gpu.position});
  if (order.empty()) return;
  Reordering reordering(std::move(order));
  for_each_column(kRecordedGpuColumns, [&](auto column) { reordering.apply(gpu.*column); });
  remap_rows(trace.gpu_args, reordering.new_rows());
}

void sort_host(Trace& trace) {
  HostEvents& host = trace.host;
  auto order = event_order(OrderKeys<HostId>{host.start_ns, host.dur_ns, host.position});
  if (order.empty()) return;
  Reordering reordering(std::move(order));
  for_each_column(kRecordedHostColumns, [&](auto column) { reordering.apply(host.*column); });
  const std::span<const std::uint32_t> new_rows = reordering.new_rows();
  remap_rows(trace.host_args, new_rows);
  for (HostId& row : trace.launches.host) {
    if (row.valid()) row = HostId(new_rows[row.value()]);
  }
}

void sort_launches(Trace& trace) {
  LaunchCalls& calls = trace.launches;
  auto order = event_order(OrderKeys<LaunchId>{calls.start_ns, calls.dur_ns, calls.position});
  if (order.empty()) return;
  Reordering reordering(std::move(order));
  for_each_column(kRecordedLaunchColumns, [&](auto column) { reordering.apply(calls.*column); });
}

template <class Row>
void sort_rows(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
    if (a.dur_ns != b.dur_ns) return a.dur_ns > b.dur_ns;
    return a.position < b.position;
  });
}

void make_steps(Trace& trace) {
  auto& events = trace.step_events;
  std::sort(events.begin(), events.end(), [](const StepEvent& a, const StepEvent& b) {
    if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
    if (a.end_ns != b.end_ns) return a.end_ns > b.end_ns;
    return a.position < b.position;
  });
  std::unordered_map<std::int64_t, std::size_t> by_number;
  for (const StepEvent& event : events) {
    const auto [at, fresh] = by_number.try_emplace(event.number, trace.steps.size());
    if (fresh) trace.steps.push_back({event.number, event.start_ns, event.end_ns});
    Step& step = trace.steps[at->second];
    step.start_ns = std::min(step.start_ns, event.start_ns);
    step.end_ns = std::max(step.end_ns, event.end_ns);
  }
  std::sort(trace.steps.begin(), trace.steps.end(), [](const Step& a, const Step& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.number < b.number;
  });
}

// Correlation -> the first launch call in event order.
class LaunchIndex {
 public:
  explicit LaunchIndex(const LaunchCalls& calls) : calls_(calls) {
    std::int64_t low = INT64_MAX;
    std::int64_t high = 0;
    std::size_t n = 0;
    for (const LaunchId call : IdRange<LaunchId>(calls.size())) {
      const std::int64_t id = calls.correlation[call];
      if (id == 0) continue;
      low = std::min(low, id);
      high = std::max(high, id);
      ++n;
    }
    if (n == 0) return;
    // Correlations are running numbers: a plain array is smaller and faster than a hash table unless they are far
    // apart.
    dense_ = static_cast<std::uint64_t>(high - low) < 16 * n + 1024;
    base_ = low;
    slots_.resize(dense_ ? static_cast<std::size_t>(high - low) + 1 : std::bit_ceil(2 * n));
    for (const LaunchId call : IdRange<LaunchId>(calls.size())) {
      const std::int64_t id = calls.correlation[call];
      if (id == 0) continue;
      if (LaunchId& slot = slots_[slot_of(id)]; !slot.valid()) slot = call;
    }
  }
  LaunchId find(std::int64_t id) const {
    if (id == 0 || slots_.empty()) return {};
    if (dense_ && (id < base_ || static_cast<std::uint64_t>(id - base_) >= slots_.size())) return {};
    return slots_[slot_of(id)];
  }

 private:
  // Where `id` is, or belongs.
  std::size_t slot_of(std::int64_t id) const {
    if (dense_) return static_cast<std::size_t>(id - base_);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15u >> 32) & mask;
    while (slots_[at].valid() && calls_.correlation[slots_[at]] != id) at = (at + 1) & mask;
    return at;
  }

  const LaunchCalls& calls_;
  std::vector<LaunchId> slots_;
  std::int64_t base_ = 0;
  bool dense_ = true;
};

void link(Trace& trace) {
  const LaunchIndex index(trace.launches);
  trace.gpu.launch.clear();
  trace.gpu.launch.reserve(trace.gpu.size());
  for (const GpuId i : IdRange<GpuId>(trace.gpu.size()))
    trace.gpu.launch.push_back(index.find(trace.gpu.correlation[i]));
}

void assign_steps(Trace& trace) {
  GpuEvents& gpu = trace.gpu;
  gpu.step.clear();
  gpu.step.reserve(gpu.size());
  for (const GpuId i : IdRange<GpuId>(gpu.size())) {
    const LaunchId call = gpu.launch[i];
    gpu.step.push_back(
        trace.steps.empty() ? StepId() : trace.step_at(call.valid() ? trace.launches.start_ns[call] : gpu.start_ns[i]));
  }
}

GpuCategory gpu_category(std::string_view folded) {
  if (folded == "kernel") return GpuCategory::kKernel;
  if (folded == "mtia_ccp_events") return GpuCategory::kMtia;
  return GpuCategory::kCopyOrSet;
}

void classify(Trace& trace, const KernelRules* rules) {
  GpuEvents& gpu = trace.gpu;
  // Kernels repeat thousands of times, nearly always in one category: the last answer of each name is kept.
  struct Answer {
    CategoryId category;
    bool named = false;
    KernelType type = KernelType::kOther;
  };
  std::vector<Answer> answers(trace.strings.size());
  for (const GpuId i : IdRange<GpuId>(gpu.size())) {
    const bool named = gpu.type[i] == KernelType::kCommunication;
    Answer& answer = answers[gpu.name[i].value()];
    if (answer.category != gpu.category[i] || answer.named != named) {
      const std::string_view name = trace.name(i);
      const auto own = rules != nullptr ? rules->match(name) : std::nullopt;
      answer = {gpu.category[i], named,
                own ? *own
                    : classify_by_name(gpu_category(trace.text(trace.category(gpu.category[i]).folded)), name,
                                       named ? CollectiveName::kPresent : CollectiveName::kAbsent)};
    }
    gpu.type[i] = answer.type;
  }
}

void find_suspects(Trace& trace) {
  const GpuEvents& gpu = trace.gpu;
  Int128 total = 0;
  GpuId longest;
  for (const GpuId i : IdRange<GpuId>(gpu.size())) {
    const LaunchId call = gpu.launch[i];
    if (call.valid()) {
      ++trace.gpu_events_linked;
      if (gpu.start_ns[i] < trace.launches.start_ns[call])
        trace.quality[EventFault::kStartsBeforeLaunch].add_record(gpu.position[i]);
    }
    total += gpu.dur_ns[i];
    if (!longest.valid() || gpu.dur_ns[i] > gpu.dur_ns[longest]) longest = i;
  }
  if (longest.valid() && gpu.dur_ns[longest] > kDominatingFrom && gpu.dur_ns[longest] > total - gpu.dur_ns[longest]) {
    trace.quality[EventFault::kDominatesRank].add_record(gpu.position[longest]);
  }
}

void make_launch_lists(Trace& trace) {
  LaunchCalls& calls = trace.launches;
  const GpuEvents& gpu = trace.gpu;
  calls.gpu_begin.clear();
  calls.gpu_begin.resize(calls.size() + 1, 0);
  std::uint32_t* begin = calls.gpu_begin.data();
  for (const LaunchId call : gpu.launch) {
    if (call.valid()) ++begin[call.value() + 1];
  }
  for (std::size_t i = 0; i < calls.size(); ++i) begin[i + 1] += begin[i];
  calls.gpu_of.clear();
  calls.gpu_of.resize(begin[calls.size()], GpuId());
  // Each begin is moved on as its list fills up, to where the next one's list begins; so all move back by one at last.
  for (const GpuId i : IdRange<GpuId>(gpu.size())) {
    if (const LaunchId call = gpu.launch[i]; call.valid()) calls.gpu_of.data()[begin[call.value()]++] = i;
  }
  for (std::size_t i = calls.size(); i > 0; --i) begin[i] = begin[i - 1];
  begin[0] = 0;
}

void find_incomplete_steps(Trace& trace) {
  if (trace.steps.size() < 2) return;
  const LaunchCalls& calls = trace.launches;
  const StepId last(trace.steps.size() - 1);
  std::vector<bool> launching(trace.strings.size());  // names that launch GPU work in the earlier steps
  for (const LaunchId call : IdRange<LaunchId>(calls.size())) {
    if (calls.gpu_events(call).empty()) continue;
    const StepId step = trace.step_at(calls.start_ns[call]);
    if (step.valid() && step != last) launching[calls.name[call].value()] = true;
  }
  std::int64_t of_last = 0;
  std::int64_t bare = 0;
  for (const LaunchId call : IdRange<LaunchId>(calls.size())) {
    if (!launching[calls.name[call].value()] || trace.step_at(calls.start_ns[call]) != last) continue;
    ++of_last;
    if (calls.gpu_events(call).empty()) ++bare;
  }
  if (bare * kIncompleteShare > of_last) trace.incomplete_steps.push_back(last);
}

// Rows only move towards the front, so that each column can be thinned out where it is.
template <class T>
void keep_rows(Column<GpuId, T>& column, const std::vector<std::uint32_t>& kept) {
  for (std::size_t i = 0; i < kept.size(); ++i) column.data()[i] = column.data()[kept[i]];
  column.resize(kept.size());
}
void keep_rows(CompactColumn<GpuId>& column, const std::vector<std::uint32_t>& kept) {
  keep_rows(column.cells(), kept);
}

void apply_filter(Trace& trace, const GpuFilter& filter) {
  if (filter.all()) return;
  GpuEvents& gpu = trace.gpu;
  std::unordered_map<std::uint32_t, bool> name_matches;
  std::vector<std::uint32_t> kept;
  std::vector<std::uint32_t> new_row(gpu.size(), kNoRow);
  for (const GpuId i : IdRange<GpuId>(gpu.size())) {
    const Stream& on = trace.stream_of(i);
    if (!filter.devices.contains(on.device) || !filter.streams.contains(on.stream)) continue;
    if (!filter.steps.all() && (!gpu.step[i].valid() || !filter.steps.contains(trace.step(gpu.step[i]).number)))
      continue;
    if (filter.name) {
      const auto [at, fresh] = name_matches.try_emplace(gpu.name[i].value(), false);
      if (fresh) at->second = std::regex_search(std::string(trace.name(i)), *filter.name);
      if (!at->second) continue;
    }
    new_row[i.value()] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(i.value());
  }
  for_each_column(kGpuColumns, [&](auto column) { keep_rows(gpu.*column, kept); });
  remap_rows(trace.gpu_args, new_row);
}

void make_call_tree(Trace& trace) {
  HostEvents& host = trace.host;
  struct Open {
    HostId row;
    Nanos end_ns;  // not beyond its parent's: an event that outlives its parent ends with it
  };
  std::vector<std::vector<Open>> stacks(trace.threads.size());
  host.parent.clear();
  host.parent.reserve(host.size());
  for (const HostId i : IdRange<HostId>(host.size())) {
    std::vector<Open>& stack = stacks[host.thread[i].value()];
    while (!stack.empty() && stack.back().end_ns <= host.start_ns[i]) stack.pop_back();
    Nanos end_ns = host.end_ns(i);
    host.parent.push_back(stack.empty() ? HostId() : stack.back().row);
    if (!stack.empty()) end_ns = std::min(end_ns, stack.back().end_ns);
    stack.push_back({i, end_ns});
  }
}

}  // namespace

void finish_trace(Trace& trace, const BuildOptions& options) {
  trim_trace(trace);  // what putting in order needs comes on top
  sort_gpu(trace);
  sort_host(trace);  // before the launches: their rows of host events follow
  sort_launches(trace);
  sort_rows(trace.annotations);
  sort_rows(trace.sync_records);
  sort_rows(trace.profiler_ranges);
  std::stable_sort(trace.memory_events.begin(), trace.memory_events.end(),
                   [](const MemoryEvent& a, const MemoryEvent& b) { return a.time_ns < b.time_ns; });
  make_steps(trace);
  link(trace);
  assign_steps(trace);
  classify(trace, options.kernel_rules.get());
  find_suspects(trace);
  make_launch_lists(trace);
  find_incomplete_steps(trace);
  if (!options.filter.all()) {
    apply_filter(trace, options.filter);
    make_launch_lists(trace);
  }
  if (options.needs.call_tree) make_call_tree(trace);
  trim_trace(trace);
}

void trim_trace(Trace& trace) {
  const auto trim = [](auto& table, const auto& columns) {
    for_each_column(columns, [&](auto column) { (table.*column).trim(); });
  };
  trim(trace.gpu, kGpuColumns);
  trim(trace.launches, kLaunchColumns);
  trim(trace.host, kHostColumns);
  for (ArgColumn<GpuId>& column : trace.gpu_args.columns) column.trim();
  for (ArgColumn<HostId>& column : trace.host_args.columns) column.trim();
}

void clear_trace(Trace& trace) {
  Trace fresh;
  const auto keep = [](auto& table, auto& into, const auto& columns) {
    for_each_column(columns, [&](auto column) {
      (table.*column).clear();
      into.*column = std::move(table.*column);
    });
  };
  keep(trace.gpu, fresh.gpu, kGpuColumns);
  keep(trace.launches, fresh.launches, kLaunchColumns);
  keep(trace.host, fresh.host, kHostColumns);
  for (ArgColumn<GpuId>& column : trace.gpu_args.columns) column.clear();
  for (ArgColumn<HostId>& column : trace.host_args.columns) column.clear();
  fresh.gpu_args = std::move(trace.gpu_args);
  fresh.host_args = std::move(trace.host_args);
  trace.strings.clear();
  fresh.strings = std::move(trace.strings);
  trace = std::move(fresh);
}

}  // namespace hta
