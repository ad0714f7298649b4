// One rank's window, replayed under every scenario.

#include "hta/analysis/whatif.h"

#include <algorithm>

#include "../critical_path/graph.h"
#include "../critical_path/path.h"
#include "scenario.h"

namespace hta::analysis::whatif {
namespace {

using critical_path::Bound;
using critical_path::Link;
using critical_path::Piece;

// GPU time that is on the path only because a wait was inferred: from where the walk took the inferred step back to
// where it came to the host, which it would have come to in any case.
Nanos inferred_time(const std::vector<Piece>& pieces) {
  Nanos sum_ns = 0;
  bool inferred = false;
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
    const bool on_gpu = piece->gpu.valid();
    if (!on_gpu) inferred = false;
    if (on_gpu && piece->link == Link::kInferred) inferred = true;
    if (inferred && piece->bound != Bound::kUnexplained) sum_ns += piece->length_ns();
    if (piece->link == Link::kLaunch) inferred = false;
  }
  return sum_ns;
}

}  // namespace

Partial map(const Trace& trace, const Options& options) {
  Partial out;
  const auto found = critical_path::RankPath::find(trace, options);
  if (!found) {
    out.error = found.error();
    return out;
  }
  const critical_path::RankPath& path = **found;
  out.window = path.window().label;
  out.measured_ns = path.window().time.length();
  for (const Piece& piece : path.pieces()) {
    if (piece.bound == Bound::kUnexplained) out.unexplained_ns += piece.length_ns();
  }
  out.inferred_ns = inferred_time(path.pieces());
  const critical_path::ReplayGraph graph = make_graph(path.engine(), path.window(), critical_path::Until::kIdle);
  out.dropped_edges = graph.dropped_edges;
  out.outcomes.push_back({"unchanged", Method::kMeasured, replayed_window(graph, critical_path::Changes(graph))});
  const std::vector<Scenario> scenarios = scenarios_of(options).value();
  for (const Scenario& scenario : scenarios) {
    out.outcomes.push_back({scenario.name, scenario.method, replayed_window(graph, changes_of(path, graph, scenario))});
  }
  if (!names_scenarios(options)) {  // nobody asked in an order
    std::stable_sort(out.outcomes.begin() + 1, out.outcomes.end(),
                     [](const Outcome& a, const Outcome& b) { return a.predicted_ns < b.predicted_ns; });
  }
  return out;
}

}  // namespace hta::analysis::whatif
