#include "hta/analysis/idle.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "host_activity.h"
#include "idle_gaps.h"
#include "idle_heading.h"

namespace hta::analysis {
namespace idle {
namespace {

using result::ColumnSpec;
using enum result::CellType;
using result::Bar;
using result::Fit;
using result::Presence;

constexpr std::array kIdleColumns{
    ColumnSpec{"rank", kRank},
    ColumnSpec{"device", kInteger},
    ColumnSpec{"stream", kInteger},
    ColumnSpec{"category", kText},
    ColumnSpec{"idle_us", kTime},
    ColumnSpec{"ratio", kRatio},
    ColumnSpec{"count", kInteger},
    ColumnSpec{"mean_us", kTime},
    ColumnSpec{"std_us", kTime, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"min_us", kTime, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"p25_us", kTime, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"p50_us", kTime},
    ColumnSpec{"p75_us", kTime, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"max_us", kTime},
};
constexpr std::array kDeviceColumns{
    ColumnSpec{"rank", kRank},
    ColumnSpec{"device", kInteger},
    ColumnSpec{"category", kText},
    ColumnSpec{"idle_us", kTime},
    ColumnSpec{"pct_of_span", kPercent, Presence::kAlways, Bar::kYes},
    ColumnSpec{"count", kInteger},
};
constexpr std::array kCauseColumns{
    ColumnSpec{"rank", kRank},
    ColumnSpec{"device", kInteger},
    ColumnSpec{"cause", kText},
    ColumnSpec{"idle_us", kTime},
    ColumnSpec{"pct_of_span", kPercent, Presence::kAlways, Bar::kYes},
    ColumnSpec{"count", kInteger},
    ColumnSpec{"after_sync_us", kTime, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
};
constexpr std::array kSourceColumns{
    ColumnSpec{"cause", kText},
    ColumnSpec{"activity", kText},
    ColumnSpec{"place", kText},
    ColumnSpec{"idle_us", kTime},
    ColumnSpec{"pct", kPercent, Presence::kAlways, Bar::kYes},
    ColumnSpec{"ranks", kInteger, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"max_rank", kInteger, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"max_rank_idle_us", kTime, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
};
constexpr std::array kGapColumns{
    ColumnSpec{"rank", kRank},
    ColumnSpec{"device", kInteger},
    ColumnSpec{"step", kInteger, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"start_us", kTime},
    ColumnSpec{"dur_us", kTime},
    ColumnSpec{"cause", kText},
    ColumnSpec{"activity", kText},
    ColumnSpec{"covered_pct", kPercent},
    ColumnSpec{"place", kText},
    ColumnSpec{"ended_by", kText},
    ColumnSpec{"stream", kInteger, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"launch_name", kText, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"launch_thread", kText, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"after_sync", kText, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
};
constexpr std::array kTables{
    result::TableSpec{"idle", "Gaps of each stream by kind", kIdleColumns},
    result::TableSpec{"device_idle", "Time in which no stream of a device had work, by kind", kDeviceColumns},
    result::TableSpec{"gap_causes", "What the device waited for", kCauseColumns},
    result::TableSpec{"gap_sources", "What the host did while the device waited for it, and where", kSourceColumns},
    result::TableSpec{"gaps", "The longest gaps that wait for the host", kGapColumns},
};
constexpr std::array kOptions{
    OptionSpec{"kernel-gap", OptionKind::kTime, "30", "US",
               "a gap shorter than this, after a launch in time, is kernel_wait", ""},
    OptionSpec{"gaps", OptionKind::kInteger, "10", "N", "how many single gaps to explain, the longest first (0 = all)",
               ""},
};

Needs needs(const Options& options) {
  Needs needs;
  needs.host_events = options.wants("gap_causes") || options.wants("gap_sources") || options.wants("gaps");
  needs.python_frames = needs.host_events;
  return needs;
}

std::vector<StreamIdle> stream_idle(const Trace& trace, Nanos kernel_gap_ns) {
  std::vector<StreamGaps> gaps = stream_gaps(trace, kernel_gap_ns);
  std::vector<bool> has_events(trace.streams.size());
  for (const StreamId stream : trace.gpu.stream) has_events[stream.value()] = true;
  std::vector<std::size_t> order(trace.streams.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return trace.streams[a] < trace.streams[b]; });
  std::vector<StreamIdle> out;
  for (const std::size_t stream : order) {
    if (!has_events[stream]) continue;
    for (const GapKind kind : kGapKinds) {
      std::vector<Nanos>& lengths = gaps[stream][static_cast<std::size_t>(kind)];
      StreamIdle& row = out.emplace_back();
      row.device = trace.streams[stream].device;
      row.stream = trace.streams[stream].stream;
      row.kind = gap_kind_name(kind);
      for (const Nanos length : lengths) row.gap_ns.add(length);
      std::sort(lengths.begin(), lengths.end());
      row.p25_ns = quantile(lengths, 1, 4);
      row.p50_ns = quantile(lengths, 1, 2);
      row.p75_ns = quantile(lengths, 3, 4);
    }
  }
  return out;
}

std::string text_or_empty(const Trace& trace, StringId id) {
  return id.valid() ? std::string(trace.text(id)) : std::string();
}

Gap describe(const Trace& trace, const DeviceGap& gap, const ExplainedGap& explained) {
  Gap out;
  out.start_ns = gap.time.begin;
  out.dur_ns = gap.time.length();
  out.cause = explained.main_cause();
  const LaunchId call = trace.gpu.launch[gap.ended_by];
  out.launch_name = trace.name(call);
  if (out.cause == HostCause::kLaunchLatency) {
    out.activity = out.launch_name;
    out.covered_ns = explained.by_cause[static_cast<std::size_t>(HostCause::kLaunchLatency)];
  } else if (explained.during.valid()) {
    out.activity = trace.name(explained.during);
    out.covered_ns = explained.covered_ns;
  } else {
    out.covered_ns = explained.by_cause[static_cast<std::size_t>(HostCause::kNotRecorded)];
  }
  out.place = text_or_empty(trace, explained.place);
  out.after_sync = text_or_empty(trace, explained.after_sync);
  out.ended_by = trace.name(gap.ended_by);
  out.stream = trace.stream_of(gap.ended_by).stream;
  out.launch_thread = trace.track_text(trace.threads[trace.launches.thread[call].value()].tid);
  if (const StepId step = trace.gpu.step[gap.ended_by]; step.valid()) out.step = trace.step(step).number;
  return out;
}

DeviceIdle device_idle(const Trace& trace, const DeviceGaps& gaps, const HostActivity* host) {
  DeviceIdle out;
  out.device = gaps.device;
  out.span_ns = gaps.span.length();
  for (const DeviceGap& gap : gaps.gaps) {
    const auto kind = static_cast<std::size_t>(gap.kind);
    out.kinds[kind].add(gap.time.length());
    if (!trace.gpu.launch[gap.ended_by].valid()) out.bare[kind].add(gap.time.length());
  }
  if (host == nullptr) return out;
  out.after_sync_ns = host->after_sync_ns;
  for (std::size_t cause = 0; cause < kHostCauses; ++cause) {
    if (host->idle_ns[cause] > 0)
      out.causes.push_back({static_cast<HostCause>(cause), host->idle_ns[cause], host->gap_count[cause],
                            host->after_sync_by_cause[cause]});
  }
  std::stable_sort(out.causes.begin(), out.causes.end(),
                   [](const CauseIdle& a, const CauseIdle& b) { return a.idle_ns > b.idle_ns; });
  for (const HostSource& source : host->sources) {
    out.sources.push_back(
        {source.cause, text_or_empty(trace, source.activity), text_or_empty(trace, source.place), source.idle_ns});
  }
  std::sort(out.sources.begin(), out.sources.end(), [](const SourceIdle& a, const SourceIdle& b) {
    if (a.idle_ns != b.idle_ns) return a.idle_ns > b.idle_ns;
    return std::tie(a.cause, a.activity, a.place) < std::tie(b.cause, b.activity, b.place);
  });
  for (const ExplainedGap& explained : host->longest)
    out.longest.push_back(describe(trace, gaps.gaps[explained.gap], explained));
  return out;
}

result::Cell text_or_null(std::string_view text) {
  return text.empty() ? result::Cell(std::nullopt) : result::Cell(text);
}

void add_streams(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[0]);
  for (const auto& [context, partial] : ranks) {
    for (std::size_t first = 0; first < partial.streams.size(); first += kGapKinds.size()) {
      const std::span<const StreamIdle> kinds(&partial.streams[first], kGapKinds.size());
      Int128 idle_ns = 0;
      for (const StreamIdle& row : kinds) idle_ns += row.gap_ns.sum;
      for (const StreamIdle& row : kinds) {
        const Summary& gap = row.gap_ns;
        const auto if_any = [&](std::optional<std::int64_t> value) { return gap.count > 0 ? value : std::nullopt; };
        table.add({context.rank, row.device, row.stream, row.kind, static_cast<std::int64_t>(gap.sum),
                   ratio4(gap.sum, idle_ns), gap.count, gap.mean(), gap.deviation(), if_any(gap.min), row.p25_ns,
                   row.p50_ns, row.p75_ns, if_any(gap.max)});
      }
    }
  }
  document.tables.push_back(std::move(table));
}

void add_devices(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[1]);
  for (const auto& [context, partial] : ranks) {
    for (const DeviceIdle& device : partial.devices) {
      for (const GapKind kind : kGapKinds) {
        const KindIdle& idle = device.kinds[static_cast<std::size_t>(kind)];
        table.add({context.rank, device.device, gap_kind_name(kind), idle.idle_ns,
                   percent(idle.idle_ns, device.span_ns), idle.count});
      }
    }
  }
  document.tables.push_back(std::move(table));
}

void add_causes(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[2]);
  for (const auto& [context, partial] : ranks) {
    for (const DeviceIdle& device : partial.devices) {
      const auto add = [&, &context = context](std::string_view cause, Nanos idle_ns, std::int64_t count,
                                               std::optional<Nanos> after_sync_ns = std::nullopt) {
        table.add(
            {context.rank, device.device, cause, idle_ns, percent(idle_ns, device.span_ns), count, after_sync_ns});
      };
      for (const CauseIdle& cause : device.causes)
        add(host_cause_name(cause.cause), cause.idle_ns, cause.count, cause.after_sync_ns);
      KindIdle not_linked;
      for (const GapKind kind : {GapKind::kKernelWait, GapKind::kOther}) {
        const KindIdle& all = device.kinds[static_cast<std::size_t>(kind)];
        const KindIdle& bare = device.bare[static_cast<std::size_t>(kind)];
        if (all.count > bare.count) add(gap_kind_name(kind), all.idle_ns - bare.idle_ns, all.count - bare.count);
        not_linked.idle_ns += bare.idle_ns;
        not_linked.count += bare.count;
      }
      if (not_linked.count > 0) add("not_linked", not_linked.idle_ns, not_linked.count);
    }
  }
  document.tables.push_back(std::move(table));
}

// One kind of host activity over all ranks.
struct SharedSource {
  Nanos idle_ns = 0;
  std::map<std::int64_t, Nanos> of_rank;
};

void add_sources(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  std::map<std::tuple<HostCause, std::string_view, std::string_view>, SharedSource> sources;
  Nanos total_ns = 0;
  for (const auto& [context, partial] : ranks) {
    for (const DeviceIdle& device : partial.devices) {
      for (const SourceIdle& source : device.sources) {
        SharedSource& shared = sources[{source.cause, source.activity, source.place}];
        shared.idle_ns += source.idle_ns;
        shared.of_rank[context.rank.rank()] += source.idle_ns;
        total_ns += source.idle_ns;
      }
    }
  }
  std::vector<decltype(sources)::const_iterator> order;
  for (auto at = sources.cbegin(); at != sources.cend(); ++at) order.push_back(at);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a->second.idle_ns > b->second.idle_ns; });

