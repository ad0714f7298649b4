#include "scenario.h"

#include "hta/base/exact.h"
#include "hta/base/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace hta::analysis::whatif {
namespace {

using critical_path::Bound;
using critical_path::Changes;
using critical_path::Engine;
using critical_path::Link;
using critical_path::RankPath;
using critical_path::ReplayGraph;
using critical_path::Segment;

constexpr std::int64_t kOne = 1'000'000;
constexpr std::int64_t kLargestFactor = 1000 * kOne;
constexpr std::array<std::string_view, 9> kTargets{"kernel", "compute", "comm",   "copies", "op",
                                                   "call",   "launch",  "python", "loading"};

Error usage(std::string message) {
  return {ErrorCode::kUsage, "", std::move(message), {}};
}

Error bad_scale(std::string_view text, std::string_view why) {
  return usage("--scale: '" + std::string(text) + "': " + std::string(why));
}

Scenario scaled(std::string_view text) {
  Scenario scenario;
  scenario.name = "--scale " + std::string(text);
  scenario.scalings.push_back(Scaling::parse(text).value());
  return scenario;
}

Scenario without_launch_overhead() {
  Scenario scenario = scaled("launch=0");
  scenario.name = "--no-launch-overhead";
  return scenario;
}

Scenario without_sync() {
  Scenario scenario;
  scenario.name = "--no-sync";
  scenario.method = Method::kBound;
  scenario.host_never_waits = true;
  return scenario;
}

Scenario with_perfect_overlap() {
  Scenario scenario;
  scenario.name = "--perfect-overlap";
  scenario.method = Method::kBound;
  scenario.communication_hidden = true;
  return scenario;
}

std::vector<Scenario> usual_scenarios() {
  std::vector<Scenario> usual{without_launch_overhead(), without_sync(), with_perfect_overlap()};
  for (const char* text : {"compute=0.5", "comm=0.5", "copies=0.5", "op=0.5", "python=0.5", "loading=0"}) {
    usual.push_back(scaled(text));
  }
  return usual;
}

// Replaces lengths of one graph.
class Applier {
 public:
  Applier(const RankPath& path, const ReplayGraph& graph)
      : path_(path), engine_(path.engine()), graph_(graph), changes_(graph) {}

  void apply(const Scenario& scenario) {
    for (const Scaling& scaling : scenario.scalings) {
      for (std::size_t v = 0; v < graph_.vertices.size(); ++v) {
        if (matches(scaling, v))
          scale(changes_.dur_ns[v], graph_.vertices[v].start_ns, graph_.vertices[v].dur_ns, scaling);
        scale_gap(scaling, v);
      }
    }
    if (scenario.host_never_waits) {
      changes_.host_waits = Changes::Waits::kDropped;
      for (std::size_t v = 0; v < graph_.vertices.size(); ++v) {
        const Segment* segment = segment_of(v);
        if (segment != nullptr && bound_of(engine_, *segment) == Bound::kSyncWait) changes_.dur_ns[v] = past(v);
      }
    }
    if (scenario.communication_hidden) {
      changes_.hidden.resize(graph_.vertices.size());
      for (std::size_t v = 0; v < graph_.vertices.size(); ++v) {
        const GpuId g = graph_.vertices[v].gpu;
        changes_.hidden[v] = g.valid() && engine_.trace().gpu.type[g] == KernelType::kCommunication;
      }
    }
  }
  Changes take() { return std::move(changes_); }

 private:
  Nanos past(std::size_t v) const {
    const ReplayGraph::Vertex& vertex = graph_.vertices[v];
    return std::clamp<Nanos>(graph_.window.begin - vertex.start_ns, 0, vertex.dur_ns);
  }
  // The part of [start, start + measured) that lies in the window is scaled; `length` may have been scaled before.
  void scale(Nanos& length, Nanos start_ns, Nanos measured_ns, const Scaling& scaling) const {
    const Nanos past_ns = std::clamp<Nanos>(graph_.window.begin - start_ns, 0, measured_ns);
    length = past_ns + divide_half_even(Int128{length - past_ns} * scaling.factor_millionths, kOne);
  }

  const Segment* segment_of(std::size_t v) const {
    const ReplayGraph::Vertex& vertex = graph_.vertices[v];
    if (!vertex.host.valid()) return nullptr;
    return engine_.host().before(engine_.host().lane_of(engine_.trace().host.thread[vertex.host]), vertex.end_ns());
  }
  bool launches(const Segment& segment) const {
    const LaunchId call = engine_.host().launch_of(segment.event);
    return call.valid() && !engine_.trace().launches.gpu_events(call).empty() &&
           bound_of(engine_, segment) != Bound::kSyncWait;
  }

  bool matches(const Scaling& scaling, std::size_t v) const {
    const ReplayGraph::Vertex& vertex = graph_.vertices[v];
    const Trace& trace = engine_.trace();
    if (vertex.gpu.valid()) {
      const KernelType type = trace.gpu.type[vertex.gpu];
      const bool wanted = scaling.target == Target::kKernel ||
                          (scaling.target == Target::kCompute && type == KernelType::kComputation) ||
                          (scaling.target == Target::kComm && type == KernelType::kCommunication) ||
                          (scaling.target == Target::kCopies && type == KernelType::kMemory);
      return wanted && matches_name(scaling, trace.name(vertex.gpu));
    }
    const Segment* segment = segment_of(v);
    if (segment == nullptr) return false;
    const bool call = engine_.host().launch_of(segment->event).valid();
    switch (scaling.target) {
      case Target::kOp: return !call && matches_name(scaling, trace.name(vertex.host));
      case Target::kCall: return call && matches_name(scaling, trace.name(vertex.host));
      case Target::kLaunch: return launches(*segment);
      case Target::kLoading: return segment->loading;
      default: return false;
    }
  }
  static bool matches_name(const Scaling& scaling, std::string_view name) {
    return !scaling.name || std::regex_search(name.begin(), name.end(), *scaling.name);
  }

