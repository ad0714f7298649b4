#include "hta/analysis/counters.h"

#include "hta/base/text.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "counters_report.h"

namespace hta::analysis {
namespace counters {
namespace {

using result::ColumnSpec;
using result::if_room;
using result::RowsPer;
using enum result::CellType;

constexpr std::array kQueueSummaryColumns{
    ColumnSpec{"rank", kRank},     ColumnSpec{"device", kInteger},   ColumnSpec{"stream", kInteger},
    ColumnSpec{"count", kInteger}, ColumnSpec{"mean", kRatio},       if_room("std", kRatio),
    if_room("min", kInteger),      if_room("p25", kRatio),           ColumnSpec{"p50", kRatio},
    if_room("p75", kRatio),        ColumnSpec{"max", kInteger},      ColumnSpec{"time_mean", kRatio},
    ColumnSpec{"full_us", kTime},  ColumnSpec{"full_pct", kPercent},
};
constexpr std::array kQueueColumns{
    ColumnSpec{"rank", kRank},  ColumnSpec{"device", kInteger},       ColumnSpec{"stream", kInteger},
    ColumnSpec{"ts_us", kTime}, ColumnSpec{"queue_length", kInteger},
};
constexpr std::array kTrafficSummaryColumns{
    ColumnSpec{"rank", kRank},     ColumnSpec{"device", kInteger}, ColumnSpec{"name", kText},
    ColumnSpec{"count", kInteger}, ColumnSpec{"mean_gbps", kRate}, if_room("std_gbps", kRate),
    if_room("min_gbps", kRate),    if_room("p25_gbps", kRate),     ColumnSpec{"p50_gbps", kRate},
    if_room("p75_gbps", kRate),    ColumnSpec{"max_gbps", kRate},  ColumnSpec{"time_mean_gbps", kRate},
};
constexpr std::array kTrafficColumns{
    ColumnSpec{"rank", kRank},  ColumnSpec{"device", kInteger}, ColumnSpec{"name", kText},
    ColumnSpec{"ts_us", kTime}, ColumnSpec{"gbps", kRate},
};
constexpr std::array kCopyColumns{
    ColumnSpec{"rank", kRank},     ColumnSpec{"device", kInteger}, ColumnSpec{"name", kText},
    ColumnSpec{"count", kInteger}, ColumnSpec{"bytes", kBytes},    ColumnSpec{"sum_us", kTime},
    if_room("mean_us", kTime),     if_room("max_us", kTime),       ColumnSpec{"gbps", kRate},
};
constexpr std::array kHardwareColumns{
    ColumnSpec{"rank", kRank},         ColumnSpec{"kernel_name", kText},
    ColumnSpec{"top_level_op", kText}, ColumnSpec{"bottom_level_op", kText},
    ColumnSpec{"op_stack", kText},
};
constexpr std::array kTables{
    result::TableSpec{"queue_summary", "Launch queues: launched but not yet started work of each stream",
                      kQueueSummaryColumns},
    result::TableSpec{"queue_length", "Length of the launch queues over time", kQueueColumns, RowsPer::kEvent},
    result::TableSpec{"memory_bw_summary", "Bandwidth of copies and fills", kTrafficSummaryColumns},
    result::TableSpec{"memory_bw", "Bandwidth of copies and fills over time", kTrafficColumns, RowsPer::kEvent},
    result::TableSpec{"copies", "Copies and fills by kind of memory", kCopyColumns},
    result::TableSpec{"cupti", "Hardware counters of each range, with the operators that launched it", kHardwareColumns,
                      RowsPer::kEvent},
};
constexpr std::array kOptions{
    OptionSpec{"queue-full", OptionKind::kInteger, "1024", "N", "launches from which on a queue counts as full", ""},
    OptionSpec{
        "augment", OptionKind::kText, "", "FILE",
        "write the trace with queue lengths and bandwidths as counter tracks (several files: into the folder FILE)",
        ""},
};

Needs needs(const Options& options) {
  Needs needs;
  needs.gpu_args = bandwidth_args();
  needs.profiler_ranges = true;
  needs.call_tree = options.wants_large("cupti");
  return needs;
}

// The k-th quartile, times `scale`, over `unit`: a single rounding.
std::optional<std::int64_t> quartile(std::span<const Tallied> sorted, std::int64_t k, std::int64_t scale,
                                     std::int64_t unit) {
  const auto times_4 = quantile(sorted, k, 4, 4);
  if (!times_4) return std::nullopt;
  return divide_half_even(Int128{*times_4} * scale, Int128{4} * unit);
}

// Statistics of values, times `scale`, over `unit`.
PointStatistics statistics(std::span<const Tallied> sorted, std::int64_t scale, std::int64_t unit) {
  Summary summary;
  for (const Tallied& each : sorted) summary.add(each.value, each.count);
  PointStatistics out;
  out.count = summary.count;
  if (out.count == 0) return out;
  out.mean = divide_half_even(summary.sum * scale, Int128{out.count} * unit);
  if (const auto deviation = summary.deviation(scale)) out.deviation = divide_half_even(*deviation, unit);
  out.p25 = quartile(sorted, 1, scale, unit);
  out.p50 = quartile(sorted, 2, scale, unit);
  out.p75 = quartile(sorted, 3, scale, unit);
  out.min = divide_half_even(summary.min, unit);
  out.max = divide_half_even(summary.max, unit);
  return out;
}

std::vector<Tallied> tallied(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  std::vector<Tallied> out;
  for (const std::int64_t value : values) {
    if (out.empty() || out.back().value != value) out.push_back({value, 0});
    ++out.back().count;
  }
  return out;
}

// Queues are short, however many points there are: how often each length occurs.
class LengthTally {
 public:
  void add(std::int64_t length) {
    const auto at = static_cast<std::size_t>(length);
    if (at >= counts_.size()) counts_.resize(at + 1);
    ++counts_[at];
  }
  std::vector<Tallied> tallied() const {
    std::vector<Tallied> out;
    for (std::size_t length = 0; length < counts_.size(); ++length) {
      if (counts_[length] > 0) out.push_back({static_cast<std::int64_t>(length), counts_[length]});
    }
    return out;
  }

