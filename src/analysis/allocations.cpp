#include "hta/analysis/allocations.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace hta::analysis {
namespace {

// They allocate for whoever calls them.
constexpr std::array<std::string_view, 10> kAllocators{
    "aten::empty",           "aten::empty_like",     "aten::empty_strided",     "aten::empty_permuted",
    "aten::empty_quantized", "aten::new_empty",      "aten::new_empty_strided", "aten::resize_",
    "aten::resize_as_",      "aten::_resize_output_"};

// The operators open on each thread, as time goes on.
class OpenOperators {
 public:
  explicit OpenOperators(const Trace& trace) : trace_(trace), stacks_(trace.threads.size()) {
    for (const Category& category : trace.categories) {
      counts_.push_back(category.kind == CategoryKind::kOperator || category.kind == CategoryKind::kUserAnnotation);
    }
    for (const std::string_view name : kAllocators) {
      if (const StringId id = trace.strings.find(name); id.valid()) allocators_.push_back(id);
    }
  }

  // The innermost one of the thread that is more than an allocator; times must not go back.
  StringId innermost(ThreadId thread, Nanos time_ns) {
    const HostEvents& host = trace_.host;
    for (; next_ < host.size() && host.start_ns[HostId(next_)] <= time_ns; ++next_) open(HostId(next_));
    std::vector<Open>& stack = stacks_[thread.value()];
    close(stack, time_ns);
    StringId found;
    for (auto op = stack.rbegin(); op != stack.rend(); ++op) {
      found = op->name;
      if (std::find(allocators_.begin(), allocators_.end(), op->name) == allocators_.end()) break;
    }
    return found;
  }

 private:
  struct Open {
    StringId name;
    Nanos end_ns;
  };

  static void close(std::vector<Open>& stack, Nanos time_ns) {
    while (!stack.empty() && stack.back().end_ns <= time_ns) stack.pop_back();
  }
  void open(HostId event) {
    const HostEvents& host = trace_.host;
    // Events without category have no role; steps are windows, not operators.
    const CategoryId category = host.category[event];
    if (!category.valid() || !counts_[category.value()] || trace_.name(event).starts_with("ProfilerStep#")) return;
    std::vector<Open>& stack = stacks_[host.thread[event].value()];
    close(stack, host.start_ns[event]);
    // What outlives its parent ends with it.
    const Nanos end_ns = stack.empty() ? host.end_ns(event) : std::min(host.end_ns(event), stack.back().end_ns);
    stack.push_back({host.name[event], end_ns});
  }

  const Trace& trace_;
  std::vector<std::vector<Open>> stacks_;  // by thread
  std::vector<bool> counts_;               // by category
  std::vector<StringId> allocators_;
  std::size_t next_ = 0;
};

constexpr std::int64_t kHostMemory = 0;  // a device type

using DeviceKey = std::pair<std::int64_t, std::int64_t>;
DeviceKey key_of(const MemoryEvent& event) {
  return {event.device_type, event.device_id};
}

std::optional<std::int64_t> capacity_of(const Trace& trace, const DeviceMemory& device) {
  if (device.device_type == kHostMemory) return std::nullopt;
  const auto at = std::find_if(trace.info.devices.begin(), trace.info.devices.end(),
                               [&](const DeviceProperties& properties) { return properties.id == device.device; });
  if (at == trace.info.devices.end() || at->total_memory_bytes <= 0) return std::nullopt;
  return at->total_memory_bytes;
}

// Totals and their peak; returns for each device which of the memory events the peak is.
std::map<DeviceKey, std::size_t> measure(const Trace& trace, Curve curve, std::map<DeviceKey, DeviceMemory>& devices) {
  std::map<DeviceKey, std::size_t> peaks;
  for (std::size_t i = 0; i < trace.memory_events.size(); ++i) {
    const MemoryEvent& event = trace.memory_events[i];
    const auto [at, fresh] = devices.try_emplace(key_of(event));
    DeviceMemory& device = at->second;
    ++device.events;
    if (fresh) {
      device.device_type = event.device_type;
      device.device = event.device_id;
      device.totals_recorded = event.total_allocated >= 0;
      device.start_bytes = device.totals_recorded ? event.total_allocated - event.bytes : 0;
      device.end_bytes = device.start_bytes;
    }
    const std::int64_t allocated =
        device.totals_recorded && event.total_allocated >= 0 ? event.total_allocated : device.end_bytes + event.bytes;
    CurvePoint point{event.time_ns, event.bytes, allocated, {}};
    if (event.total_reserved >= 0) point.reserved_bytes = event.total_reserved;
    device.end_bytes = allocated;
    if (fresh || allocated > device.peak.allocated_bytes) {
      device.peak = point;
      peaks[at->first] = i;
    }
    if (point.reserved_bytes)
      device.peak_reserved_bytes = std::max(device.peak_reserved_bytes.value_or(0), *point.reserved_bytes);
    if (curve == Curve::kKeep) device.curve.push_back(point);
  }
  for (auto& [key, device] : devices) {
    if (const StepId step = trace.step_at(device.peak.time_ns); step.valid())
      device.peak_step = trace.step(step).number;
    device.capacity_bytes = capacity_of(trace, device);
  }
  return peaks;
}

// Sums by operator of one device, names resolved at the end.
struct Attribution {
  struct Sums {
    OperatorMemory all;
    LiveMemory live;  // at the peak
  };
  struct Block {
    std::int64_t bytes;
    StringId owner;
  };
  std::unordered_map<StringId, Sums> operators;
  std::unordered_map<std::int64_t, Block> blocks;  // live ones by address

