#include "hta/analysis/launch.h"

#include <map>
#include <tuple>

#include "variants.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;
using Rows = std::vector<std::string>;

namespace {

// Some calls again as driver calls, some kernels again on the same call, and a call that starts with another one.
std::vector<SketchEvent> entangled(std::uint64_t seed, const RandomTraceOptions& options) {
  std::vector<SketchEvent> events = events_with_regions(seed, options);
  Random random(seed);
  const std::size_t n = events.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (events[i].correlation == 0 || !random.chance(15)) continue;
    SketchEvent again = events[i];
    if (again.device < 0) again.category = "cuda_driver";
    if (again.device >= 0 || random.chance(50)) again.start_ns += random.in(0, 2) * 1'000;
    events.push_back(again);
  }
  return events;
}

// Pairs by trying every call for every event.
struct NaivePair {
  Nanos call_start;
  Nanos start;
  std::uint32_t position;
  LaunchId call;
  GpuId event;
  auto key() const { return std::tuple(call_start, start, position); }
};
std::vector<NaivePair> naive_pairs(const Trace& trace) {
  std::vector<NaivePair> pairs;
  for (const GpuId event : IdRange<GpuId>(trace.gpu.size())) {
    LaunchId best;
    const auto order = [&](LaunchId l) {
      return std::tuple(trace.launches.start_ns[l], -trace.launches.dur_ns[l], trace.launches.position[l]);
    };
    for (const LaunchId call : IdRange<LaunchId>(trace.launches.size())) {
      if (trace.gpu.correlation[event] < 1 || trace.launches.correlation[call] != trace.gpu.correlation[event])
        continue;
      if (!best.valid() || order(call) < order(best)) best = call;
    }
    if (best.valid())
      pairs.push_back(
          {trace.launches.start_ns[best], trace.gpu.start_ns[event], trace.gpu.position[event], best, event});
  }
  std::sort(pairs.begin(), pairs.end(), [](const NaivePair& a, const NaivePair& b) { return a.key() < b.key(); });
  return pairs;
}

std::string micros(Nanos ns) {
  return fixed_point(ns, 3);
}

}  // namespace

TEST_CASE("launch: pairs and their order are those that trying every call finds") {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    CAPTURE(seed);
    const Trace trace = build_trace(entangled(seed, {}));
    analysis::Options options = options_of(analysis::kLaunch);
    options.all_tables = true;
    const result::Document document = run(analysis::kLaunch, {&trace}, options).document;
    Rows expected;
    std::map<std::uint32_t, Nanos> calls;
    for (const NaivePair& pair : naive_pairs(trace)) {
      const Nanos delay = std::max<Nanos>(0, pair.start - trace.launches.end_ns(pair.call));
      expected.push_back(std::string(trace.name(pair.event)) + "|" + micros(trace.launches.dur_ns[pair.call]) + "|" +
                         micros(trace.gpu.dur_ns[pair.event]) + "|" + micros(delay));
      calls[pair.call.value()] = trace.launches.dur_ns[pair.call];
    }
    CHECK(rows_of(document, "launches", {"kernel_name", "cpu_duration_us", "gpu_duration_us", "launch_delay_us"}) ==
          expected);
    Nanos launch_ns = 0;
    for (const auto& [call, ns] : calls) launch_ns += ns;
    CHECK(rows_of(document, "launch_summary", {"launches", "pairs", "launch_us"}) ==
          Rows{std::to_string(calls.size()) + "|" + std::to_string(expected.size()) + "|" + micros(launch_ns)});
    std::map<std::string, std::int64_t> counted;
    const result::Table& histograms = *document.find_table("histograms");
    for (std::size_t r = 0; r < histograms.rows(); ++r)
      counted[std::string(histograms.text(r, 1))] += histograms.number(r, 4);
    for (const auto& [measure, n] : counted) CHECK(n == static_cast<std::int64_t>(expected.size()));
  }
}

TEST_CASE("launch: operator sequences are those that climbing from every call finds") {
  for (std::uint64_t seed = 100; seed < 100 + kSeeds; ++seed) {
    CAPTURE(seed);
    const Trace trace = build_trace(entangled(seed, {}));
    std::map<HostId, std::vector<std::string>> kernels;
    for (const NaivePair& pair : naive_pairs(trace)) {
      HostId op = trace.host.parent[trace.launches.host[pair.call]];
      while (op.valid() && !trace.name(op).starts_with("aten::")) op = trace.host.parent[op];
      if (op.valid()) kernels[op].emplace_back(trace.name(pair.event));
    }
    std::map<std::pair<std::string, std::string>, std::int64_t> counts;
    for (const auto& [op, names] : kernels) {
      std::string sequence = names.front();
      for (std::size_t i = 1; i < names.size(); ++i) sequence += " -> " + names[i];
      ++counts[{std::string(trace.name(op)), sequence}];
    }
    std::vector<std::pair<std::int64_t, std::string>> ordered;
    for (const auto& [key, count] : counts)
      ordered.emplace_back(count, key.first + "|" + key.second + "|" + std::to_string(count));
    std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    Rows expected;
    for (const auto& [count, row] : ordered) expected.push_back(row);
    CHECK(rows_of(run(analysis::kLaunch, {&trace}, options_of(analysis::kLaunch)).document, "op_sequences",
                  {"op_name", "kernel_sequence", "count"}) == expected);
  }
}

TEST_CASE("launch: other times and another order of the file change nothing") {
  RandomTraceOptions no_ties;
  no_ties.ties_percent = 0;
  for (std::uint64_t seed = 200; seed < 200 + kSeeds; ++seed) {
    CAPTURE(seed);
    const auto events = random_events(seed, no_ties);
    const auto expected = answer(analysis::kLaunch, events);
    CHECK(answer(analysis::kLaunch, shifted(events, 5)) == expected);
    CHECK(answer(analysis::kLaunch, shuffled(events, seed)) == expected);
  }
}
