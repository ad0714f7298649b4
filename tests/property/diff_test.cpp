#include "hta/analysis/diff.h"

#include "hta/analysis/diff/comparison.h"

#include <algorithm>
#include <numeric>

#include "support/compare_runs.h"
#include "support/random_trace.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;
using namespace hta::analysis::diff;

namespace {

constexpr std::uint64_t kSeeds = 40;

Trace random_trace(std::uint64_t seed) {
  RandomTraceOptions options;
  options.steps = static_cast<int>(seed % 7);  // none, or up to six
  options.devices = 1 + static_cast<int>(seed % 2);
  return build_trace(random_events(seed, options));
}

// Sides with steps are compared with sides that have them: seeds of one class modulo 7.
Comparison comparison_of(const Trace& base, const Trace& test) {
  const auto options = options_of(analysis::kDiff);
  auto partials = map_both({&base}, {&test}, options);
  auto ranks = analysis::typed_partials<Partial>(partials);
  result::Document document;
  const auto both = profile_both(ranks, options, document);
  REQUIRE(both.ok());
  return compare(both->base, both->test, compare_options(options));
}

std::string_view opposite(ChangeClass change) {
  switch (change) {
    case ChangeClass::kAdded: return "removed";
    case ChangeClass::kRemoved: return "added";
    case ChangeClass::kMore: return "fewer";
    case ChangeClass::kFewer: return "more";
    case ChangeClass::kSlower: return "faster";
    case ChangeClass::kFaster: return "slower";
    case ChangeClass::kUnchanged: break;
  }
  return "unchanged";
}

bool mirrored(Pair a, Pair b) {
  return a.base == b.test && a.test == b.base;
}

}  // namespace

TEST_CASE("property: swapping the sides of a diff negates it") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    INFO("seed " << seed);
    const Trace a = random_trace(seed);
    const Trace b = random_trace(seed + 700);
    const Comparison there = comparison_of(a, b);
    const Comparison back = comparison_of(b, a);
    REQUIRE(there.kernels.size() == back.kernels.size());
    for (std::size_t i = 0; i < there.kernels.size(); ++i) {
      CHECK(there.kernels[i].name == back.kernels[i].name);
      CHECK(mirrored(there.kernels[i].count, back.kernels[i].count));
      CHECK(mirrored(there.kernels[i].time_ns, back.kernels[i].time_ns));
      CHECK(change_class_name(there.kernels[i].change) == opposite(back.kernels[i].change));
    }
    REQUIRE(there.ops.size() == back.ops.size());
    for (std::size_t i = 0; i < there.ops.size(); ++i) {
      CHECK(mirrored(there.ops[i].time_ns, back.ops[i].time_ns));
      CHECK(mirrored(there.ops[i].self_ns, back.ops[i].self_ns));
      CHECK(mirrored(there.ops[i].gpu_ns, back.ops[i].gpu_ns));
      CHECK(change_class_name(there.ops[i].change) == opposite(back.ops[i].change));
    }
    REQUIRE(there.owned.size() == back.owned.size());
    for (std::size_t i = 0; i < there.owned.size(); ++i) CHECK(mirrored(there.owned[i].time_ns, back.owned[i].time_ns));
    for (std::size_t m = 0; m < kMetrics; ++m) {
      CHECK(mirrored(there.metrics[m].time_ns, back.metrics[m].time_ns));
      CHECK(there.metrics[m].noise.p_value == back.metrics[m].noise.p_value);
    }
  }
}

TEST_CASE("property: a run compared with itself shows no change") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    INFO("seed " << seed);
    const Trace trace = random_trace(seed);
    const Comparison same = comparison_of(trace, trace);
    for (const KernelRow& row : same.kernels) {
      CHECK(row.time_ns.change() == 0);
      CHECK(row.change == ChangeClass::kUnchanged);
    }
    for (const OpRow& row : same.ops)
      CHECK((row.time_ns.change() == 0 && row.self_ns.change() == 0 && row.gpu_ns.change() == 0));
    for (const MetricRow& row : same.metrics) {
      CHECK(row.time_ns.change() == 0);
      CHECK((row.noise.verdict == Verdict::kUnchanged || row.noise.verdict == Verdict::kInsufficient));
    }
  }
}

TEST_CASE("property: the waterfall adds up to the step time, and kernels to their component") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    INFO("seed " << seed);
    const Comparison comparison = comparison_of(random_trace(seed), random_trace(seed + 700));
    Pair sum;
    for (std::size_t m = 1; m < kWaterfallMetrics; ++m) {
      sum.base += comparison.metrics[m].time_ns.base;
      sum.test += comparison.metrics[m].time_ns.test;
    }
    const Pair step = comparison[Metric::kStepTime].time_ns;
    CHECK(sum.base == step.base);
    CHECK(sum.test == step.test);
    CHECK(sum.change() == step.change());
    for (std::size_t c = 0; c < kBusyComponents; ++c) {
      Pair owned;
      for (const OwnedRow& row : comparison.owned) {
        if (static_cast<std::size_t>(row.component) != c) continue;
        owned.base += row.time_ns.base;
        owned.test += row.time_ns.test;
      }
      CHECK(owned.base == comparison.metrics[c + 1].time_ns.base);
      CHECK(owned.test == comparison.metrics[c + 1].time_ns.test);
    }
  }
}

TEST_CASE("property: neither the order of records in the file nor a shift of all times changes a diff") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    INFO("seed " << seed);
    RandomTraceOptions options;
    options.ties_percent = 0;  // exact ties are broken by position
    std::vector<SketchEvent> events = random_events(seed, options);
    const Trace original = build_trace(events);
    Random random(seed);
    for (std::size_t i = events.size(); i > 1; --i)
      std::swap(events[i - 1], events[static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(i) - 1))]);
    for (SketchEvent& event : events) event.start_ns += 123'456'789;
    const Trace shuffled = build_trace(events);
    const Outcome a = compare_runs(original, shuffled);
    REQUIRE(a.status.ok());
    for (const std::string_view table : {"kernels", "ops", "waterfall_kernels"}) {
      const std::vector<std::string> changes = rows_of(a.document, table, {"change_us"});
      CHECK(std::all_of(changes.begin(), changes.end(), [](const std::string& text) { return text == "0.000"; }));
    }
    const auto steps = rows_of(a.document, "steps");
    REQUIRE(steps.size() % 2 == 0);
    for (std::size_t i = 0; i < steps.size() / 2; ++i)
      CHECK(steps[i].substr(4) == steps[steps.size() / 2 + i].substr(4));
  }
}

TEST_CASE("property: the order of ranks changes nothing") {
  const Trace a = random_trace(10);
  const Trace b = random_trace(17);
  const Trace c = random_trace(24);
  const auto options = options_of(analysis::kDiff);
  const Outcome there = compare_runs({&a, &b}, {&c}, options);
  const Outcome back = compare_runs({&b, &a}, {&c}, options);
  for (const std::string_view table : {"kernels", "ops", "waterfall", "waterfall_kernels", "metrics"}) {
    CHECK(rows_of(there.document, table) == rows_of(back.document, table));
  }
}
