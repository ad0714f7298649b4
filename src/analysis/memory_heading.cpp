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
  const auto& operators = of.device->operators;
  if (!operators.empty() && operators.front().net_bytes() > 0 && !operators.front().name.empty()) {
    line += ", most by " + operators.front().name + " (" + human_bytes(operators.front().net_bytes()) + ")";
  }
  document.heading.push_back(line + ".");
}

void say_calls(std::span<const Ranked<Partial>> ranks, result::Document& document) {
  std::int64_t count = 0;
  for (const auto& [context, partial] : ranks) {
    for (const AllocatorCalls& calls : partial.calls) count += calls.in_later_steps;
  }
  if (count == 0) return;
  document.heading.push_back(with_commas(count) + (count == 1 ? " call" : " calls") +
                             " of the runtime's allocator lie in steps behind the first (table memory_calls): they "
                             "stop the host, and the GPU with it.");
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