 private:
  std::vector<std::int64_t> counts_;
};

std::string json_of(const Trace& trace, const TrackName& name) {
  return name.text.valid() ? json_quoted(trace.text(name.text)) : std::to_string(name.number);
}

Queue summarise(const Trace& trace, const QueueSeries& series, std::int64_t full) {
  Queue out;
  out.stream = series.stream();
  out.pid = json_of(trace, series.pid());
  Int128 area = 0;
  LengthTally lengths;
  SeriesPoint before = *series.begin();
  for (const SeriesPoint& point : series) {
    lengths.add(point.value);
    const Nanos held_ns = point.time_ns - before.time_ns;
    area += Int128{before.value} * held_ns;
    if (before.value >= full) out.full_ns += held_ns;
    before = point;
  }
  out.lengths = statistics(lengths.tallied(), 10'000, 1);
  out.lengths.time_mean = ratio4(area, before.time_ns - series.begin()->time_ns);
  return out;
}

Traffic summarise(const Trace& trace, BandwidthSeries&& series) {
  constexpr std::int64_t kUnit = 1'000;  // bytes per second to 10^-6 GB/s
  Traffic out;
  out.device = series.device;
  out.label = std::move(series.label);
  out.pid = json_of(trace, series.pid);
  Int128 moved = 0;
  Nanos busy_ns = 0;
  std::vector<std::int64_t> rates;
  for (std::size_t i = 0; i + 1 < series.points.size(); ++i) {
    const SeriesPoint& point = series.points[i];
    if (point.value == 0) continue;
    rates.push_back(point.value);
    const Nanos held_ns = series.points[i + 1].time_ns - point.time_ns;
    moved += Int128{point.value} * held_ns;
    busy_ns += held_ns;
  }
  out.rates = statistics(tallied(std::move(rates)), 1, kUnit);
  if (busy_ns > 0) out.rates.time_mean = divide_half_even(moved, Int128{busy_ns} * kUnit);
  out.points = std::move(series.points);
  return out;
}

std::vector<Copies> copies_of(const Trace& trace) {
  const GpuEvents& gpu = trace.gpu;
  std::map<std::pair<std::int64_t, StringId>, Copies> by_name;
  for (const GpuId event : IdRange<GpuId>(gpu.size())) {
    if (gpu.type[event] != KernelType::kMemory) continue;
    Copies& copies = by_name[{trace.stream_of(event).device, gpu.name[event]}];
    copies.dur_ns.add(gpu.dur_ns[event]);
    if (const auto bytes = bytes_moved(trace, event)) {
      copies.bytes = copies.bytes.value_or(0) + *bytes;
      copies.dur_with_bytes_ns += gpu.dur_ns[event];
    }
  }
  std::vector<Copies> out;
  for (auto& [key, copies] : by_name) {
    copies.device = key.first;
    copies.name = trace.text(key.second);
    out.push_back(std::move(copies));
  }
  std::sort(out.begin(), out.end(), [](const Copies& a, const Copies& b) {
    if (a.device != b.device) return a.device < b.device;
    return a.dur_ns.sum != b.dur_ns.sum ? a.dur_ns.sum > b.dur_ns.sum : a.name < b.name;
  });
  return out;
}

void add_queues(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[0]);
  for (const auto& [context, partial] : ranks) {
    const Nanos duration_ns = context.last_end_ns - context.first_start_ns;
    for (const Queue& queue : partial.queues) {
      const PointStatistics& s = queue.lengths;
      table.add({context.rank, queue.stream.device, queue.stream.stream, s.count, s.mean, s.deviation, s.min, s.p25,
                 s.p50, s.p75, s.max, s.time_mean, queue.full_ns, percent(queue.full_ns, duration_ns)});
    }
  }
  document.tables.push_back(std::move(table));
}

void add_queue_points(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[1]);
  for (const auto& [context, partial] : ranks) {
    for (const Queue& queue : partial.queues) {
      for (const SeriesPoint& point : queue.points) {
        table.add(
            {context.rank, queue.stream.device, queue.stream.stream, point.time_ns + context.shift_ns, point.value});
      }
    }
  }
  document.tables.push_back(std::move(table));
}

void add_traffic(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[2]);
  for (const auto& [context, partial] : ranks) {
    for (const Traffic& traffic : partial.traffic) {
      const PointStatistics& s = traffic.rates;
      if (s.count == 0) continue;
      table.add({context.rank, traffic.device, traffic.label, s.count, s.mean, s.deviation, s.min, s.p25, s.p50, s.p75,
                 s.max, s.time_mean});
    }
  }
  document.tables.push_back(std::move(table));
}

void add_traffic_points(std::span<Ranked<Partial>> ranks, result::Document& document) {
  constexpr std::int64_t kUnit = 1'000;
  result::Table table(kTables[3]);
  for (const auto& [context, partial] : ranks) {
    for (const Traffic& traffic : partial.traffic) {
      for (const SeriesPoint& point : traffic.points) {
        table.add({context.rank, traffic.device, traffic.label, point.time_ns + context.shift_ns,
                   divide_half_even(point.value, kUnit)});
      }
    }
  }
  document.tables.push_back(std::move(table));
}

void add_copies(std::span<Ranked<Partial>> ranks, result::Document& document) {
  constexpr std::int64_t kRateScale = 1'000'000;
  result::Table table(kTables[4]);
  for (const auto& [context, partial] : ranks) {
    for (const Copies& copies : partial.copies) {
      std::optional<std::int64_t> rate;
      if (copies.bytes && copies.dur_with_bytes_ns > 0) {
        rate = divide_half_even(Int128{*copies.bytes} * kRateScale, copies.dur_with_bytes_ns);
      }
      table.add({context.rank, copies.device, copies.name, copies.dur_ns.count, copies.bytes,
                 static_cast<std::int64_t>(copies.dur_ns.sum), copies.dur_ns.mean(), copies.dur_ns.max, rate});
    }
  }
  document.tables.push_back(std::move(table));
}

void add_hardware(std::span<Ranked<Partial>> ranks, result::Document& document) {
  std::set<std::string, std::less<>> names;
  for (const auto& [context, partial] : ranks) {
    for (const CounterRange& range : partial.hardware.ranges) {
      for (const auto& [name, value] : range.counters) names.insert(name);
    }
    if (partial.hardware.join == RangeJoin::kNotFound) {
      document.note("counters-without-operators",
                    context.path +
                        ": the ranges with hardware counters carry no correlation and are not as many as the kernel "
                        "launches; their operators are not known");
    }
  }
  result::Table table(kTables[5]);
  for (const std::string& name : names) table.add_column(name, kNumberText);
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? result::Cell(std::nullopt) : result::Cell(text);
  };
  for (const auto& [context, partial] : ranks) {
    for (const CounterRange& range : partial.hardware.ranges) {
      std::vector<result::Cell> cells{context.rank, range.kernel_name, text_or_null(range.top_level_op),
                                      text_or_null(range.bottom_level_op), text_or_null(range.op_stack)};
      for (const std::string& name : names) {
        const auto at = std::find_if(range.counters.begin(), range.counters.end(),
                                     [&](const auto& counter) { return counter.first == name; });
        cells.push_back(at == range.counters.end() ? result::Cell(std::nullopt) : result::Cell(at->second));
      }
      table.add(cells);
    }
  }
  document.tables.push_back(std::move(table));
}

}  // namespace

