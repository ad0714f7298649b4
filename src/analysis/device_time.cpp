#include "hta/analysis/device_time.h"

#include <algorithm>

namespace hta::analysis {
namespace {

void add_event(TypeSets& sets, bool fresh, KernelType type, Interval event) {
  if (fresh) {
    sets.span = event;
  } else {
    sets.span.begin = std::min(sets.span.begin, event.begin);
    sets.span.end = std::max(sets.span.end, event.end);
  }
  sets.of[static_cast<std::size_t>(type)].append(event);
}

}  // namespace

std::map<std::int64_t, TypeSets> device_type_sets(const Trace& trace) {
  std::map<std::int64_t, TypeSets> devices;
  std::vector<TypeSets*> of_stream(trace.streams.size(), nullptr);
  const GpuEvents& gpu = trace.gpu;
  for (const GpuId i : IdRange<GpuId>(gpu.size())) {
    TypeSets*& sets = of_stream[gpu.stream[i].value()];
    bool fresh = false;
    if (sets == nullptr) {
      const auto [at, inserted] = devices.try_emplace(trace.stream_of(i).device);
      sets = &at->second;
      fresh = inserted;
    }
    add_event(*sets, fresh, gpu.type[i], {gpu.start_ns[i], gpu.end_ns(i)});
  }
  return devices;
}

TypeSets rank_type_sets(const Trace& trace) {
  TypeSets sets;
  const GpuEvents& gpu = trace.gpu;
  for (const GpuId i : IdRange<GpuId>(gpu.size())) {
    add_event(sets, i.value() == 0, gpu.type[i], {gpu.start_ns[i], gpu.end_ns(i)});
  }
  return sets;
}

MaskTimes mask_times(const TypeSets& sets, Interval window) {
  MaskTimes times{};
  if (window.end <= window.begin) return times;
  std::array<std::vector<Interval>::const_iterator, 4> next;
  for (std::size_t type = 0; type < 4; ++type) {
    const auto& parts = sets.of[type].parts();
    next[type] = std::partition_point(parts.begin(), parts.end(),
                                      [&](const Interval& part) { return part.end <= window.begin; });
  }
  // Walk from boundary to boundary; between two of them the set of active types does not change.
  for (Nanos now = window.begin; now < window.end;) {
    TypeMask active = 0;
    Nanos until = window.end;
    for (std::size_t type = 0; type < 4; ++type) {
      const auto& parts = sets.of[type].parts();
      while (next[type] != parts.end() && next[type]->end <= now) ++next[type];
      if (next[type] == parts.end()) continue;
      if (next[type]->begin <= now) {
        active |= 1u << type;
        until = std::min(until, next[type]->end);
      } else {
        until = std::min(until, next[type]->begin);
      }
    }
    times[active] += until - now;
    now = until;
  }
  return times;
}

TimeParts& TimeParts::operator+=(const TimeParts& other) {
  span_ns += other.span_ns;
  idle_ns += other.idle_ns;
  compute_ns += other.compute_ns;
  exposed_comm_ns += other.exposed_comm_ns;
  exposed_memory_ns += other.exposed_memory_ns;
  return *this;
}

TimeParts time_parts(const MaskTimes& times) {
  TimeParts parts;
  parts.idle_ns = times[0];
  for (TypeMask mask = 0; mask < kTypeMasks; ++mask) {
    parts.span_ns += times[mask];
    if ((mask & mask_of(KernelType::kComputation)) != 0) parts.compute_ns += times[mask];
    else if ((mask & mask_of(KernelType::kCommunication)) != 0) parts.exposed_comm_ns += times[mask];
    else if (mask != 0) parts.exposed_memory_ns += times[mask];
  }
  return parts;
}

std::string type_mask_name(TypeMask mask) {
  std::string name;
  for (const KernelType type : kKernelTypes) {
    if ((mask & mask_of(type)) == 0) continue;
    if (!name.empty()) name += " overlapping ";
    name += kernel_type_name(type);
  }
  return name;
}

}  // namespace hta::analysis
