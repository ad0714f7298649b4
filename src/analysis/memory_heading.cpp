#include "memory_heading.h"

#include "hta/base/human.h"
#include "hta/base/text.h"

#include <algorithm>
#include <string>

namespace hta::analysis::memory {
namespace {

constexpr std::int64_t kCpu = 0;

struct OfRank {
  const RankContext* context = nullptr;
  const DeviceMemory* device = nullptr;
};

std::string place_of(const OfRank& of) {
  const std::string rank = "rank " + std::to_string(of.context->rank.rank());
  if (of.device->device_type == kCpu) return "the host of " + rank;
  return device_type_name(of.device->device_type) + " device " + std::to_string(of.device->device) + " of " + rank;
}

// The device with the highest peak; accelerators before hosts, whose memory is rarely short.
OfRank highest_peak(std::span<const Ranked<Partial>> ranks) {
  OfRank highest;
  const auto value = [](const DeviceMemory& device) {
    return std::pair(device.device_type != kCpu, device.peak.allocated_bytes);
  };
  for (const auto& [context, partial] : ranks) {
    for (const DeviceMemory& device : partial.devices) {
      if (highest.device == nullptr || value(device) > value(*highest.device)) highest = {&context, &device};
    }
  }
  return highest;
}

void say_peak(const OfRank& of, result::Document& document) {
  const DeviceMemory& device = *of.device;
  const CurvePoint& peak = device.peak;
  std::string line = "Highest peak: " + human_bytes(peak.allocated_bytes) + " allocated on " + place_of(of) + ", at " +
                     human_time(peak.time_ns + of.context->shift_ns);
  if (device.peak_step) line += " in step " + std::to_string(*device.peak_step);
  if (peak.reserved_bytes && *peak.reserved_bytes > 0) {
    line += ", of " + human_bytes(*peak.reserved_bytes) + " that the allocator held";
  }
  document.heading.push_back(line + ".");
  std::string parts;
  if (const std::int64_t older = device.older_at_peak(); older > 0) {
    parts = human_percent(older, peak.allocated_bytes) + " was there before the recording";
  }
  if (!device.live_at_peak.empty()) {
    const LiveMemory& largest = device.live_at_peak.front();
    parts += (parts.empty() ? "" : ", ") + human_percent(largest.bytes, peak.allocated_bytes) + " was allocated " +
             (largest.name.empty() ? "outside of operators" : "by " + largest.name);
  }
  if (!parts.empty()) document.heading.push_back("Of that, " + parts + ".");
}

void say_growth(const OfRank& of, result::Document& document) {
  constexpr std::int64_t kNotable = 20;  // one in so many of the peak
  const std::int64_t growth = of.device->end_bytes - of.device->start_bytes;
  if (growth <= 0 || growth * kNotable < of.device->peak.allocated_bytes) return;
  std::string line = "From the first to the last event it grew by " + human_bytes(growth);
  const auto most =
      std::max_element(of.device->operators.begin(), of.device->operators.end(),
                       [](const OperatorMemory& a, const OperatorMemory& b) { return a.kept_bytes < b.kept_bytes; });
  if (most != of.device->operators.end() && most->kept_bytes > 0 && !most->name.empty()) {
    line += "; most of what was allocated and kept is of " + most->name + " (" + human_bytes(most->kept_bytes) + ")";
  }
  document.heading.push_back(line + ".");
}

// Calls of the runtime's allocator on one rank.
struct CallSums {
  std::int64_t count = 0;
  std::int64_t in_later_steps = 0;
  Nanos dur_ns = 0;
};

CallSums sums_of(const std::vector<AllocatorCalls>& calls) {
  CallSums sums;
  for (const AllocatorCalls& of_name : calls) {
    sums.count += of_name.dur_ns.count;
    sums.in_later_steps += of_name.in_later_steps;
    sums.dur_ns += static_cast<Nanos>(of_name.dur_ns.sum);
  }
  return sums;
}

void say_calls(std::span<const Ranked<Partial>> ranks, result::Document& document) {
  constexpr std::int64_t kNotable = 100;  // one in so many of the recorded time
  const Ranked<Partial>* worst = nullptr;
  CallSums most;
  for (const Ranked<Partial>& rank : ranks) {
    const CallSums sums = sums_of(rank.partial.calls);
    if (worst != nullptr && sums.dur_ns <= most.dur_ns) continue;
    worst = &rank;
    most = sums;
  }
  if (worst == nullptr) return;
  const Nanos recorded_ns = worst->context.last_end_ns - worst->context.first_start_ns;
  if (most.in_later_steps == 0 && most.dur_ns * kNotable < recorded_ns) return;
  std::string line = human_count(most.count, "call", "calls") + " of the runtime's allocator took " +
                     human_time(most.dur_ns) + " of rank " + std::to_string(worst->context.rank.rank());
  if (most.in_later_steps > 0) line += ", " + with_commas(most.in_later_steps) + " of them in steps behind the first";
  document.heading.push_back(line + " (table memory_calls): in the loop they stop the host, and the GPU with it.");
}

void warn_of_missing_totals(std::span<const Ranked<Partial>> ranks, result::Document& document) {
  for (const auto& [context, partial] : ranks) {
    const bool missing = std::any_of(partial.devices.begin(), partial.devices.end(),
                                     [](const DeviceMemory& device) { return !device.totals_recorded; });
    if (missing)
      document.note(
          "no-memory-totals",
          context.path + ": the memory events carry no totals; allocated memory is counted from the first of them");
  }
}

}  // namespace

void add_heading(std::span<const Ranked<Partial>> ranks, result::Document& document) {
  const OfRank highest = highest_peak(ranks);
  if (highest.device == nullptr) {
    document.heading.emplace_back("No memory event was recorded.");
    document.note("no-memory-events", "no rank has memory events; record with profile_memory=True");
  } else {
    say_peak(highest, document);
    say_growth(highest, document);
    warn_of_missing_totals(ranks, document);
  }
  say_calls(ranks, document);
}

}  // namespace hta::analysis::memory
