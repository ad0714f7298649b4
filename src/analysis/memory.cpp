#include "hta/analysis/memory.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "memory_heading.h"

namespace hta::analysis {
namespace memory {
namespace {

using result::ColumnSpec;
using result::if_room;
using result::Presence;
using result::RowsPer;
using enum result::CellType;

constexpr std::array kPeakColumns{
    ColumnSpec{"rank", kRank},
    ColumnSpec{"device_type", kText},
    ColumnSpec{"device", kInteger},
    ColumnSpec{"peak_allocated_bytes", kBytes},
    ColumnSpec{"at_us", kTime},
    ColumnSpec{"step", kInteger},
    if_room("reserved_at_peak_bytes", kBytes),
    if_room("peak_reserved_bytes", kBytes),
    if_room("capacity_bytes", kBytes),
    if_room("start_allocated_bytes", kBytes),
    if_room("end_allocated_bytes", kBytes),
    if_room("events", kInteger),
};
constexpr std::array kOperatorColumns{
    ColumnSpec{"rank", kRank},          ColumnSpec{"device_type", kText},  ColumnSpec{"device", kInteger},
    ColumnSpec{"operator", kText},      ColumnSpec{"net_bytes", kBytes},   ColumnSpec{"kept_bytes", kBytes},
    if_room("allocated_bytes", kBytes), if_room("released_bytes", kBytes), if_room("allocations", kInteger),
    if_room("releases", kInteger),
};
constexpr std::array kLiveColumns{
    ColumnSpec{"rank", kRank},      ColumnSpec{"device_type", kText},
    ColumnSpec{"device", kInteger}, ColumnSpec{"operator", kText},
    ColumnSpec{"bytes", kBytes},    ColumnSpec{"pct", kPercent, Presence::kAlways, result::Bar::kYes},
    ColumnSpec{"count", kInteger},
};
constexpr std::array kCallColumns{
    ColumnSpec{"rank", kRank},     ColumnSpec{"name", kText},
    ColumnSpec{"count", kInteger}, ColumnSpec{"in_later_steps", kInteger},
    ColumnSpec{"sum_us", kTime},   ColumnSpec{"max_us", kTime},
};
constexpr std::array kCategoryColumns{
    ColumnSpec{"rank", kRank},           ColumnSpec{"category", kText},
    ColumnSpec{"bytes_at_peak", kBytes}, ColumnSpec{"pct_at_peak", kPercent, Presence::kAlways, result::Bar::kYes},
    ColumnSpec{"largest_bytes", kBytes}, ColumnSpec{"largest_at_us", kTime},
    ColumnSpec{"end_bytes", kBytes},
};
constexpr std::array kCurveColumns{
    ColumnSpec{"rank", kRank},
    ColumnSpec{"device_type", kText},
    ColumnSpec{"device", kInteger},
    ColumnSpec{"ts_us", kTime},
    ColumnSpec{"change_bytes", kBytes},
    ColumnSpec{"allocated_bytes", kBytes},
    ColumnSpec{"reserved_bytes", kBytes},
};
constexpr std::array kTimelineColumns{
    ColumnSpec{"rank", kRank},
    ColumnSpec{"ts_us", kTime},
    ColumnSpec{"parameter_bytes", kBytes},
    ColumnSpec{"optimizer_state_bytes", kBytes},
    ColumnSpec{"input_bytes", kBytes},
    ColumnSpec{"temporary_bytes", kBytes},
    ColumnSpec{"activation_bytes", kBytes},
    ColumnSpec{"gradient_bytes", kBytes},
    ColumnSpec{"autograd_detail_bytes", kBytes},
    ColumnSpec{"unknown_bytes", kBytes},
    ColumnSpec{"total_bytes", kBytes},
};
constexpr std::array kTables{
    result::TableSpec{"memory_peak", "Peak of the allocated memory of each device", kPeakColumns},
    result::TableSpec{"memory_operators", "Memory by the operator that allocates and releases it", kOperatorColumns},
    result::TableSpec{"memory_live_at_peak", "What is live at the peak", kLiveColumns},
    result::TableSpec{"memory_calls", "Runtime calls that allocate or free memory", kCallColumns},
    result::TableSpec{"memory_categories", "Memory by what it holds (memory timeline files)", kCategoryColumns},
    result::TableSpec{"memory_curve", "Allocated and reserved memory over time", kCurveColumns, RowsPer::kEvent},
    result::TableSpec{"memory_timeline", "Memory by what it holds over time (memory timeline files)", kTimelineColumns,
                      RowsPer::kEvent},
};

constexpr std::array<std::string_view, 8> kAllocatorParts{"Malloc",    "Free",       "HostAlloc", "MemAlloc",
                                                          "MemCreate", "MemRelease", "MemMap",    "MemUnmap"};
constexpr std::string_view kNoOperator = "(no operator)";
constexpr std::string_view kOlder = "(allocated before the recording)";

Needs needs(const Options&) {
  Needs needs;
  needs.memory_events = true;
  needs.host_events = true;
  return needs;
}

// cudaMalloc, hipFree, cuMemAlloc_v2, cudaHostAlloc, cuMemMap, ...
bool allocates(std::string_view name) {
  if (!name.starts_with("cu") && !name.starts_with("hip")) return false;
  return std::any_of(kAllocatorParts.begin(), kAllocatorParts.end(),
                     [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

std::vector<AllocatorCalls> allocator_calls(const Trace& trace) {
  const LaunchCalls& calls = trace.launches;
  std::unordered_map<StringId, bool> known;
  std::unordered_map<StringId, AllocatorCalls> by_name;
  for (const LaunchId call : IdRange<LaunchId>(calls.size())) {
    const auto [at, fresh] = known.try_emplace(calls.name[call], false);
    if (fresh) at->second = allocates(trace.name(call));
    if (!at->second) continue;
    AllocatorCalls& sums = by_name[calls.name[call]];
    sums.dur_ns.add(calls.dur_ns[call]);
    const StepId step = trace.step_at(calls.start_ns[call]);
    if (step.valid() && step != StepId(0)) ++sums.in_later_steps;
  }
  std::vector<AllocatorCalls> out;
  for (auto& [name, sums] : by_name) {
    sums.name = trace.text(name);
    out.push_back(std::move(sums));
  }
  std::sort(out.begin(), out.end(), [](const AllocatorCalls& a, const AllocatorCalls& b) {
    return a.dur_ns.sum != b.dur_ns.sum ? a.dur_ns.sum > b.dur_ns.sum : a.name < b.name;
  });
  return out;
}

result::Cell operator_cell(const std::string& name) {
  return name.empty() ? result::Cell(kNoOperator) : result::Cell(name);
}

void add_peaks(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[0]);
  for (const auto& [context, partial] : ranks) {
    for (const DeviceMemory& device : partial.devices) {
      table.add({context.rank, device_type_name(device.device_type), device.device, device.peak.allocated_bytes,
                 device.peak.time_ns + context.shift_ns, device.peak_step, device.peak.reserved_bytes,
                 device.peak_reserved_bytes, device.capacity_bytes, device.start_bytes, device.end_bytes,
                 device.events});
    }
  }
  document.tables.push_back(std::move(table));
}

void add_operators(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  result::Table table(kTables[1]);
  for (const auto& [context, partial] : ranks) {
    for (const DeviceMemory& device : partial.devices) {
      const std::string type = device_type_name(device.device_type);
      const auto add = [&, &context = context](result::Cell name, const OperatorMemory& sums) {
        table.add({context.rank, type, device.device, name, sums.net_bytes(), sums.kept_bytes, sums.allocated_bytes,
                   sums.released_bytes, sums.allocations, sums.releases});
      };
      OperatorMemory others;
      std::int64_t shown = 0;
      for (const OperatorMemory& sums : device.operators) {
        if (options.top == 0 || shown++ < options.top) {
          add(operator_cell(sums.name), sums);
          continue;
        }
        others.allocations += sums.allocations;
        others.releases += sums.releases;
        others.allocated_bytes += sums.allocated_bytes;
        others.released_bytes += sums.released_bytes;
        others.kept_bytes += sums.kept_bytes;
      }
      if (others.allocations + others.releases > 0) add("others", others);
    }
  }
  document.tables.push_back(std::move(table));
}

void add_live(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  result::Table table(kTables[2]);
  for (const auto& [context, partial] : ranks) {
    for (const DeviceMemory& device : partial.devices) {
      const std::string type = device_type_name(device.device_type);
      const auto add = [&, &context = context](result::Cell name, std::int64_t bytes, result::Cell count) {
        if (bytes > 0)
          table.add(
              {context.rank, type, device.device, name, bytes, percent(bytes, device.peak.allocated_bytes), count});
      };
      add(kOlder, device.older_at_peak(), std::nullopt);
      LiveMemory others;
      std::int64_t shown = 0;
      for (const LiveMemory& live : device.live_at_peak) {
        if (options.top == 0 || shown++ < options.top) {
          add(operator_cell(live.name), live.bytes, live.count);
          continue;
        }
        others.count += live.count;
        others.bytes += live.bytes;
      }
      add("others", others.bytes, others.count);
    }
  }
  document.tables.push_back(std::move(table));
}

void add_calls(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[3]);
  for (const auto& [context, partial] : ranks) {
    for (const AllocatorCalls& calls : partial.calls) {
      table.add({context.rank, calls.name, calls.dur_ns.count, calls.in_later_steps,
                 static_cast<std::int64_t>(calls.dur_ns.sum), calls.dur_ns.max});
    }
  }
  document.tables.push_back(std::move(table));
}

void add_curve(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[5]);
  for (const auto& [context, partial] : ranks) {
    for (const DeviceMemory& device : partial.devices) {
      const std::string type = device_type_name(device.device_type);
      for (const CurvePoint& point : device.curve) {
        table.add({context.rank, type, device.device, point.time_ns + context.shift_ns, point.change_bytes,
                   point.allocated_bytes, point.reserved_bytes});
      }
    }
  }
  document.tables.push_back(std::move(table));
}

}  // namespace

Partial map(const Trace& trace, const Options& options) {
  return {device_memory(trace, options.wants_large("memory_curve") ? Curve::kKeep : Curve::kDrop),
          allocator_calls(trace)};
}

Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  add_heading(ranks, document);
  add_peaks(ranks, document);
  add_operators(ranks, options, document);
  add_live(ranks, options, document);
  add_calls(ranks, document);
  if (options.wants_large("memory_curve")) add_curve(ranks, document);
  for (const result::Table& table : document.tables) {
    if (table.rows() > 0 && table.rows_per() == RowsPer::kGroup) document.shown.push_back(table.name());
  }
  if (document.shown.empty()) document.shown = {"memory_peak"};
  // What only memory timeline files fill is there, but empty: whoever asks for it by name gets its head.
  document.tables.emplace_back(kTables[4]);
  if (options.wants_large("memory_timeline")) document.tables.emplace_back(kTables[6]);
  return {};
}

}  // namespace memory

constexpr AnalysisSpec kMemory = make_spec<memory::Partial, &memory::map, &memory::combine>(
    "memory", "how much memory is allocated over time, and by whom?",
    "Reads the [memory] events that the profiler records with profile_memory=True: the peak of every device, the "
    "operators "
    "that allocate most, and what was live at the peak. An allocation counts for the innermost operator or annotation "
    "open "
    "on its thread that is more than an allocation function. Raw memory timeline files (export_memory_timeline to "
    "NAME.raw.json.gz) are read as well: they tell what the memory holds.",
    memory::kTables, {}, &memory::needs);

}  // namespace hta::analysis
