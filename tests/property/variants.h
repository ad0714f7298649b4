#pragma once
// Traces that must give the same answers.

#include "hta/base/text.h"

#include <algorithm>
#include <string>
#include <vector>

#include "support/random_trace.h"
#include "support/trace_sketch.h"

namespace hta::test {

constexpr std::uint64_t kSeeds = 40;

/// Random events with frames and regions around and across them, as stacks and annotations are in real traces, and with
/// GPU events that start together.
inline std::vector<SketchEvent> events_with_regions(std::uint64_t seed, const RandomTraceOptions& options) {
  static constexpr const char* kFrames[] = {"train.py(10): main", "torch/nn/modules/module.py(1): forward",
                                            "<built-in method poll>", "torch/utils/data/dataloader.py(7): __next__"};
  static constexpr const char* kRegions[] = {
      "## forward ##", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "Optimizer.step#Adam.step"};
  std::vector<SketchEvent> events = random_events(seed, options);
  Random random(seed + 1'000'003);
  const auto inside = [&] {
    return events[static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(events.size()) - 1))];
  };
  for (int i = 0; i < 12; ++i) {  // beside a GPU event another one that starts with it and that nobody launched
    SketchEvent twin = inside();
    if (twin.device < 0) continue;
    twin.tid = twin.stream = 7 + random.in(0, options.streams - 1);
    twin.correlation = 0;
    events.push_back(twin);
  }
  for (int i = 0; i < 12; ++i) {
    const SketchEvent near = inside();
    if (near.device >= 0) continue;
    const bool frame = random.chance(50);
    events.push_back({frame ? "python_function" : "user_annotation",
                      frame ? kFrames[random.in(0, 3)] : kRegions[random.in(0, 2)],
                      near.start_ns - random.in(0, 40'000), random.in(1, 120'000), near.pid, near.tid, -1, -1, 0, -1});
  }
  return events;
}

inline std::vector<SketchEvent> shifted(std::vector<SketchEvent> events, Nanos by_ns) {
  for (SketchEvent& event : events) event.start_ns += by_ns;
  return events;
}

inline std::vector<SketchEvent> shuffled(std::vector<SketchEvent> events, std::uint64_t seed) {
  Random random(seed);
  for (std::size_t i = events.size(); i > 1; --i) {
    std::swap(events[i - 1], events[static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(i) - 1))]);
  }
  return events;
}

/// Everything an analysis says about one trace, as text.
inline std::vector<std::string> answer(const analysis::AnalysisSpec& spec, const std::vector<SketchEvent>& events) {
  const Trace trace = build_trace(events);
  analysis::Options options = options_of(spec);
  options.all_tables = true;
  const Outcome outcome = run(spec, {&trace}, options);
  std::vector<std::string> out = outcome.document.heading;
  for (const result::Table& table : outcome.document.tables) {
    for (std::string& row : rows_of(outcome.document, table.name()))
      out.push_back(table.name() + ": " + std::move(row));
  }
  return out;
}

/// A time cell ("12.345") back in nanoseconds.
inline Nanos nanos_of(const std::string& cell) {
  std::string digits = cell;
  std::erase(digits, '.');
  return *parse_integer(digits);
}

}  // namespace hta::test
