#include "hta/analysis/counter_series.h"

#include "hta/base/exact.h"
#include "hta/base/text.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace hta::analysis {
namespace {

// A value that changes at a time.
struct Change {
  Nanos time_ns;
  std::int64_t by;
};

bool earlier(const Change& a, const Change& b) {
  return a.time_ns < b.time_ns;
}

// The running sum of changes up and down, those up first at equal times. Each kind is sorted here, stably.
Series running_sum(std::vector<Change>& up, std::vector<Change>& down) {
  for (auto* changes : {&up, &down}) {
    if (!std::is_sorted(changes->begin(), changes->end(), earlier))
      std::stable_sort(changes->begin(), changes->end(), earlier);
  }
  Series points;
  points.reserve(up.size() + down.size());
  std::int64_t value = 0;
  auto next_up = up.begin();
  auto next_down = down.begin();
  while (next_up != up.end() || next_down != down.end()) {
    const bool rises = next_down == down.end() || (next_up != up.end() && next_up->time_ns <= next_down->time_ns);
    const Change& change = rises ? *next_up++ : *next_down++;
    value += change.by;
    points.push_back({change.time_ns, value});
  }
  return points;
}

constexpr std::size_t kMemcpyLabelSize = std::string_view("Memcpy HtoD").size();

bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// Bytes per second, exactly rounded.
std::optional<std::int64_t> bandwidth_of(const Trace& trace, GpuId event) {
  const Nanos dur_ns = trace.gpu.dur_ns[event];
  if (dur_ns <= 0) return std::nullopt;
  const auto recorded = trace.gpu_args[ArgKey::kMemoryBandwidth].find(event);
  if (recorded && *recorded >= 0) return recorded;
  const auto bytes = bytes_moved(trace, event);
  if (!bytes || *bytes < 0) return std::nullopt;
  return divide_half_even(Int128{*bytes} * kNanosPerSecond, dur_ns);
}

}  // namespace

QueueSeries::Iterator QueueSeries::begin() const {
  return {*this, 0};
}
QueueSeries::Iterator QueueSeries::end() const {
  return {*this, size()};
}

void QueueSeries::Iterator::take() {
  const Trace& trace = *series_->trace_;
  const auto& launched = series_->launched_;
  const auto& started = series_->started_;
  // What starts was launched before, so the launches are never the ones that are left.
  const Nanos start_ns = started_ns(trace, started[started_]);
  if (launched_ < launched.size() && launched_ns(trace, launched[launched_]) <= start_ns) {
    point_ = {launched_ns(trace, launched[launched_++]), point_.value + 1};
  } else {
    point_ = {start_ns, point_.value - 1};
    ++started_;
  }
}

std::vector<QueueSeries> queue_lengths(const Trace& trace) {
  struct OfStream {
    std::vector<GpuId> launched;
    std::vector<GpuId> started;
  };
  std::vector<std::size_t> events(trace.streams.size());
  for (const GpuId event : IdRange<GpuId>(trace.gpu.size())) {
    if (trace.gpu.launch[event].valid()) ++events[trace.gpu.stream[event].value()];
  }
  std::vector<OfStream> streams(events.size());
  for (std::size_t s = 0; s < streams.size(); ++s) {
    streams[s].launched.reserve(events[s]);
    streams[s].started.reserve(events[s]);
  }
  for (const LaunchId call : IdRange<LaunchId>(trace.launches.size())) {
    for (const GpuId event : trace.launches.gpu_events(call))
      streams[trace.gpu.stream[event].value()].launched.push_back(event);
  }
  for (const GpuId event : IdRange<GpuId>(trace.gpu.size())) {
    if (trace.gpu.launch[event].valid()) streams[trace.gpu.stream[event].value()].started.push_back(event);
  }
  // Events are in order of their starts, but for those that seem to start before their launches.
  const auto starts_earlier = [&](GpuId a, GpuId b) {
    return QueueSeries::started_ns(trace, a) < QueueSeries::started_ns(trace, b);
  };
  std::vector<QueueSeries> out;
  for (auto& [launched, started] : streams) {
    if (launched.empty()) continue;
    if (!std::is_sorted(started.begin(), started.end(), starts_earlier))
      std::stable_sort(started.begin(), started.end(), starts_earlier);
    out.emplace_back(trace, std::move(launched), std::move(started));
  }
  std::sort(out.begin(), out.end(), [](const QueueSeries& a, const QueueSeries& b) { return a.stream() < b.stream(); });
  return out;
}

ArgSet bandwidth_args() {
  return {ArgKey::kBytes, ArgKey::kSize, ArgKey::kMemoryBandwidth};
}

std::optional<std::int64_t> bytes_moved(const Trace& trace, GpuId event) {
  const auto bytes = trace.gpu_args[ArgKey::kBytes].find(event);
  return bytes ? bytes : trace.gpu_args[ArgKey::kSize].find(event);
}

std::string_view copy_label(std::string_view name) {
  if (name.starts_with("Memset")) return "Memset";
  if (name.starts_with("Memcpy ") && name.size() >= kMemcpyLabelSize && is_letter(name[7]) &&
      name.substr(8, 2) == "to" && is_letter(name[10]) &&
      (name.size() == kMemcpyLabelSize || !is_letter(name[kMemcpyLabelSize]))) {
    return name.substr(0, kMemcpyLabelSize);
  }
  if (name == "CopyDeviceToHost") return "Memcpy DtoH";
  if (name == "CopyHostToDevice") return "Memcpy HtoD";
  if (name == "CopyDeviceToDevice") return "Memcpy DtoD";
  if (name == "FillBuffer" || contains_ignoring_case(name, "__amd_rocclr_fillbuffer")) return "Memset";
  return "Memcpy Unknown";
}

std::vector<BandwidthSeries> copy_bandwidths(const Trace& trace) {
  const GpuEvents& gpu = trace.gpu;
  struct OfLabel {
    std::vector<Change> up;
    std::vector<Change> down;
    TrackName pid;
  };
  std::map<std::pair<std::int64_t, std::string_view>, OfLabel> series;
  std::unordered_map<std::uint32_t, std::string_view> labels;  // of names, which repeat
  for (const GpuId event : IdRange<GpuId>(gpu.size())) {
    if (gpu.type[event] != KernelType::kMemory) continue;
    const auto rate = bandwidth_of(trace, event);
    if (!rate) continue;
    const auto [label, fresh] = labels.try_emplace(gpu.name[event].value());
    if (fresh) label->second = copy_label(trace.name(event));
    OfLabel& of = series[{trace.stream_of(event).device, label->second}];
    if (of.up.empty()) of.pid = trace.threads[gpu.thread[event].value()].pid;
    of.up.push_back({gpu.start_ns[event], *rate});
    of.down.push_back({gpu.end_ns(event), -*rate});
  }
  std::vector<BandwidthSeries> out;
  for (auto& [key, of] : series) {
    out.push_back({key.first, std::string(key.second), of.pid, running_sum(of.up, of.down)});
  }
  return out;
}

}  // namespace hta::analysis
