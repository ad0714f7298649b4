#include "hta/analysis/breakdown.h"

#include "hta/base/human.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

namespace hta::analysis {
namespace breakdown {
namespace {

using result::ColumnSpec;
using result::if_room;
using enum result::CellType;
using result::Bar;
using result::Presence;

constexpr std::array kTemporalColumns{
    ColumnSpec{"rank", kRank},
    ColumnSpec{"device", kInteger},
    ColumnSpec{"step", kInteger, Presence::kOptional},
    ColumnSpec{"span_us", kTime},
    if_room("idle_us", kTime),
    if_room("compute_us", kTime),
    if_room("exposed_comm_us", kTime),
    if_room("exposed_memory_us", kTime),
    if_room("non_compute_us", kTime),
    ColumnSpec{"idle_pct", kPercent},
    ColumnSpec{"compute_pct", kPercent, Presence::kAlways, Bar::kYes},
    ColumnSpec{"exposed_comm_pct", kPercent},
    ColumnSpec{"exposed_memory_pct", kPercent},
    if_room("non_compute_pct", kPercent),
};
constexpr std::array kTypeColumns{
    ColumnSpec{"kernel_type", kText},
    ColumnSpec{"sum_us", kTime},
    ColumnSpec{"pct", kPercent, Presence::kAlways, Bar::kYes},
};
constexpr std::array kKernelColumns{
    ColumnSpec{"rank", kRank},
    ColumnSpec{"kernel_type", kText},
    ColumnSpec{"name", kText},
    ColumnSpec{"annotation", kText, Presence::kOptional},
    ColumnSpec{"count", kInteger},
    ColumnSpec{"sum_us", kTime},
    if_room("mean_us", kTime),
    if_room("min_us", kTime),
    if_room("max_us", kTime),
    if_room("std_us", kTime),
    ColumnSpec{"pct", kPercent, Presence::kAlways, Bar::kYes},
};
constexpr std::array kAcrossColumns{
    ColumnSpec{"kernel_type", kText},   ColumnSpec{"name", kText},          if_room("ranks", kInteger),
    if_room("count", kInteger),         ColumnSpec{"sum_us", kTime},        if_room("mean_us", kTime),
    if_room("min_rank", kInteger),      if_room("min_rank_mean_us", kTime), ColumnSpec{"max_rank", kInteger},
    if_room("max_rank_mean_us", kTime), ColumnSpec{"spread_pct", kPercent},
};
constexpr std::array kAnnotationColumns{
    ColumnSpec{"rank", kRank},    ColumnSpec{"name", kText}, ColumnSpec{"count", kInteger}, ColumnSpec{"sum_us", kTime},
    ColumnSpec{"mean_us", kTime}, if_room("min_us", kTime),  if_room("max_us", kTime),      if_room("std_us", kTime),
};
constexpr std::array kTables{
    result::TableSpec{"temporal", "Time of each device: compute, exposed communication, exposed memory, idle",
                      kTemporalColumns},
    result::TableSpec{"kernel_types", "GPU time by the kinds of work that run at the same time", kTypeColumns},
    result::TableSpec{"kernels", "Kernels of each rank", kKernelColumns},
    result::TableSpec{"kernels_across_ranks", "Kernels that run on several ranks, and how evenly", kAcrossColumns},
    result::TableSpec{"annotations", "Annotated regions", kAnnotationColumns},
};
constexpr std::array kOptions{
    OptionSpec{"by", OptionKind::kChoice, "", "WHAT",
               "split the times: step (each ProfilerStep) or annotation (kernels by the region they run in)",
               "step|annotation"},
    OptionSpec{"host-annotations", OptionKind::kFlag, "", "",
               "annotations as recorded on the host instead of on the device", ""},
};

Needs needs(const Options&) {
  Needs needs;
  needs.annotations = true;
  return needs;
}

// Innermost GPU annotation that encloses each GPU event on its own (pid, tid); none where there is none.
std::vector<StringId> enclosing_annotations(const Trace& trace) {
  const GpuEvents& gpu = trace.gpu;
  std::vector<StringId> names(gpu.size());
  struct Track {
    std::vector<const Annotation*> open;  // by start; the last one that still covers an event is the innermost
  };
  std::unordered_map<std::uint32_t, Track> tracks;
  auto next = trace.annotations.begin();
  for (const GpuId i : IdRange<GpuId>(gpu.size())) {
    for (; next != trace.annotations.end() && next->start_ns <= gpu.start_ns[i]; ++next) {
      if (next->kind == CategoryKind::kGpuAnnotation) tracks[next->thread.value()].open.push_back(&*next);
    }
    const auto track = tracks.find(gpu.thread[i].value());
    if (track == tracks.end()) continue;
    auto& open = track->second.open;
    std::erase_if(open, [&](const Annotation* a) { return a->end_ns() < gpu.start_ns[i]; });
    for (auto inner = open.rbegin(); inner != open.rend(); ++inner) {
      if ((*inner)->end_ns() < gpu.end_ns(i)) continue;
      names[i.value()] = (*inner)->name;
      break;
    }
  }
  return names;
}

std::vector<DeviceTime> device_times(const Trace& trace, const std::map<std::int64_t, TypeSets>& devices,
                                     bool by_step) {
  std::vector<DeviceTime> out;
  for (const auto& [device, sets] : devices) {
    if (by_step) {
      for (const Step& step : trace.steps) {
        out.push_back({device, step.number, time_parts(mask_times(sets, {step.start_ns, step.end_ns}))});
      }
    } else {
      out.push_back({device, {}, time_parts(mask_times(sets, sets.span))});
    }
  }
  if (devices.empty()) {
    if (!by_step) out.push_back({});
    for (const Step& step : by_step ? trace.steps : std::vector<Step>()) out.push_back({{}, step.number, {}});
  }
  std::stable_sort(out.begin(), out.end(), [](const DeviceTime& a, const DeviceTime& b) {
    return std::tie(a.device, a.step) < std::tie(b.device, b.step);
  });
  return out;
}

std::vector<KernelTime> kernel_times(const Trace& trace, bool by_annotation) {
  const GpuEvents& gpu = trace.gpu;
  const std::vector<StringId> annotation = by_annotation ? enclosing_annotations(trace) : std::vector<StringId>();
  std::vector<KernelTime> kernels;
  std::unordered_map<std::uint64_t, std::size_t> index;
  for (const GpuId i : IdRange<GpuId>(gpu.size())) {
    const StringId region = by_annotation ? annotation[i.value()] : StringId();
    const std::uint64_t key = (std::uint64_t{region.value()} << 34) | (std::uint64_t{gpu.name[i].value()} << 2) |
                              static_cast<std::uint64_t>(gpu.type[i]);
    const auto [at, fresh] = index.try_emplace(key, kernels.size());
    if (fresh) {
      kernels.push_back(
          {gpu.type[i], SharedText(trace.name(i)), region.valid() ? SharedText(trace.text(region)) : SharedText(), {}});
    }
    kernels[at->second].dur_ns.add(gpu.dur_ns[i]);
  }
  return kernels;
}

std::vector<AnnotationTime> annotation_times(const Trace& trace, CategoryKind kind) {
  std::vector<AnnotationTime> out;
  std::unordered_map<std::uint32_t, std::size_t> index;
  for (const Annotation& annotation : trace.annotations) {
    if (annotation.kind != kind) continue;
    const auto [at, fresh] = index.try_emplace(annotation.name.value(), out.size());
    if (fresh) out.push_back({SharedText(trace.text(annotation.name)), {}});
    out[at->second].dur_ns.add(annotation.dur_ns);
  }
  return out;
}

void add_temporal(std::span<Ranked<Partial>> ranks, bool by_step, result::Document& document) {
  result::Table table = by_step ? result::Table(kTables[0], {"step"}) : result::Table(kTables[0]);
  for (const auto& [context, partial] : ranks) {
    for (const DeviceTime& row : partial.devices) {
      const TimeParts& t = row.parts;
      std::vector<result::Cell> cells{context.rank, row.device};
      if (by_step) cells.emplace_back(row.step);
      for (const Nanos ns :
           {t.span_ns, t.idle_ns, t.compute_ns, t.exposed_comm_ns, t.exposed_memory_ns, t.non_compute_ns()}) {
        cells.emplace_back(ns);
      }
      for (const Nanos ns : {t.idle_ns, t.compute_ns, t.exposed_comm_ns, t.exposed_memory_ns, t.non_compute_ns()}) {
        cells.emplace_back(percent(ns, t.span_ns));
      }
      table.add(cells);
    }
  }
  document.tables.push_back(std::move(table));
}

void add_types(std::span<Ranked<Partial>> ranks, result::Document& document) {
  std::vector<std::pair<Nanos, std::string>> rows;
  Nanos total = 0;
  for (TypeMask mask = 1; mask < kTypeMasks; ++mask) {
    Nanos sum = 0;
    for (const auto& [context, partial] : ranks) sum += partial.type_times[mask];
    if (sum > 0) rows.emplace_back(sum, type_mask_name(mask));
    total += sum;
  }
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  result::Table table(kTables[1]);
  for (const auto& [sum, name] : rows) table.add({name, sum, percent(sum, total)});
  document.tables.push_back(std::move(table));
}

bool kernel_before(const KernelTime& a, const KernelTime& b) {
  if (a.dur_ns.sum != b.dur_ns.sum) return a.dur_ns.sum > b.dur_ns.sum;
  if (a.name != b.name) return a.name < b.name;
  return std::pair(kernel_type_name(a.type), a.annotation) < std::pair(kernel_type_name(b.type), b.annotation);
}

void add_kernels(std::span<Ranked<Partial>> ranks, const Options& options, bool by_annotation,
                 result::Document& document) {
  result::Table table = by_annotation ? result::Table(kTables[2], {"annotation"}) : result::Table(kTables[2]);
  for (const auto& [context, partial] : ranks) {
    std::sort(partial.kernels.begin(), partial.kernels.end(), kernel_before);
    Int128 total = 0;
    for (const KernelTime& kernel : partial.kernels) total += kernel.dur_ns.sum;
    const auto add = [&, &context = context](const KernelTime& kernel) {
      const Summary& d = kernel.dur_ns;
      std::vector<result::Cell> cells{context.rank, kernel_type_name(kernel.type), kernel.name};
      if (by_annotation)
        cells.emplace_back(kernel.annotation.empty() ? result::Cell(std::nullopt) : result::Cell(kernel.annotation));
      cells.insert(cells.end(), {d.count, static_cast<std::int64_t>(d.sum), d.mean(), d.min, d.max, d.deviation(),
                                 percent(d.sum, total)});
      table.add(cells);
    };
    std::array<std::int64_t, 4> shown{};
    std::array<KernelTime, 4> others{};
    for (const KernelTime& kernel : partial.kernels) {
      const auto type = static_cast<std::size_t>(kernel.type);
      if (options.top == 0 || shown[type] < options.top) {
        ++shown[type];
        add(kernel);
      } else {
        others[type].type = kernel.type;
        others[type].name = SharedText("others");
        others[type].dur_ns.merge(kernel.dur_ns);
      }
    }
    std::sort(others.begin(), others.end(), kernel_before);
    for (const KernelTime& rest : others) {
      if (rest.dur_ns.count > 0) add(rest);
    }
  }
  document.tables.push_back(std::move(table));
}

void add_across(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  struct OfRank {
    std::int64_t rank;
    Summary dur_ns;
  };
  std::map<std::pair<std::string_view, KernelType>, std::vector<OfRank>> kernels;
  for (const auto& [context, partial] : ranks) {
    for (const KernelTime& kernel : partial.kernels) {
      auto& rows = kernels[{kernel.name, kernel.type}];
      // Windows of one rank, or regions of one kernel, belong together here.
      if (rows.empty() || rows.back().rank != context.rank.rank()) rows.push_back({context.rank.rank(), {}});
      rows.back().dur_ns.merge(kernel.dur_ns);
    }
  }
  struct Row {
    std::string_view name;
    KernelType type;
    Summary all;
    std::size_t ranks;
    const OfRank* low;
    const OfRank* high;
    std::optional<std::int64_t> spread;
  };
  std::vector<Row> rows;
  for (const auto& [key, of_ranks] : kernels) {
    if (of_ranks.size() < 2) continue;
    Row row{key.first, key.second, {}, of_ranks.size(), &of_ranks.front(), &of_ranks.front(), {}};
    long double mean_sum = 0;
    // Means compare as fractions, so that equal ones are equal.
    const auto less = [](const OfRank& a, const OfRank& b) {
      return a.dur_ns.sum * b.dur_ns.count < b.dur_ns.sum * a.dur_ns.count;
    };
    for (const OfRank& of : of_ranks) {
      row.all.merge(of.dur_ns);
      if (less(of, *row.low)) row.low = &of;
      if (less(*row.high, of)) row.high = &of;
      mean_sum += static_cast<long double>(of.dur_ns.sum) / static_cast<long double>(of.dur_ns.count);
    }
    if (mean_sum > 0) {
      const auto mean = [](const OfRank& of) {
        return static_cast<long double>(of.dur_ns.sum) / static_cast<long double>(of.dur_ns.count);
      };
      const long double spread =
          (mean(*row.high) - mean(*row.low)) * static_cast<long double>(of_ranks.size()) / mean_sum;
      row.spread = std::llrint(spread * 10'000);
    }
    rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    if (a.all.sum != b.all.sum) return a.all.sum > b.all.sum;
    if (a.name != b.name) return a.name < b.name;
    return kernel_type_name(a.type) < kernel_type_name(b.type);
  });
  result::Table table(kTables[3]);
  Summary others;
  std::size_t other_ranks = 0;
  std::int64_t shown = 0;
  for (const Row& row : rows) {
    if (options.top != 0 && shown++ >= options.top) {
      others.merge(row.all);
      other_ranks = std::max(other_ranks, row.ranks);
      continue;
    }
    table.add({kernel_type_name(row.type), row.name, static_cast<std::int64_t>(row.ranks), row.all.count,
               static_cast<std::int64_t>(row.all.sum), row.all.mean(), row.low->rank, row.low->dur_ns.mean(),
               row.high->rank, row.high->dur_ns.mean(), row.spread});
  }
  if (others.count > 0) {
    table.add({std::nullopt, "others", static_cast<std::int64_t>(other_ranks), others.count,
               static_cast<std::int64_t>(others.sum), others.mean(), std::nullopt, std::nullopt, std::nullopt,
               std::nullopt, std::nullopt});
  }
  document.tables.push_back(std::move(table));
}

void add_annotations(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  result::Table table(kTables[4]);
  for (const auto& [context, partial] : ranks) {
    std::sort(partial.annotations.begin(), partial.annotations.end(),
              [](const AnnotationTime& a, const AnnotationTime& b) {
                return a.dur_ns.sum != b.dur_ns.sum ? a.dur_ns.sum > b.dur_ns.sum : a.name < b.name;
              });
    const auto add = [&, &context = context](std::string_view name, const Summary& d) {
      table.add({context.rank, name, d.count, static_cast<std::int64_t>(d.sum), d.mean(), d.min, d.max, d.deviation()});
    };
    Summary others;
    std::int64_t shown = 0;
    for (const AnnotationTime& annotation : partial.annotations) {
      if (options.top != 0 && shown++ >= options.top) others.merge(annotation.dur_ns);
      else add(annotation.name, annotation.dur_ns);
    }
    if (others.count > 0) add("others", others);
  }
  document.tables.push_back(std::move(table));
}

void add_heading(std::span<Ranked<Partial>> ranks, result::Document& document) {
  TimeParts all;
  for (const auto& [context, partial] : ranks) {
    for (const DeviceTime& device : partial.devices) all += device.parts;
  }
  if (all.span_ns == 0) {
    document.heading.push_back("No GPU event was recorded: there is no GPU time to break down.");
    document.note("no-gpu-events", "no rank has GPU events; was ProfilerActivity.CUDA on?");
    return;
  }
  document.heading.push_back("GPU time: compute " + human_percent(all.compute_ns, all.span_ns) +
                             ", exposed communication " + human_percent(all.exposed_comm_ns, all.span_ns) +
                             ", exposed memory " + human_percent(all.exposed_memory_ns, all.span_ns) + ", idle " +
                             human_percent(all.idle_ns, all.span_ns) + ".");
  // What is largest besides compute is where to look next.
  if (all.idle_ns >= all.exposed_comm_ns && all.idle_ns * 20 > all.span_ns) document.next.push_back("idle");
  else if (all.exposed_comm_ns * 20 > all.span_ns) document.next.push_back("overlap");
}

}  // namespace

Partial map(const Trace& trace, const Options& options) {
  const std::string by = options.text("by");
  const auto devices = device_type_sets(trace);
  Partial out;
  out.devices = device_times(trace, devices, by == "step");
  for (const auto& [device, sets] : devices) {
    const MaskTimes times = mask_times(sets, sets.span);
    for (TypeMask mask = 1; mask < kTypeMasks; ++mask) out.type_times[mask] += times[mask];
  }
  out.kernels = kernel_times(trace, by == "annotation");
  out.annotations = annotation_times(
      trace, options.flag("host-annotations") ? CategoryKind::kUserAnnotation : CategoryKind::kGpuAnnotation);
  return out;
}

Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  const std::string by = options.text("by");
  add_heading(ranks, document);
  add_temporal(ranks, by == "step", document);
  add_types(ranks, document);
  add_kernels(ranks, options, by == "annotation", document);
  add_across(ranks, options, document);
  add_annotations(ranks, options, document);
  document.shown = {"temporal", "kernel_types", ranks.size() > 1 ? "kernels_across_ranks" : "kernels"};
  return {};
}

}  // namespace breakdown

constexpr AnalysisSpec kBreakdown = make_spec<breakdown::Partial, &breakdown::map, &breakdown::combine>(
    "breakdown", "where does GPU time go?",
    "Splits the time of every device into compute, exposed communication, exposed memory and idle, and lists kernels "
    "and annotated regions.",
    breakdown::kTables, breakdown::kOptions, &breakdown::needs);

}  // namespace hta::analysis
