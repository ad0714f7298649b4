#include "gpu.h"

#include <map>

namespace hta::analysis::critical_path {

GpuTimeline::GpuTimeline(const Trace& trace) : trace_(trace) {
  std::map<std::int64_t, std::uint32_t> device_index;
  for (const Stream& stream : trace.streams) {
    const auto index = static_cast<std::uint32_t>(device_index.size());
    device_of_stream_.push_back(device_index.try_emplace(stream.device, index).first->second);
  }
  const GpuEvents& gpu = trace.gpu;
  std::vector<std::size_t> events(device_index.size());
  for (const StreamId stream : gpu.stream) ++events[device_of_stream_[stream.value()]];
  by_end_.resize(events.size());
  for (std::size_t device = 0; device < events.size(); ++device) by_end_[device].reserve(events[device]);

  std::vector<GpuEnd> latest(trace.streams.size());  // by StreamId: greatest (end, event order) so far
  stream_predecessor_.reserve(gpu.size());
  for (const GpuId g : IdRange<GpuId>(gpu.size())) {
    GpuEnd& before = latest[gpu.stream[g].value()];
    const GpuEnd self = GpuEnd::of(gpu, g);
    stream_predecessor_.push_back(before.event);
    if (!before.event.valid() || before < self) before = self;
    by_end_[device_of_stream_[gpu.stream[g].value()]].push_back(g);
  }
  const auto ends_earlier = [&](GpuId a, GpuId b) { return GpuEnd::of(gpu, a) < GpuEnd::of(gpu, b); };
  for (auto& ends : by_end_) {
    if (!std::is_sorted(ends.begin(), ends.end(), ends_earlier)) std::sort(ends.begin(), ends.end(), ends_earlier);
  }
  group_siblings();
}

void GpuTimeline::group_siblings() {
  const GpuEvents& gpu = trace_.gpu;
  const auto stream_of = [&](const Sibling& s) { return gpu.stream[s.end.event]; };
  for (const LaunchId call : IdRange<LaunchId>(trace_.launches.size())) {
    const auto events = trace_.launches.gpu_events(call);
    const bool one_stream =
        std::all_of(events.begin(), events.end(), [&](GpuId g) { return gpu.stream[g] == gpu.stream[events.front()]; });
    if (one_stream) continue;
    for (const GpuId g : events) {
      siblings_.push_back({call, device_of_stream_[gpu.stream[g].value()], GpuEnd::of(gpu, g), kNone});
    }
  }
  std::sort(siblings_.begin(), siblings_.end(), [](const Sibling& a, const Sibling& b) { return a.key() < b.key(); });
  for (std::size_t i = 1; i < siblings_.size(); ++i) {
    Sibling& self = siblings_[i];
    const Sibling& before = siblings_[i - 1];
    if (before.launch != self.launch || before.device != self.device) continue;
    self.other_stream = stream_of(before) != stream_of(self) ? static_cast<std::uint32_t>(i - 1) : before.other_stream;
  }
}

GpuId GpuTimeline::graph_predecessor(GpuId g, Nanos c) const {
  const LaunchId call = trace_.gpu.launch[g];
  if (!call.valid() || siblings_.empty()) return {};
  const std::uint32_t device = device_of_stream_[trace_.gpu.stream[g].value()];
  const auto next = std::partition_point(siblings_.begin(), siblings_.end(), [&](const Sibling& s) {
    return std::tie(s.launch, s.device, s.end.end_ns) <= std::tie(call, device, c);
  });
  if (next == siblings_.begin()) return {};
  const Sibling& last = *std::prev(next);
  if (last.launch != call || last.device != device) return {};
  if (trace_.gpu.stream[last.end.event] != trace_.gpu.stream[g]) return last.end.event;
  return last.other_stream == kNone ? GpuId() : siblings_[last.other_stream].end.event;
}

}  // namespace hta::analysis::critical_path