Partial map(const Trace& trace, const Options& options) {
  const bool augment = options.has("augment");
  Partial out;
  const bool queue_points = augment || options.wants_large("queue_length");
  for (const QueueSeries& series : queue_lengths(trace)) {
    out.queues.push_back(summarise(trace, series, options.integer("queue-full")));
    if (queue_points) out.queues.back().points.assign(series.begin(), series.end());
  }
  for (BandwidthSeries& series : copy_bandwidths(trace)) {
    out.traffic.push_back(summarise(trace, std::move(series)));
    if (!augment && !options.wants_large("memory_bw")) out.traffic.back().points = {};
  }
  out.copies = copies_of(trace);
  out.range_count = static_cast<std::int64_t>(trace.profiler_ranges.size());
  if (options.wants_large("cupti")) out.hardware = counter_ranges(trace);
  return out;
}

Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  if (Status status = add_counter_overlays(ranks, options, document); !status) return status;
  add_heading(ranks, options, document);
  add_queues(ranks, document);
  if (options.wants_large("queue_length")) add_queue_points(ranks, document);
  add_traffic(ranks, document);
  if (options.wants_large("memory_bw")) add_traffic_points(ranks, document);
  add_copies(ranks, document);
  if (options.wants_large("cupti")) add_hardware(ranks, document);
  document.shown = {"queue_summary", "memory_bw_summary", "copies"};
  return {};
}

}  // namespace counters

constexpr AnalysisSpec kCounters = make_spec<counters::Partial, &counters::map, &counters::combine>(
    "counters", "how full are the launch queues, and how fast are the copies?",
    "Follows the launch queue of every stream (launched but not yet started work) and the bandwidth of copies and "
    "fills over "
    "time. With --augment the trace is written again with both as counter tracks, which Perfetto and chrome://tracing "
    "show "
    "below the events. Hardware counters that CUPTI recorded are joined with the operators that launched the kernels.",
    counters::kTables, counters::kOptions, &counters::needs);

}  // namespace hta::analysis
