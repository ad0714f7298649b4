#include "hta/analysis/patterns.h"

#include <map>
#include <tuple>

#include "variants.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;
using Rows = std::vector<std::string>;

namespace {

struct Totals {
  std::int64_t count = 0;
  Nanos gpu_ns = 0;
  Nanos cpu_ns = 0;
};

// Climbs from every launch to its outermost root.
Rows naive_patterns(const Trace& trace, const std::optional<std::string>& text, std::size_t min_length) {
  const auto is_root = [&](HostId row) {
    if (text) return trace.name(row).find(*text) != std::string_view::npos;
    return trace.category(trace.host.category[row]).kind == CategoryKind::kOperator;
  };
  std::map<HostId, std::vector<GpuId>> events;
  for (const GpuId event : IdRange<GpuId>(trace.gpu.size())) {
    if (!trace.gpu.launch[event].valid()) continue;
    HostId root;
    for (HostId row = trace.launches.host[trace.gpu.launch[event]]; row.valid(); row = trace.host.parent[row]) {
      if (is_root(row)) root = row;
    }
    if (root.valid()) events[root].push_back(event);
  }
  std::map<std::string, Totals> patterns;
  for (auto& [root, of] : events) {
    if (of.size() < min_length) continue;
    std::sort(of.begin(), of.end(), [&](GpuId a, GpuId b) {
      return std::pair(trace.gpu.start_ns[a], trace.gpu.position[a]) <
             std::pair(trace.gpu.start_ns[b], trace.gpu.position[b]);
    });
    std::string pattern(trace.name(root));
    Nanos gpu_ns = 0;
    for (const GpuId event : of) {
      pattern += "|" + std::string(trace.name(event));
      gpu_ns += trace.gpu.dur_ns[event];
    }
    Totals& totals = patterns[pattern];
    ++totals.count;
    totals.gpu_ns += gpu_ns;
    totals.cpu_ns += trace.host.dur_ns[root];
  }
  std::vector<std::pair<std::string, Totals>> ordered(patterns.begin(), patterns.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  Rows rows;
  for (const auto& [pattern, totals] : ordered) {
    rows.push_back(pattern + "|" + std::to_string(totals.count) + "|" + fixed_point(totals.gpu_ns, 3) + "|" +
                   fixed_point(totals.cpu_ns, 3));
  }
  return rows;
}

}  // namespace

TEST_CASE("patterns: they are those that climbing from every launch finds") {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    CAPTURE(seed);
    const Trace trace = build_trace(events_with_regions(seed, {}));
    for (const char* text : {"", "linear", "aten::", "cudaLaunch", "DataLoader"}) {
      CAPTURE(text);
      const std::string part(text);
      const Outcome outcome =
          part.empty() ? run(analysis::kPatterns, {&trace}, options_of(analysis::kPatterns, {{"min-length", "2"}}))
                       : run(analysis::kPatterns, {&trace},
                             options_of(analysis::kPatterns, {{"min-length", "2"}, {"operator", part}}));
      CHECK(rows_of(outcome.document, "patterns", {"pattern", "count", "gpu_us", "cpu_us"}) ==
            naive_patterns(trace, part.empty() ? std::nullopt : std::optional(part), 2));
    }
  }
}

TEST_CASE("patterns: other times and another order of the file change nothing") {
  RandomTraceOptions no_ties;
  no_ties.ties_percent = 0;
  for (std::uint64_t seed = 200; seed < 200 + kSeeds; ++seed) {
    CAPTURE(seed);
    const auto events = random_events(seed, no_ties);
    const auto expected = answer(analysis::kPatterns, events);
    CHECK(answer(analysis::kPatterns, shifted(events, 12'345)) == expected);
    CHECK(answer(analysis::kPatterns, shuffled(events, seed)) == expected);
  }
}