  result::Table table(kTables[3]);
  const auto add = [&](std::string_view cause, std::string_view activity, std::string_view place,
                       const SharedSource& source) {
    const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto most = std::max_element(source.of_rank.begin(), source.of_rank.end(), less);
    table.add({cause, text_or_null(activity), text_or_null(place), source.idle_ns, percent(source.idle_ns, total_ns),
               static_cast<std::int64_t>(source.of_rank.size()), most->first, most->second});
  };
  SharedSource others;
  std::int64_t shown = 0;
  for (const auto& at : order) {
    const auto& [cause, activity, place] = at->first;
    if (options.top == 0 || shown++ < options.top) {
      add(host_cause_name(cause), activity, place, at->second);
      continue;
    }
    others.idle_ns += at->second.idle_ns;
    for (const auto& [rank, ns] : at->second.of_rank) others.of_rank[rank] += ns;
  }
  if (others.idle_ns > 0) add("others", {}, {}, others);
  document.tables.push_back(std::move(table));
}

void add_gaps(std::span<Ranked<Partial>> ranks, std::size_t count, result::Document& document) {
  struct Row {
    const RankContext* rank;
    const DeviceIdle* device;
    const Gap* gap;
  };
  std::vector<Row> rows;
  for (const auto& [context, partial] : ranks) {
    for (const DeviceIdle& device : partial.devices) {
      for (const Gap& gap : device.longest) rows.push_back({&context, &device, &gap});
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.gap->dur_ns > b.gap->dur_ns; });
  if (count != 0 && rows.size() > count) rows.resize(count);
  result::Table table(kTables[4]);
  for (const auto& [rank, device, gap] : rows) {
    table.add({rank->rank, device->device, gap->step, gap->start_ns + rank->shift_ns, gap->dur_ns,
               host_cause_name(gap->cause), text_or_null(gap->activity), percent(gap->covered_ns, gap->dur_ns),
               text_or_null(gap->place), gap->ended_by, gap->stream, gap->launch_name, gap->launch_thread,
               text_or_null(gap->after_sync)});
  }
  document.tables.push_back(std::move(table));
}

}  // namespace

