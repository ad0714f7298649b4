#include "waits.h"

#include "hta/base/intervals.h"
#include "hta/base/text.h"

#include <algorithm>

namespace hta::analysis::critical_path {
namespace {

// Of several records of one correlation the first in event order counts.
void keep_first(std::vector<std::pair<std::int64_t, const SyncRecord*>>& records) {
  std::stable_sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  records.erase(std::unique(records.begin(), records.end(), same), records.end());
}

}  // namespace

Waits::Waits(const Trace& trace, const NameTraits& names, const GpuTimeline& gpu, const Settings& settings)
    : trace_(trace), names_(names), gpu_(gpu), clock_slack_ns_(settings.clock_slack_ns) {
  if (trace.sync_records.empty()) return;
  index_calls();
  index_batches();
  index_records();
}

void Waits::index_calls() {
  for (const SyncRecord& record : trace_.sync_records) {
    calls_[record.correlation] = {};
    if (record.record_correlation) calls_[*record.record_correlation] = {};
  }
  calls_.erase(0);
  const LaunchCalls& calls = trace_.launches;
  for (const LaunchId call : IdRange<LaunchId>(calls.size())) {
    const auto wanted = calls_.find(calls.correlation[call]);
    if (wanted != calls_.end() && !wanted->second.valid()) wanted->second = call;
  }
}

void Waits::index_batches() {
  const GpuEvents& gpu = trace_.gpu;
  std::vector<std::size_t> events(trace_.streams.size());
  for (const StreamId stream : gpu.stream) ++events[stream.value()];
  batches_.resize(events.size());
  for (std::size_t stream = 0; stream < events.size(); ++stream) batches_[stream].reserve(events[stream]);
  for (const LaunchId call : IdRange<LaunchId>(trace_.launches.size())) {
    for (const GpuId g : trace_.launches.gpu_events(call)) {
      auto& batches = batches_[gpu.stream[g].value()];
      if (batches.empty() || batches.back().launch != call) batches.push_back({call, g, g});
      else if (GpuId& last = batches.back().last; GpuEnd::of(gpu, last) < GpuEnd::of(gpu, g)) last = g;
    }
  }
}

void Waits::index_records() {
  for (const SyncRecord& record : trace_.sync_records) {
    const std::string_view name = trace_.text(record.name);
    if (record.correlation != 0 && contains_ignoring_case(name, "stream sync")) {
      stream_records_.emplace_back(record.correlation, &record);
    }
    if (record.correlation != 0 && contains_ignoring_case(name, "event sync")) {
      event_records_.emplace_back(record.correlation, &record);
    }
    if (!contains_ignoring_case(name, "stream wait event")) continue;
    has_stream_waits_ = true;
    const LaunchId call = call_of(record.correlation);
    const LaunchId record_call = call_of(record.record_correlation.value_or(0));
    if (!call.valid() || !record_call.valid() || !record.stream || !record.wait_on_stream) continue;
    const Stream own{record.device.value_or(-1), *record.stream};
    const GpuId waiter = first_launched_from(own, trace_.launches.start_ns[call]);
    const GpuId event = marked(record_call, *record.wait_on_stream, record.device);
    if (waiter.valid() && event.valid() && trace_.gpu.stream[waiter] != trace_.gpu.stream[event]) {
      stream_waits_.emplace_back(waiter, event);
    }
  }
  keep_first(stream_records_);
  keep_first(event_records_);
  std::sort(stream_waits_.begin(), stream_waits_.end());
  stream_waits_.erase(std::unique(stream_waits_.begin(), stream_waits_.end()), stream_waits_.end());
}

LaunchId Waits::call_of(std::int64_t correlation) const {
  const auto at = calls_.find(correlation);
  return at == calls_.end() ? LaunchId() : at->second;
}

const SyncRecord* Waits::find(const std::vector<RecordOf>& records, LaunchId call) const {
  const std::int64_t correlation = trace_.launches.correlation[call];
  const auto at = std::lower_bound(records.begin(), records.end(), correlation,
                                   [](const RecordOf& r, std::int64_t wanted) { return r.first < wanted; });
  return at == records.end() || at->first != correlation ? nullptr : at->second;
}

// The GPU event that an event recorded by `record_call` on `stream` stood for: of the last launch before it.
GpuId Waits::marked(LaunchId record_call, std::int64_t stream, std::optional<std::int64_t> device) const {
  const Nanos recorded_ns = trace_.launches.start_ns[record_call];
  GpuId best;
  std::optional<std::int64_t> best_device;
  for (std::size_t s = 0; s < batches_.size(); ++s) {
    const Stream& on = trace_.streams[s];
    if (on.stream != stream) continue;
    const auto next = std::partition_point(batches_[s].begin(), batches_[s].end(), [&](const Batch& b) {
      return trace_.launches.start_ns[b.launch] < recorded_ns;
    });
    if (next == batches_[s].begin()) continue;
    if (on.device == device) return std::prev(next)->last;
    if (!best_device || on.device < *best_device) {
      best_device = on.device;
      best = std::prev(next)->last;
    }
  }
  return best;
}

GpuId Waits::first_launched_from(const Stream& on, Nanos start_ns) const {
  const auto stream = std::find(trace_.streams.begin(), trace_.streams.end(), on);
  if (stream == trace_.streams.end()) return {};
  const auto& batches = batches_[static_cast<std::size_t>(stream - trace_.streams.begin())];
  const auto launched_ns = [&](const Batch& b) { return trace_.launches.start_ns[b.launch]; };
  auto at =
      std::partition_point(batches.begin(), batches.end(), [&](const Batch& b) { return launched_ns(b) < start_ns; });
  if (at == batches.end()) return {};
  GpuId first = at->first;
  for (const Nanos same_ns = launched_ns(*at); at != batches.end() && launched_ns(*at) == same_ns; ++at) {
    first = std::min(first, at->first);
  }
  return first;
}

std::span<const std::pair<GpuId, GpuId>> Waits::awaited_by(GpuId g) const {
  const auto first = std::partition_point(stream_waits_.begin(), stream_waits_.end(),
                                          [&](const auto& wait) { return wait.first < g; });
  const auto last = std::find_if(first, stream_waits_.end(), [&](const auto& wait) { return wait.first != g; });
  return {first, last};
}

WaitKind Waits::kind(LaunchId call) const {
  const WaitKind kind = names_.wait(trace_.launches.name[call]);
  return kind == WaitKind::kCopy && trace_.launches.gpu_events(call).empty() ? WaitKind::kNone : kind;
}

GpuId Waits::awaited(LaunchId call) const {
  switch (kind(call)) {
    case WaitKind::kNone: return {};
    case WaitKind::kCopy: return awaited_copy(call);
    case WaitKind::kDevice: return awaited_work(call, nullptr);
    case WaitKind::kStream: {
      const SyncRecord* record = find(stream_records_, call);
      return awaited_work(call, record != nullptr && record->stream.value_or(-1) >= 0 ? record : nullptr);
    }
    case WaitKind::kEvent: {
      const SyncRecord* record = find(event_records_, call);
      const LaunchId record_call = record == nullptr ? LaunchId() : call_of(record->record_correlation.value_or(0));
      if (!record_call.valid()) return awaited_work(call, nullptr);
      if (!record->wait_on_stream) return {};
      const GpuId event = marked(record_call, *record->wait_on_stream, record->device);
      if (!event.valid()) return {};
      const Nanos end_ns = trace_.gpu.end_ns(event);
      const bool in_time =
          trace_.launches.start_ns[call] < end_ns && end_ns <= trace_.launches.end_ns(call) + clock_slack_ns_;
      return in_time ? event : GpuId();
    }
  }
  return {};
}

// A blocking copy waits for what it copies, and so does one that says it is asynchronous but held the thread all along.
bool Waits::blocks_on(LaunchId call, GpuId g) const {
  if (kind(call) != WaitKind::kCopy) return false;
  if (!names_.is_async(trace_.launches.name[call]) || names_.is_pageable(trace_.gpu.name[g])) return true;
  const Interval copy{trace_.gpu.start_ns[g], trace_.gpu.end_ns(g)};
  const Interval of_call{trace_.launches.start_ns[call], trace_.launches.end_ns(call)};
  const bool inside = of_call.begin <= copy.begin && copy.end <= of_call.end;
  return inside && copy.length() >= of_call.length() - copy.length();
}

GpuId Waits::awaited_copy(LaunchId call) const {
  const Nanos start_ns = trace_.launches.start_ns[call];
  const Nanos end_ns = trace_.launches.end_ns(call);
  GpuEnd last;
  for (const GpuId g : trace_.launches.gpu_events(call)) {
    const GpuEnd self = GpuEnd::of(trace_.gpu, g);
    if (!blocks_on(call, g) || self.end_ns <= start_ns || self.end_ns > end_ns + clock_slack_ns_) continue;
    if (!last.event.valid() || last < self) last = self;
  }
  return last.event;
}

// What was launched before the call and ended last while it waited, on any stream or on the one that `only` names.
GpuId Waits::awaited_work(LaunchId call, const SyncRecord* only) const {
  const Nanos start_ns = trace_.launches.start_ns[call];
  const Nanos end_ns = trace_.launches.end_ns(call);
  const GpuEvents& gpu = trace_.gpu;
  const bool any_device = only == nullptr || only->device.value_or(-1) < 0;
  const auto counts = [&](GpuId g) {
    if (only != nullptr) {
      const Stream& on = trace_.stream_of(g);
      if (on.stream != *only->stream || (!any_device && on.device != *only->device)) return false;
    }
    const LaunchId launch = gpu.launch[g];
    return launch.valid() ? trace_.launches.start_ns[launch] < start_ns : gpu.start_ns[g] < end_ns;
  };
  GpuEnd last;
  for (const auto& by_end : gpu_.devices()) {
    const Nanos after_ns = last.event.valid() ? std::max(start_ns, last.end_ns - 1) : start_ns;
    const GpuId g = last_ending(gpu, by_end, after_ns, end_ns + clock_slack_ns_, counts);
    if (!g.valid()) continue;
    const GpuEnd self = GpuEnd::of(gpu, g);
    if (!last.event.valid() || last < self) last = self;
  }
  return last.event;
}

}  // namespace hta::analysis::critical_path
