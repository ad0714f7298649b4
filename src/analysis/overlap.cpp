#include "hta/analysis/overlap.h"

#include "hta/analysis/collective_kind.h"
#include "hta/analysis/device_time.h"
#include "hta/base/exact.h"
#include "hta/base/human.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace hta::analysis {
namespace overlap {
namespace {

using result::ColumnSpec;
using enum result::CellType;
using result::Bar;
using result::Fit;
using result::Presence;

constexpr std::array kOverlapColumns{
    ColumnSpec{"rank", kRank},
    ColumnSpec{"device", kInteger},
    ColumnSpec{"comm_us", kTime},
    ColumnSpec{"compute_us", kTime},
    ColumnSpec{"overlap_us", kTime},
    ColumnSpec{"exposed_us", kTime},
    ColumnSpec{"overlap_pct", kPercent, Presence::kAlways, Bar::kYes},
};
constexpr std::array kCollectiveColumns{
    ColumnSpec{"rank", kRank},
    ColumnSpec{"device", kInteger},
    ColumnSpec{"collective", kText},
    ColumnSpec{"process_group", kText},
    ColumnSpec{"count", kInteger},
    ColumnSpec{"comm_us", kTime},
    ColumnSpec{"overlap_us", kTime, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"exposed_us", kTime},
    ColumnSpec{"overlap_pct", kPercent, Presence::kAlways, Bar::kYes},
};
constexpr std::array kTables{
    result::TableSpec{"overlap", "Communication of each device, and how much of it computation hides", kOverlapColumns},
    result::TableSpec{"overlap_by_collective", "The same for each kind of collective and process group",
                      kCollectiveColumns},
};

Needs needs(const Options&) {
  Needs needs;
  needs.gpu_args = {ArgKey::kCollectiveName, ArgKey::kProcessGroupName, ArgKey::kProcessGroupDescription};
  return needs;
}

// Tells the collective kind and process group of communication events, looking at each distinct name once.
class Collectives {
 public:
  explicit Collectives(const Trace& trace) : trace_(trace) {}

  std::string_view kind(GpuId event) {
    StringId name = trace_.gpu_args[ArgKey::kCollectiveName].find_text(event);
    if (!name.valid() || trace_.text(name).empty()) name = trace_.gpu.name[event];
    const auto [at, fresh] = kinds_.try_emplace(name.value());
    if (fresh) at->second = collective_kind(trace_.text(name));
    return at->second;
  }
  // The description tells more ("dp_shard") than the name, a number.
  StringId process_group(GpuId event) const {
    const StringId description = trace_.gpu_args[ArgKey::kProcessGroupDescription].find_text(event);
    if (description.valid() && !trace_.text(description).empty() && trace_.text(description) != "undefined")
      return description;
    return trace_.gpu_args[ArgKey::kProcessGroupName].find_text(event);
  }

 private:
  const Trace& trace_;
  std::unordered_map<std::uint32_t, std::string_view> kinds_;
};

struct CollectiveTimes {
  std::int64_t count = 0;
  IntervalSet running;
};
using CollectiveKey = std::tuple<std::int64_t, std::string_view, std::string_view>;  // device, kind, group

std::map<CollectiveKey, CollectiveTimes> collective_times(const Trace& trace) {
  Collectives collectives(trace);
  std::map<CollectiveKey, CollectiveTimes> times;
  const GpuEvents& gpu = trace.gpu;
  for (const GpuId i : IdRange<GpuId>(gpu.size())) {
    if (gpu.type[i] != KernelType::kCommunication) continue;
    const StringId group = collectives.process_group(i);
    CollectiveTimes& of =
        times[{trace.stream_of(i).device, collectives.kind(i), group.valid() ? trace.text(group) : std::string_view()}];
    ++of.count;
    of.running.append({gpu.start_ns[i], gpu.end_ns(i)});
  }
  return times;
}

Hiding hiding_of(const IntervalSet& comm, const IntervalSet& compute) {
  return {comm.length(), IntervalSet::intersect(comm, compute).length()};
}

void add_overlap(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[0]);
  for (const auto& [context, partial] : ranks) {
    for (const DeviceOverlap& device : partial.devices) {
      const Hiding& all = device.hiding;
      table.add({context.rank, device.device, all.comm_ns, device.compute_ns, all.overlap_ns, all.exposed_ns(),
                 percent(all.overlap_ns, all.comm_ns)});
    }
  }
  document.tables.push_back(std::move(table));
}

void add_collectives(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[1]);
  for (const auto& [context, partial] : ranks) {
    for (const DeviceOverlap& device : partial.devices) {
      for (const CollectiveHiding& of : device.collectives) {
        table.add({context.rank, device.device, of.kind,
                   of.process_group.empty() ? result::Cell(std::nullopt) : result::Cell(of.process_group), of.count,
                   of.hiding.comm_ns, of.hiding.overlap_ns, of.hiding.exposed_ns(),
                   percent(of.hiding.overlap_ns, of.hiding.comm_ns)});
      }
    }
  }
  document.tables.push_back(std::move(table));
}

