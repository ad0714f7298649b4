#pragma once
// From the candidates of every event to the graph that can be run again.

#include "hta/analysis/replay.h"

#include "engine.h"
#include "window.h"

namespace hta::analysis::critical_path {

/// The graph of everything that the end of the window depends on. O(n log n), no recursion.
ReplayGraph make_graph(const Engine& engine, const Window& window, Until until);

/// Where the own work of a busy segment begins: behind its wait for the GPU, if it has one.
Nanos work_start(const Engine& engine, const Segment& segment);

}  // namespace hta::analysis::critical_path
