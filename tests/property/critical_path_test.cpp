// Whatever the trace: the path explains the window, and its graph runs again to the nanosecond.

#include "hta/analysis/critical_path.h"

#include "hta/analysis/replay.h"

#include <algorithm>
#include <set>

#include "support/random_trace.h"
#include "support/trace_sketch.h"
#include <catch2/catch.hpp>

namespace hta {
namespace {

namespace cp = analysis::critical_path;
using analysis::Options;
using cp::Bound;

constexpr std::uint64_t kSeeds = 120;

/// A wait of one stream for another, as the profiler records it: two calls and a record.
struct StreamWait {
  Nanos record_ns = 0;
  Nanos wait_ns = 0;
  std::int64_t device = 0;
  std::int64_t from_stream = 0;
  std::int64_t to_stream = 0;
};

struct Recording {
  std::vector<test::SketchEvent> events;
  std::vector<StreamWait> waits;
};

// Every shape in turn: one or two devices, helpers, no steps, no GPU, overlapping kernels, clocks that disagree, waits.
Recording recording_of(std::uint64_t seed) {
  test::Random random(seed * 7919);
  test::RandomTraceOptions options;
  options.steps = seed % 5 == 0 ? 0 : 3;
  options.devices = seed % 3 == 0 ? 2 : 1;
  options.helper_threads = static_cast<int>(seed % 3);
  options.overlap_percent = seed % 4 == 0 ? 30 : 0;
  options.unlinked_percent = seed % 6 == 0 ? 20 : 0;
  Recording out{test::random_events(seed, options), {}};
  if (seed % 11 == 0) std::erase_if(out.events, [](const test::SketchEvent& e) { return e.device >= 0; });
  const Nanos jitter_ns = seed % 4 == 1 ? random.in(-9'000, 9'000) : 0;
  std::vector<Nanos> launches;
  for (test::SketchEvent& event : out.events) {
    if (event.device >= 0) event.start_ns += jitter_ns;
    if (event.name == "cudaLaunchKernel") launches.push_back(event.start_ns);
  }
  if (seed % 2 == 0) {
    for (std::size_t i = 4; i < launches.size(); i += 5) {
      out.waits.push_back({launches[i - 1] + 1, launches[i] - 1, 0, random.in(7, 9), random.in(7, 9)});
    }
  }
  return out;
}

Trace build(const Recording& recording) {
  test::TraceSketch sketch;
  for (const test::SketchEvent& e : recording.events) {
    if (e.device < 0) {
      sketch.event(e.category, e.name, e.start_ns, e.dur_ns, e.pid, e.tid, {{ArgKey::kCorrelation, e.correlation, {}}});
    } else {
      sketch.event(e.category, e.name, e.start_ns, e.dur_ns, e.pid, e.tid,
                   {{ArgKey::kDevice, e.device, {}},
                    {ArgKey::kStream, e.stream, {}},
                    {ArgKey::kCorrelation, e.correlation, {}}});
    }
  }
  std::int64_t correlation = 5'000'000;
  for (const StreamWait& wait : recording.waits) {
    const std::int64_t record = ++correlation;
    const std::int64_t call = ++correlation;
    sketch.event("cuda_runtime", "cudaEventRecord", wait.record_ns, 0, 100, 100, {{ArgKey::kCorrelation, record, {}}});
    sketch.event("cuda_runtime", "cudaStreamWaitEvent", wait.wait_ns, 0, 100, 100, {{ArgKey::kCorrelation, call, {}}});
    sketch.event("cuda_sync", "Stream Wait Event", wait.wait_ns, 1, wait.device, wait.to_stream,
                 {{ArgKey::kDevice, wait.device, {}},
                  {ArgKey::kStream, wait.to_stream, {}},
                  {ArgKey::kCorrelation, call, {}},
                  {ArgKey::kWaitOnStream, wait.from_stream, {}},
                  {ArgKey::kWaitOnEventRecordCorrelation, record, {}}});
  }
  return sketch.build();
}

using Values = std::initializer_list<std::pair<std::string_view, std::string_view>>;
Options options_of(Values values) {
  Options options = test::options_of(analysis::kCriticalPath, values);
  options.tables = {"critical_path"};
  return options;
}

// The windows that are tried on every trace.
const std::vector<Options>& windows() {
  static const std::vector<Options> kWindows{options_of({}), options_of({{"trace", ""}}), options_of({{"step", "4-5"}}),
                                             options_of({{"time", "100:700"}}), options_of({{"no-infer", ""}})};
  return kWindows;
}

bool is_gap(const cp::PathRow& row) {
  return row.bound == Bound::kLaunchOverhead || row.bound == Bound::kKernelGap || row.bound == Bound::kStreamWait ||
         row.bound == Bound::kUnexplained;
}

void check_tiling(const cp::Partial& path) {
  Nanos at_ns = path.time.begin;
  for (const cp::PathRow& row : path.path) {
    CHECK(row.time.begin == at_ns);
    CHECK(row.time.end > row.time.begin);
    at_ns = row.time.end;
    if (!row.event) continue;
    if (is_gap(row)) {
      CHECK(row.time.end <= row.event_time.begin);
    } else {
      CHECK(row.event_time.begin <= row.time.begin);
      CHECK(row.time.end <= row.event_time.end);
    }
  }
  CHECK(at_ns == path.time.end);
  Nanos sum_ns = 0;
  for (const cp::BoundTime& bound : path.bounds) sum_ns += bound.time_ns;
  CHECK(sum_ns == path.time.length());
  Nanos event_sum_ns = 0;
  for (const cp::EventTime& event : path.event_times) event_sum_ns += event.time_ns;
  CHECK(event_sum_ns == sum_ns);
}

std::vector<std::string> words_of(const cp::Partial& path, Nanos shift_ns) {
  std::vector<std::string> words;
  for (const cp::PathRow& row : path.path) {
    words.push_back(std::string(row.event.value_or(SharedText("-"))) + " " + std::to_string(row.time.begin - shift_ns) +
                    " " + std::to_string(row.time.length()) + " " + std::string(cp::bound_name(row.bound)) + " " +
                    std::string(cp::link_name(row.link)) + " " + row.track);
  }
  return words;
}

}  // namespace

TEST_CASE("critical path: pieces tile the window, and the parts sum to it") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Trace trace = build(recording_of(seed));
    for (const Options& options : windows()) {
      const cp::Partial path = cp::map(trace, options);
      INFO("seed " << seed << ", window " << path.window);
      if (!path.error) check_tiling(path);
    }
  }
}

