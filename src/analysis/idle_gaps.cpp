#include "idle_gaps.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace hta::analysis {
namespace {

constexpr Nanos kNever = std::numeric_limits<Nanos>::min();

GapKind gap_kind(const Trace& trace, GpuId ended_by, Interval gap, Nanos kernel_gap_ns) {
  const LaunchId call = trace.gpu.launch[ended_by];
  if (call.valid() && trace.launches.start_ns[call] > gap.begin) return GapKind::kHostWait;
  return gap.length() < kernel_gap_ns ? GapKind::kKernelWait : GapKind::kOther;
}

// Which of two events that start together names the gap before them.
bool names_gap_before(const Trace& trace, GpuId a, GpuId b) {
  return std::pair(trace.stream_of(a).stream, trace.gpu.position[a]) <
         std::pair(trace.stream_of(b).stream, trace.gpu.position[b]);
}

struct DeviceSweep {
  DeviceGaps out;
  GpuId last;  // the event that ends last so far
  Nanos busy_until = kNever;
};

}  // namespace

std::string_view gap_kind_name(GapKind kind) {
  switch (kind) {
    case GapKind::kHostWait: return "host_wait";
    case GapKind::kKernelWait: return "kernel_wait";
    case GapKind::kOther: return "other";
  }
  return {};
}

std::vector<StreamGaps> stream_gaps(const Trace& trace, Nanos kernel_gap_ns) {
  const GpuEvents& gpu = trace.gpu;
  std::vector<StreamGaps> gaps(trace.streams.size());
  std::vector<Nanos> busy_until(trace.streams.size(), kNever);
  for (const GpuId i : IdRange<GpuId>(gpu.size())) {
    const std::size_t stream = gpu.stream[i].value();
    if (const Interval gap{busy_until[stream], gpu.start_ns[i]}; gap.begin != kNever && gap.begin < gap.end) {
      gaps[stream][static_cast<std::size_t>(gap_kind(trace, i, gap, kernel_gap_ns))].push_back(gap.length());
    }
    busy_until[stream] = std::max(busy_until[stream], gpu.end_ns(i));
  }
  return gaps;
}

std::vector<DeviceGaps> device_gaps(const Trace& trace, Nanos kernel_gap_ns) {
  const GpuEvents& gpu = trace.gpu;
  std::vector<DeviceSweep> devices;
  std::vector<std::size_t> device_of_stream(trace.streams.size());
  for (std::size_t s = 0; s < trace.streams.size(); ++s) {
    const std::int64_t device = trace.streams[s].device;
    const auto same = [&](const DeviceSweep& sweep) { return sweep.out.device == device; };
    const auto at = std::find_if(devices.begin(), devices.end(), same);
    device_of_stream[s] = static_cast<std::size_t>(at - devices.begin());
    if (at == devices.end()) devices.push_back({{device, {}, {}}, {}, kNever});
  }
  for (const GpuId i : IdRange<GpuId>(gpu.size())) {
    DeviceSweep& device = devices[device_of_stream[gpu.stream[i].value()]];
    auto& gaps = device.out.gaps;
    const Nanos start_ns = gpu.start_ns[i];
    if (device.busy_until == kNever) {
      device.out.span.begin = start_ns;
    } else if (start_ns > device.busy_until) {
      gaps.push_back({{device.busy_until, start_ns}, GapKind::kOther, device.last, i});
    } else if (!gaps.empty() && gaps.back().time.end == start_ns && names_gap_before(trace, i, gaps.back().ended_by)) {
      gaps.back().ended_by = i;
    }
    if (gpu.end_ns(i) > device.busy_until) {
      device.busy_until = gpu.end_ns(i);
      device.last = i;
    }
  }
  std::vector<DeviceGaps> out;
  for (DeviceSweep& device : devices) {
    if (device.busy_until == kNever) continue;  // its events were all filtered away
    device.out.span.end = device.busy_until;
    for (DeviceGap& gap : device.out.gaps) gap.kind = gap_kind(trace, gap.ended_by, gap.time, kernel_gap_ns);
    out.push_back(std::move(device.out));
  }
  std::sort(out.begin(), out.end(), [](const DeviceGaps& a, const DeviceGaps& b) { return a.device < b.device; });
  return out;
}

}  // namespace hta::analysis
