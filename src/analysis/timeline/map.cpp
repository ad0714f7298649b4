// One rank, cut down to what can be drawn.

#include "hta/analysis/counter_series.h"
#include "hta/analysis/device_time.h"
#include "hta/analysis/timeline.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "places.h"
#include "sampling.h"
#include "window.h"

namespace hta::analysis::timeline {
namespace {

constexpr std::size_t kPoints = 300;  // of a series
constexpr std::size_t kActivitySlices = 60;
constexpr std::size_t kStripSlices = 240;

Place described(const Trace& trace, const Candidate& candidate, const Windows& windows, std::size_t most_events) {
  Place out;
  out.kind = candidate.kind;
  out.device = candidate.device;
  out.time = candidate.time;
  out.weight_ns = candidate.weight_ns;
  if (candidate.step.valid()) out.step = trace.step(candidate.step).number;
  if (candidate.host.valid()) out.what = trace.name(candidate.host);
  else if (candidate.event.valid()) out.what = trace.name(candidate.event);
  out.window = windows.around(candidate, most_events);
  return out;
}

Interval span_of(const std::map<std::int64_t, TypeSets>& devices) {
  Interval span;
  bool first = true;
  for (const auto& [device, sets] : devices) {
    span = first ? sets.span : Interval{std::min(span.begin, sets.span.begin), std::max(span.end, sets.span.end)};
    first = false;
  }
  return span;
}

// The number in the middle of the steps, which ranks of one run have in common.
StepId middle_step(const Trace& trace) {
  return trace.steps.empty() ? StepId() : StepId(trace.steps.size() / 2);
}

std::vector<SampledSeries> sampled_queues(const Trace& trace, Interval span) {
  std::vector<SampledSeries> out;
  for (const QueueSeries& queue : queue_lengths(trace)) {
    const Interval time{std::min(span.begin, queue.begin()->time_ns), span.end};
    out.push_back({queue.stream().device, queue.stream().stream, {}, largest_per_slice(queue, time, kPoints)});
  }
  return out;
}

std::vector<SampledSeries> sampled_copies(const Trace& trace, Interval span) {
  std::vector<SampledSeries> out;
  for (const BandwidthSeries& copies : copy_bandwidths(trace))
    out.push_back({copies.device, -1, copies.label, mean_per_slice(copies.points, span, kPoints)});
  return out;
}

// Totals as recorded; of devices whose events hold none, sums of the changes from 0.
std::vector<SampledSeries> sampled_memory(const Trace& trace) {
  struct Totals {
    Series allocated;
    Series reserved;
    std::int64_t sum = 0;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, Totals> devices;
  for (const MemoryEvent& event : trace.memory_events) {
    Totals& totals = devices[{event.device_type, event.device_id}];
    totals.sum = event.total_allocated >= 0 ? event.total_allocated : totals.sum + event.bytes;
    totals.allocated.push_back({event.time_ns, totals.sum});
    if (event.total_reserved >= 0) totals.reserved.push_back({event.time_ns, event.total_reserved});
  }
  std::vector<SampledSeries> out;
  for (const auto& [device, totals] : devices) {
    const Interval time{totals.allocated.front().time_ns, totals.allocated.back().time_ns + 1};
    const bool host = device.first == 0;
    const auto add = [&, &device = device](std::string_view name, const Series& series) {
      if (!series.empty())
        out.push_back(
            {device.second, -1, (host ? "host " : "") + std::string(name), largest_per_slice(series, time, kPoints)});
    };
    add("allocated", totals.allocated);
    add("reserved", totals.reserved);
  }
  return out;
}

}  // namespace

Partial map(const Trace& trace, const Options& options) {
  Partial out;
  const std::map<std::int64_t, TypeSets> devices = device_type_sets(trace);
  const TypeSets rank = rank_type_sets(trace);
  out.span = span_of(devices);
  const Windows windows(trace);
  const auto most_events = static_cast<std::size_t>(std::max<std::int64_t>(1, options.integer("events")));
  for (const Candidate& candidate : worst_places(trace, devices, options.time_ns("kernel-gap")))
    out.places.push_back(described(trace, candidate, windows, most_events));
  if (!devices.empty()) {
    out.activity = activity_per_slice(rank, out.span, kActivitySlices);
    const StepId step = middle_step(trace);
    Interval time = out.span;
    if (step.valid()) {
      out.step = trace.step(step).number;
      time = {trace.step(step).start_ns, trace.step(step).end_ns};
    }
    out.strip = strip_of(rank, time, kStripSlices);
    out.queues = sampled_queues(trace, out.span);
    out.copies = sampled_copies(trace, out.span);
  }
  out.memory = sampled_memory(trace);
  return out;
}

}  // namespace hta::analysis::timeline