Partial map(const Trace& trace, const Options& options) {
  const Nanos kernel_gap_ns = options.time_ns("kernel-gap");
  const std::vector<DeviceGaps> gaps = device_gaps(trace, kernel_gap_ns);
  Partial out;
  out.streams = stream_idle(trace, kernel_gap_ns);
  std::vector<HostActivity> host;
  if (needs(options).host_events) {
    host = host_activity(trace, gaps, static_cast<std::size_t>(std::max<std::int64_t>(0, options.integer("gaps"))));
  }
  for (std::size_t d = 0; d < gaps.size(); ++d)
    out.devices.push_back(device_idle(trace, gaps[d], host.empty() ? nullptr : &host[d]));
  return out;
}

Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  if (options.integer("gaps") < 0) return Error{ErrorCode::kUsage, "", "--gaps must not be negative", {}};
  add_heading(ranks, document);
  add_streams(ranks, document);
  add_devices(ranks, document);
  add_causes(ranks, document);
  add_sources(ranks, options, document);
  add_gaps(ranks, static_cast<std::size_t>(options.integer("gaps")), document);
  if (ranks.size() == 1) document.shown = {"device_idle", "gap_causes", "gap_sources", "gaps"};
  else document.shown = {"device_idle", "gap_sources", "gaps"};
  return {};
}

}  // namespace idle

constexpr AnalysisSpec kIdle = make_spec<idle::Partial, &idle::map, &idle::combine>(
    "idle", "why is the GPU idle?",
    "Finds the gaps of every stream and of every device (no stream has work) and says what each waited for: host_wait, "
    "what ends the "
    "gap was launched after the gap began; kernel_wait, it was launched in time and the gap is short; other, it was "
    "launched in time "
    "and waited for something else, such as an event of another stream. For gaps that wait for the host it says what "
    "the launching "
    "thread did meanwhile: data loading, a synchronising call, memory allocation, the optimizer, operators, Python, or "
    "nothing that "
    "was recorded. Python frames (with_stack=True) make the answer a line of the program.",
    idle::kTables, idle::kOptions, &idle::needs);

}  // namespace hta::analysis