  void scale_gap(const Scaling& scaling, std::size_t v) {
    const ReplayGraph::Vertex& vertex = graph_.vertices[v];
    if (vertex.gap_ns() == 0) return;
    Nanos& gap_ns = changes_.gap_ns[v];
    const bool lull = !vertex.gpu.valid() && (vertex.bound_by == Link::kProgram || vertex.bound_by == Link::kThread);
    if (scaling.target == Target::kLaunch && vertex.gpu.valid() && vertex.bound_by == Link::kLaunch) {
      scale(gap_ns, vertex.bound_ns, vertex.gap_ns(), scaling);
    } else if (lull && (scaling.target == Target::kPython || scaling.target == Target::kLoading)) {
      const Nanos loading_ns = loading_in_gap(v);
      const Nanos part_ns = scaling.target == Target::kLoading ? loading_ns : in_window(v) - loading_ns;
      gap_ns -= part_ns - divide_half_even(Int128{part_ns} * scaling.factor_millionths, kOne);
    }
  }
  Nanos in_window(std::size_t v) const {
    const ReplayGraph::Vertex& vertex = graph_.vertices[v];
    return vertex.start_ns - std::clamp(graph_.window.begin, vertex.bound_ns, vertex.start_ns);
  }
  // Data loading among the frames of the lull in front of a vertex, as far as it lies in the window.
  Nanos loading_in_gap(std::size_t v) const {
    const ReplayGraph::Vertex& vertex = graph_.vertices[v];
    const ThreadId thread = vertex.host.valid() ? engine_.trace().host.thread[vertex.host] : path_.window().last_thread;
    const LaneId lane = engine_.host().lane_of(thread);
    if (!lane.valid()) return 0;
    const Nanos from_ns = vertex.start_ns - in_window(v);
    Nanos loading_ns = 0;
    for (Nanos c = vertex.start_ns; c > from_ns;) {
      const Segment* segment = engine_.host().before(lane, c);
      const Nanos begin_ns =
          std::max(segment != nullptr ? segment->begin_ns : engine_.host().recorded_until(lane, c), from_ns);
      if (segment != nullptr && segment->loading) loading_ns += c - begin_ns;
      c = begin_ns;
    }
    return loading_ns;
  }

  using LaneId = critical_path::LaneId;
  const RankPath& path_;
  const Engine& engine_;
  const ReplayGraph& graph_;
  Changes changes_;
};

}  // namespace

Result<Scaling> Scaling::parse(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos) return bad_scale(text, "write CLASS=FACTOR or CLASS:REGEX=FACTOR");
  Options number;
  const OptionSpec spec{"scale", OptionKind::kDecimal, "", "", "", ""};
  Scaling scaling;
  if (!number.set(spec, text.substr(equals + 1))) return bad_scale(text, "the factor is no decimal number");
  scaling.factor_millionths = number.integer("scale");
  if (scaling.factor_millionths < 0 || scaling.factor_millionths > kLargestFactor)
    return bad_scale(text, "the factor must be from 0 to 1000");
  const std::string_view what = text.substr(0, equals);
  const std::size_t colon = what.find(':');
  const auto target = std::find(kTargets.begin(), kTargets.end(), what.substr(0, colon));
  if (target == kTargets.end()) {
    std::string known;
    for (const std::string_view name : kTargets) known += (known.empty() ? "" : ", ") + std::string(name);
    return bad_scale(text, "no such class; there are " + known);
  }
  scaling.target = static_cast<Target>(target - kTargets.begin());
  if (colon == std::string_view::npos) return scaling;
  if (scaling.target >= Target::kLaunch) return bad_scale(text, std::string(*target) + " takes no names");
  try {
    scaling.name.emplace(std::string(what.substr(colon + 1)), std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& e) {
    return bad_scale(text, "no regular expression: " + std::string(e.what()));
  }
  return scaling;
}

bool names_scenarios(const Options& options) {
  return !options.texts("scale").empty() || options.flag("no-launch-overhead") || options.flag("no-sync") ||
         options.flag("perfect-overlap");
}

Result<std::vector<Scenario>> scenarios_of(const Options& options) {
  if (!names_scenarios(options)) return usual_scenarios();
  std::vector<Scenario> scenarios;
  for (const std::string& text : options.texts("scale")) {
    if (const auto scaling = Scaling::parse(text); !scaling) return scaling.error();
    scenarios.push_back(scaled(text));
  }
  if (options.flag("no-launch-overhead")) scenarios.push_back(without_launch_overhead());
  if (options.flag("no-sync")) scenarios.push_back(without_sync());
  if (options.flag("perfect-overlap")) scenarios.push_back(with_perfect_overlap());
  if (scenarios.size() < 2) return scenarios;
  Scenario all;
  all.name = "all together";
  for (const Scenario& each : scenarios) {
    if (each.method == Method::kBound) all.method = Method::kBound;
    all.scalings.insert(all.scalings.end(), each.scalings.begin(), each.scalings.end());
    all.host_never_waits |= each.host_never_waits;
    all.communication_hidden |= each.communication_hidden;
  }
  scenarios.push_back(std::move(all));
  return scenarios;
}

Changes changes_of(const RankPath& path, const ReplayGraph& graph, const Scenario& scenario) {
  Applier applier(path, graph);
  applier.apply(scenario);
  return applier.take();
}

}  // namespace hta::analysis::whatif