// The kind of collective with the most exposed time over all ranks.
void say_worst_collective(std::span<Ranked<Partial>> ranks, result::Document& document) {
  std::map<std::pair<std::string_view, std::string_view>, Hiding> kinds;
  for (const auto& [context, partial] : ranks) {
    for (const DeviceOverlap& device : partial.devices) {
      for (const CollectiveHiding& of : device.collectives) {
        Hiding& sum = kinds[{of.kind, of.process_group}];
        sum.comm_ns += of.hiding.comm_ns;
        sum.overlap_ns += of.hiding.overlap_ns;
      }
    }
  }
  const auto worst = std::max_element(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) {
    return a.second.exposed_ns() < b.second.exposed_ns();
  });
  if (worst == kinds.end() || worst->second.exposed_ns() == 0) return;
  const auto& [kind, group] = worst->first;
  document.heading.push_back("Most exposed: " + std::string(kind) +
                             (group.empty() ? "" : " of process group " + std::string(group)) + ", " +
                             human_time(worst->second.exposed_ns()) + " exposed, " +
                             human_percent(worst->second.overlap_ns, worst->second.comm_ns) + " hidden.");
}

// Ranks that wait for another one show it as exposed communication; the one they wait for has the least.
void say_spread(std::span<Ranked<Partial>> ranks, result::Document& document) {
  struct Share {
    std::int64_t pct;
    std::int64_t rank;
  };
  std::vector<Share> shares;
  for (const auto& [context, partial] : ranks) {
    Nanos exposed_ns = 0;
    Nanos span_ns = 0;
    for (const DeviceOverlap& device : partial.devices) {
      exposed_ns += device.hiding.exposed_ns();
      span_ns += device.span_ns;
    }
    if (const auto pct = percent(exposed_ns, span_ns)) shares.push_back({*pct, context.rank.rank()});
  }
  if (shares.size() < 2) return;
  const auto [least, most] =
      std::minmax_element(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.pct < b.pct; });
  constexpr std::int64_t kUneven = 300;  // three points
  if (most->pct - least->pct < kUneven) return;
  document.heading.push_back("It is uneven: " + human_percent(least->pct, 10'000) + " of the time on rank " +
                             std::to_string(least->rank) + ", " + human_percent(most->pct, 10'000) + " on rank " +
                             std::to_string(most->rank) +
                             ". The rank with the least is often the one that the others wait for.");
  document.next.push_back("stragglers");
}

void add_heading(std::span<Ranked<Partial>> ranks, result::Document& document) {
  Hiding all;
  Nanos span_ns = 0;
  for (const auto& [context, partial] : ranks) {
    for (const DeviceOverlap& device : partial.devices) {
      all.comm_ns += device.hiding.comm_ns;
      all.overlap_ns += device.hiding.overlap_ns;
      span_ns += device.span_ns;
    }
  }
  if (all.comm_ns == 0) {
    document.heading.push_back(span_ns == 0 ? "No GPU event was recorded: there is no communication to look at."
                                            : "No communication kernels ran.");
    return;
  }
  document.heading.push_back("Communication runs " + human_percent(all.comm_ns, span_ns) +
                             " of the time; computation hides " + human_percent(all.overlap_ns, all.comm_ns) +
                             " of it. Exposed: " + human_time(all.exposed_ns()) + ", " +
                             human_percent(all.exposed_ns(), span_ns) + " of the time.");
  say_worst_collective(ranks, document);
  say_spread(ranks, document);
  if (document.next.empty() && all.exposed_ns() * 20 > span_ns) document.next.push_back("critical-path");
}

}  // namespace

Partial map(const Trace& trace, const Options&) {
  Partial out;
  const auto devices = device_type_sets(trace);
  const auto collectives = collective_times(trace);
  for (const auto& [device, sets] : devices) {
    const IntervalSet& compute = sets[KernelType::kComputation];
    DeviceOverlap& row = out.devices.emplace_back();
    row.device = device;
    row.span_ns = sets.span.length();
    row.compute_ns = compute.length();
    row.hiding = hiding_of(sets[KernelType::kCommunication], compute);
    for (auto at = collectives.lower_bound({device, {}, {}});
         at != collectives.end() && std::get<0>(at->first) == device; ++at) {
      const auto& [of_device, kind, group] = at->first;
      row.collectives.push_back({kind, std::string(group), at->second.count, hiding_of(at->second.running, compute)});
    }
    std::stable_sort(row.collectives.begin(), row.collectives.end(),
                     [](const CollectiveHiding& a, const CollectiveHiding& b) {
                       return a.hiding.exposed_ns() > b.hiding.exposed_ns();
                     });
  }
  return out;
}

Status combine(std::span<Ranked<Partial>> ranks, const Options&, result::Document& document) {
  add_heading(ranks, document);
  add_overlap(ranks, document);
  add_collectives(ranks, document);
  document.shown = {"overlap", "overlap_by_collective"};
  return {};
}

}  // namespace overlap

constexpr AnalysisSpec kOverlap = make_spec<overlap::Partial, &overlap::map, &overlap::combine>(
    "overlap", "is communication hidden behind computation?",
    "Compares, on every device, the time in which communication runs with the time in which computation runs. What is "
    "not hidden is "
    "exposed: the device does nothing else that advances the model. The second table splits it by kind of collective "
    "and process "
    "group; where two kinds run at once, that time counts for both, so its rows may add up to more than the first "
    "table.",
    overlap::kTables, {}, &overlap::needs);

}  // namespace hta::analysis
