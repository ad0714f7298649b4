#include "hta/analysis/counters.h"

#include <map>

#include "variants.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;
using analysis::SeriesPoint;

namespace {

RandomTraceOptions options_for(std::uint64_t seed) {
  RandomTraceOptions options;
  options.devices = 1 + static_cast<int>(seed % 2);
  options.ties_percent = 40;
  options.overlap_percent = 30;
  return options;
}

// Launches of a stream that have begun by `at` and whose event has not: a look at every event.
std::int64_t waiting(const Trace& trace, const Stream& stream, Nanos at) {
  std::int64_t count = 0;
  for (const GpuId i : IdRange<GpuId>(trace.gpu.size())) {
    const LaunchId call = trace.gpu.launch[i];
    if (!call.valid() || trace.stream_of(i) != stream) continue;
    const Nanos launched = trace.launches.start_ns[call];
    if (launched <= at && std::max(launched, trace.gpu.start_ns[i]) > at) ++count;
  }
  return count;
}

std::int64_t traffic(const Trace& trace, std::int64_t device, std::string_view label, Nanos at) {
  std::int64_t sum = 0;
  for (const GpuId i : IdRange<GpuId>(trace.gpu.size())) {
    if (trace.gpu.type[i] != KernelType::kMemory || trace.stream_of(i).device != device) continue;
    const auto bytes = analysis::bytes_moved(trace, i);
    if (!bytes || trace.gpu.dur_ns[i] == 0 || analysis::copy_label(trace.name(i)) != label) continue;
    if (trace.gpu.start_ns[i] <= at && trace.gpu.end_ns(i) > at) {
      sum += divide_half_even(Int128{*bytes} * kNanosPerSecond, trace.gpu.dur_ns[i]);
    }
  }
  return sum;
}

// The last value of each time: what holds from then on.
std::map<Nanos, std::int64_t> settled(const analysis::Series& points) {
  std::map<Nanos, std::int64_t> values;
  for (const SeriesPoint& point : points) values[point.time_ns] = point.value;
  return values;
}

}  // namespace

TEST_CASE("counters: queue lengths are those that a look at every instant finds; never negative, empty at the end") {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    CAPTURE(seed);
    const Trace trace = build_trace(random_events(seed, options_for(seed)));
    std::size_t points = 0;
    for (const analysis::QueueSeries& series : analysis::queue_lengths(trace)) {
      const analysis::Series all(series.begin(), series.end());
      points += all.size();
      for (const SeriesPoint& point : all) CHECK(point.value >= 0);
      CHECK(all.back().value == 0);
      for (const auto& [at, value] : settled(all)) CHECK(value == waiting(trace, series.stream(), at));
    }
    CHECK(points == 2 * trace.gpu_events_linked);
  }
}

TEST_CASE("counters: bandwidths are those that a look at every instant finds; never negative, exactly zero when idle") {
  for (std::uint64_t seed = 100; seed < 100 + kSeeds; ++seed) {
    CAPTURE(seed);
    auto events = random_events(seed, options_for(seed));
    Random random(seed);
    for (SketchEvent& event : events) {
      if (event.device >= 0 && random.chance(50)) {
        event.category = "gpu_memcpy";
        event.name = random.chance(50) ? "Memcpy HtoD (Pinned -> Device)" : "Memset (Device)";
        event.bytes = random.in(0, 100'000'000);
      }
    }
    const Trace trace = build_trace(events);
    const auto all = analysis::copy_bandwidths(trace);
    CHECK_FALSE(all.empty());
    for (const analysis::BandwidthSeries& series : all) {
      for (const SeriesPoint& point : series.points) CHECK(point.value >= 0);
      CHECK(series.points.back().value == 0);
      for (const auto& [at, value] : settled(series.points))
        CHECK(value == traffic(trace, series.device, series.label, at));
    }
  }
}

TEST_CASE("counters: other times and another order of the file change nothing") {
  for (std::uint64_t seed = 200; seed < 200 + kSeeds; ++seed) {
    CAPTURE(seed);
    const auto events = random_events(seed, options_for(seed));
    const auto expected = answer(analysis::kCounters, events);
    CHECK(answer(analysis::kCounters, shifted(events, 123'456'789)) == expected);
    CHECK(answer(analysis::kCounters, shuffled(events, seed)) == expected);
  }
}