TEST_CASE("critical path: a trace with work that takes time has a path") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    CHECK_FALSE(cp::map(build(recording_of(seed)), options_of({{"trace", ""}})).error);
  }
}

TEST_CASE("critical path: shifting all times shifts the path and changes nothing else") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Recording recording = recording_of(seed);
    const cp::Partial before = cp::map(build(recording), options_of({}));
    constexpr Nanos kShift = 987'654'321'012'345;
    for (test::SketchEvent& event : recording.events) event.start_ns += kShift;
    for (StreamWait& wait : recording.waits) {
      wait.record_ns += kShift;
      wait.wait_ns += kShift;
    }
    INFO("seed " << seed);
    CHECK(words_of(cp::map(build(recording), options_of({})), kShift) == words_of(before, 0));
  }
}

TEST_CASE("critical path: the order of the file changes nothing, but for events of equal times") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Recording recording = recording_of(seed);
    std::set<std::pair<Nanos, Nanos>> times;
    std::erase_if(recording.events,
                  [&](const test::SketchEvent& e) { return !times.emplace(e.start_ns, e.dur_ns).second; });
    const cp::Partial before = cp::map(build(recording), options_of({}));
    test::Random random(seed);
    for (std::size_t i = recording.events.size(); i > 1; --i) {
      std::swap(recording.events[i - 1],
                recording.events[static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(i) - 1))]);
    }
    INFO("seed " << seed);
    CHECK(words_of(cp::map(build(recording), options_of({})), 0) == words_of(before, 0));
  }
}

TEST_CASE("replay: with nothing changed every start comes back to the nanosecond") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Trace trace = build(recording_of(seed));
    for (const Options& options : windows()) {
      for (const cp::Until until : {cp::Until::kPath, cp::Until::kIdle}) {
        const auto graph = cp::replay_graph(trace, options, until);
        if (!graph) continue;
        INFO("seed " << seed);
        const std::vector<Nanos> starts = cp::replay(*graph, cp::Changes(*graph));
        for (std::size_t v = 0; v < starts.size(); ++v) REQUIRE(starts[v] == graph->vertices[v].start_ns);
        CHECK(cp::replayed_window(*graph, cp::Changes(*graph)) == graph->window.length());
      }
    }
  }
}

TEST_CASE("replay: halving anything never lengthens the window") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto graph = cp::replay_graph(build(recording_of(seed)), options_of({{"trace", ""}}), cp::Until::kIdle);
    REQUIRE(graph.ok());
    INFO("seed " << seed);
    std::size_t shorter = 0;
    for (std::size_t v = 0; v + 1 < graph->vertices.size(); ++v) {
      cp::Changes changes(*graph);
      changes.dur_ns[v] /= 2;
      const Nanos window_ns = cp::replayed_window(*graph, changes);
      REQUIRE(window_ns <= graph->window.length());
      if (window_ns < graph->window.length()) ++shorter;
    }
    CHECK(shorter > 0);  // something bounds it
  }
}

TEST_CASE("replay: an event that grows by no more than its slack changes nothing, by one more it moves the end") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto graph = cp::replay_graph(build(recording_of(seed)), options_of({{"trace", ""}}), cp::Until::kPath);
    REQUIRE(graph.ok());
    INFO("seed " << seed);
    const std::vector<Nanos> slack = cp::slack_of(*graph);
    for (std::size_t v = 0; v + 1 < graph->vertices.size(); ++v) {
      cp::Changes changes(*graph);
      changes.dur_ns[v] += slack[v];
      REQUIRE(cp::replayed_window(*graph, changes) == graph->window.length());
      changes.dur_ns[v] += 1;
      REQUIRE(cp::replayed_window(*graph, changes) == graph->window.length() + 1);
    }
  }
}

TEST_CASE("replay: hidden work that takes no time is as good as no work") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto graph = cp::replay_graph(build(recording_of(seed)), options_of({{"trace", ""}}), cp::Until::kIdle);
    REQUIRE(graph.ok());
    cp::Changes none(*graph);
    cp::Changes hidden(*graph);
    hidden.hidden.resize(graph->vertices.size());
    for (std::size_t v = 0; v + 1 < graph->vertices.size(); ++v) {
      if (!graph->vertices[v].gpu.valid() || v % 3 != 0) continue;
      none.dur_ns[v] = 0;
      hidden.hidden[v] = true;
    }
    INFO("seed " << seed);
    CHECK(cp::replayed_window(*graph, hidden) >= cp::replayed_window(*graph, none));
    CHECK(cp::replayed_window(*graph, hidden) <= graph->window.length());
  }
}

}  // namespace hta