  void add(const MemoryEvent& event, StringId owner) {
    OperatorMemory& sums = operators[owner].all;
    if (event.bytes >= 0) {
      ++sums.allocations;
      sums.allocated_bytes += event.bytes;
    } else {
      ++sums.releases;
      sums.released_bytes -= event.bytes;
    }
  }
  void follow(const MemoryEvent& event, StringId owner) {
    if (event.bytes > 0) blocks[event.address] = {event.bytes, owner};
    else blocks.erase(event.address);
  }
  void at_peak() {
    for (const auto& [address, block] : blocks) {
      LiveMemory& live = operators[block.owner].live;
      ++live.count;
      live.bytes += block.bytes;
    }
  }
  void at_end() {
    for (const auto& [address, block] : blocks) operators[block.owner].all.kept_bytes += block.bytes;
  }
};

}  // namespace

std::int64_t DeviceMemory::older_at_peak() const {
  std::int64_t known = 0;
  for (const LiveMemory& live : live_at_peak) known += live.bytes;
  return std::max<std::int64_t>(0, peak.allocated_bytes - known);
}

std::vector<DeviceMemory> device_memory(const Trace& trace, Curve curve) {
  std::map<DeviceKey, DeviceMemory> devices;
  const std::map<DeviceKey, std::size_t> peaks = measure(trace, curve, devices);
  std::map<DeviceKey, Attribution> attributions;
  OpenOperators operators(trace);
  for (std::size_t i = 0; i < trace.memory_events.size(); ++i) {
    const MemoryEvent& event = trace.memory_events[i];
    const StringId owner = operators.innermost(event.thread, event.time_ns);
    Attribution& attribution = attributions[key_of(event)];
    const std::size_t peak = peaks.at(key_of(event));
    attribution.add(event, owner);
    attribution.follow(event, owner);
    if (i == peak) attribution.at_peak();
  }
  std::vector<DeviceMemory> out;
  for (auto& [key, device] : devices) {
    Attribution& attribution = attributions[key];
    attribution.at_end();
    for (auto& [owner, sums] : attribution.operators) {
      sums.all.name = sums.live.name = owner.valid() ? std::string(trace.text(owner)) : "";
      device.operators.push_back(sums.all);
      if (sums.live.count > 0) device.live_at_peak.push_back(sums.live);
    }
    std::sort(device.operators.begin(), device.operators.end(), [](const OperatorMemory& a, const OperatorMemory& b) {
      if (a.net_bytes() != b.net_bytes()) return a.net_bytes() > b.net_bytes();
      return a.allocated_bytes != b.allocated_bytes ? a.allocated_bytes > b.allocated_bytes : a.name < b.name;
    });
    std::sort(device.live_at_peak.begin(), device.live_at_peak.end(), [](const LiveMemory& a, const LiveMemory& b) {
      return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name;
    });
    out.push_back(std::move(device));
  }
  return out;
}

std::string device_type_name(std::int64_t device_type) {
  constexpr std::array<std::string_view, 21> kNames{
      "cpu",   "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip",  "fpga", "maia", "xla",          "vulkan",
      "metal", "xpu",  "mps",    "meta",   "hpu",    "ve",    "lazy", "ipu",  "mtia", "privateuseone"};
  if (device_type < 0 || device_type >= static_cast<std::int64_t>(kNames.size())) return std::to_string(device_type);
  return std::string(kNames[static_cast<std::size_t>(device_type)]);
}

}  // namespace hta::analysis
