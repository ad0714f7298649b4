#include "window.h"

#include "hta/base/text.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace hta::analysis::critical_path {
namespace {

constexpr std::size_t kNamesSuggested = 5;

Error usage(std::string message) {
  return {ErrorCode::kUsage, "", std::move(message), {}};
}
Error insufficient(std::string message) {
  return {ErrorCode::kInsufficient, "", std::move(message), {}};
}

bool parse_steps(std::string_view text, std::int64_t& first, std::int64_t& last) {
  const std::size_t dash = text.find('-');
  const auto low = parse_integer(text.substr(0, dash));
  const auto high = dash == std::string_view::npos ? low : parse_integer(text.substr(dash + 1));
  if (!low || !high || *low < 0 || *high < *low) return false;
  first = *low;
  last = *high;
  return true;
}

bool parse_time(std::string_view text, Nanos& into) {
  Options values;
  const OptionSpec spec{"time", OptionKind::kTime, "", "", "", ""};
  if (!values.set(spec, text)) return false;
  into = values.time_ns("time");
  return true;
}

// The thread of the event of this step that ends last.
ThreadId thread_of(const Trace& trace, const Step& step) {
  ThreadId thread;
  Nanos end_ns = INT64_MIN;
  for (const StepEvent& event : trace.step_events) {
    if (event.number != step.number || event.end_ns < end_ns) continue;
    thread = event.thread;
    end_ns = event.end_ns;
  }
  return thread;
}

// Steps first..last in order of (start, number) as one window.
Window step_window(const Trace& trace, const std::vector<Nanos>& completions, std::size_t first, std::size_t last) {
  Window window;
  std::size_t last_to_end = first;
  window.time.end = completions[first];
  for (std::size_t i = first; i <= last; ++i) {
    window.time.end = std::max(window.time.end, completions[i]);
    if (trace.steps[i].end_ns >= trace.steps[last_to_end].end_ns) last_to_end = i;
  }
  window.time.begin = trace.steps[first].start_ns;
  if (first > 0 && completions[first - 1] > window.time.begin && completions[first - 1] < window.time.end) {
    window.time.begin = completions[first - 1];
  }
  window.done_ns = window.time.end;
  window.chosen = thread_of(trace, trace.steps[last_to_end]);
  const std::string number = std::to_string(trace.steps[first].number);
  window.label = first == last ? "step " + number : "steps " + number + "-" + std::to_string(trace.steps[last].number);
  if (window.time.end > trace.steps[last_to_end].end_ns) {
    for (const GpuId g : IdRange<GpuId>(trace.gpu.size())) {
      const StepId step = trace.gpu.step[g];
      const bool member = step.valid() && step.value() >= first && step.value() <= last;
      if (member && trace.gpu.end_ns(g) == window.time.end) window.last_event = g;
    }
  } else {
    window.last_thread = window.chosen;
  }
  return window;
}

// Of steps that take time the middle one: never a last one, which may be cut off, unless there is no other.
Result<Window> default_step(const Trace& trace, const std::vector<Nanos>& completions) {
  std::vector<std::size_t> usable;
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    // Its window begins at the start, or later but before the end.
    if (trace.steps[i].start_ns < completions[i]) usable.push_back(i);
  }
  if (usable.empty()) return insufficient("no step takes any time; --trace explains the whole trace");
  const std::size_t middle = usable[(usable.size() - 1) / 2];
  return step_window(trace, completions, middle, middle);
}

Result<Window> numbered_steps(const Trace& trace, const std::vector<Nanos>& completions, std::int64_t low,
                              std::int64_t high) {
  std::optional<std::size_t> first;
  std::size_t last = 0;
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    if (trace.steps[i].number < low || trace.steps[i].number > high) continue;
    if (!first) first = i;
    last = i;
  }
  if (first) return step_window(trace, completions, *first, last);
  const std::string asked = low == high ? std::to_string(low) : std::to_string(low) + "-" + std::to_string(high);
  if (trace.steps.empty())
    return insufficient("there is no step " + asked + ", nor any other; --trace explains the whole trace");
  const std::string front = std::to_string(trace.steps.front().number);
  const std::string known = trace.steps.size() == 1
                                ? "step " + front + " only"
                                : "steps " + front + " to " + std::to_string(trace.steps.back().number);
  return insufficient("there is no step " + asked + "; the trace has " + known);
}

}  // namespace

std::vector<Nanos> step_completions(const Trace& trace) {
  std::vector<Nanos> completions;
  for (const Step& step : trace.steps) completions.push_back(step.end_ns);
  for (const GpuId g : IdRange<GpuId>(trace.gpu.size())) {
    if (const StepId step = trace.gpu.step[g]; step.valid()) {
      completions[step.value()] = std::max(completions[step.value()], trace.gpu.end_ns(g));
    }
  }
  return completions;
}

Result<WindowChoice> WindowChoice::from(const Options& options) {
  WindowChoice choice;
  int given = 0;
  if (options.has("step")) {
    choice.kind_ = Kind::kStep;
    ++given;
    if (!parse_steps(options.text("step"), choice.first_step_, choice.last_step_)) {
      return usage("--step: '" + options.text("step") + "' is no step; write N or A-B");
    }
  }
  if (options.has("annotation")) {
    choice.kind_ = Kind::kAnnotation;
    ++given;
    choice.annotation_ = options.text("annotation");
    choice.instance_ = options.integer("instance");
  } else if (options.has("instance")) {
    return usage("--instance counts annotations; give --annotation NAME with it");
  }
  if (options.has("time")) {
    choice.kind_ = Kind::kTime;
    ++given;
    const std::string text = options.text("time");
    const std::size_t colon = text.find(':');
    const std::string_view view(text);
    if (colon == std::string::npos || !parse_time(view.substr(0, colon), choice.reported_.begin) ||
        !parse_time(view.substr(colon + 1), choice.reported_.end) || choice.reported_.end <= choice.reported_.begin) {
      return usage("--time: '" + text + "' is no range of times; write A:B in microseconds, A before B");
    }
  }
  if (options.flag("trace")) {
    choice.kind_ = Kind::kTrace;
    ++given;
  }
  if (given > 1) return usage("--step, --annotation, --time and --trace exclude each other");
  return choice;
}

Result<Window> WindowChoice::find(const Trace& trace) const {
  switch (kind_) {
    case Kind::kAnnotation: return find_annotation(trace);
    case Kind::kStep: return numbered_steps(trace, step_completions(trace), first_step_, last_step_);
    case Kind::kDefault:
      if (!trace.steps.empty()) return default_step(trace, step_completions(trace));
      break;
    case Kind::kTime:
    case Kind::kTrace: break;
  }
  Window window;
  window.label = kind_ == Kind::kTime ? "time" : "trace";
  return window;
}

Result<Window> WindowChoice::find_annotation(const Trace& trace) const {
  const HostEvents& host = trace.host;
  std::vector<HostId> found;
  std::set<std::string_view> names;
  for (const HostId i : IdRange<HostId>(host.size())) {
    const CategoryId category = host.category[i];
    if (!category.valid() || trace.category(category).kind != CategoryKind::kUserAnnotation) continue;
    names.insert(trace.name(i));
    if (trace.name(i) == annotation_) found.push_back(i);
  }
  if (found.empty()) {
    std::string message = "no annotation is named '" + annotation_ + "'";
    const std::vector<std::string> known(names.begin(), names.end());
    const auto nearest = closest(annotation_, known, kNamesSuggested);
    for (const std::string& name : nearest)
      message += (&name == &nearest.front() ? "; the closest are '" : ", '") + name + "'";
    return insufficient(message);
  }
  const auto count = static_cast<std::int64_t>(found.size());
  const std::int64_t at = instance_ < 0 ? count + instance_ : instance_;
  if (at < 0 || at >= count) {
    return insufficient("annotation '" + annotation_ + "' was recorded " + std::to_string(count) +
                        " times; there is no instance " + std::to_string(instance_));
  }
  const HostId annotation = found[static_cast<std::size_t>(at)];
  Window window;
  window.time = {host.start_ns[annotation], host.end_ns(annotation)};
  window.label = "annotation " + annotation_ + "[" + std::to_string(at) + "]";
  window.chosen = host.thread[annotation];
  window.last_thread = window.chosen;
  for (const GpuId g : IdRange<GpuId>(trace.gpu.size())) {
    const LaunchId call = trace.gpu.launch[g];
    if (!call.valid()) continue;
    const Nanos launched_ns = trace.launches.start_ns[call];
    if (launched_ns < host.start_ns[annotation] || launched_ns >= host.end_ns(annotation)) continue;
    if (trace.gpu.end_ns(g) > window.time.end ||
        (window.last_event.valid() && trace.gpu.end_ns(g) == window.time.end)) {
      window.time.end = trace.gpu.end_ns(g);
      window.last_event = g;
      window.last_thread = {};
    }
  }
  window.done_ns = window.time.end;
  if (window.time.length() == 0) return insufficient(window.label + " takes no time");
  return window;
}

Status WindowChoice::finish(const Engine& engine, Window& window) const {
  if (window.last_event.valid() || window.last_thread.valid()) return {};
  const Trace& trace = engine.trace();
  const HostEvents& host = trace.host;
  const GpuEvents& gpu = trace.gpu;
  const auto for_each_work = [&](auto use) {
    for (const HostId i : IdRange<HostId>(host.size())) {
      if (engine.host().lane_of(host.thread[i]).valid() && engine.host().class_of(i) == HostClass::kWork) use(i);
    }
  };
  if (kind_ == Kind::kTime) {
    const Nanos shift_ns = trace.clock_shift_ns.value_or(-trace.first_start_ns.value_or(0));
    window.time = {reported_.begin - shift_ns, reported_.end - shift_ns};
  } else {
    window.time = {INT64_MAX, INT64_MIN};
    const auto extend = [&](Nanos start_ns, Nanos end_ns) {
      window.time.begin = std::min(window.time.begin, start_ns);
      window.time.end = std::max(window.time.end, end_ns);
    };
    for (const GpuId g : IdRange<GpuId>(gpu.size())) extend(gpu.start_ns[g], gpu.end_ns(g));
    for_each_work([&](HostId i) { extend(host.start_ns[i], host.end_ns(i)); });
  }
  if (window.time.end <= window.time.begin)
    return insufficient("the trace holds no work: neither GPU events nor operators nor runtime calls that take time");

  std::optional<Nanos> done_ns;
  HostId last_work;
  enum class Tie : std::uint8_t { kLoses, kWins };
  const auto offer = [&](Nanos start_ns, Nanos end_ns, Tie tie) {
    if (start_ns >= window.time.end || end_ns <= window.time.begin) return false;
    const Nanos ends_ns = std::min(end_ns, window.time.end);
    if (done_ns && (ends_ns < *done_ns || (ends_ns == *done_ns && tie == Tie::kLoses))) return false;
    done_ns = ends_ns;
    return true;
  };
  for (const GpuId g : IdRange<GpuId>(gpu.size())) {
    if (offer(gpu.start_ns[g], gpu.end_ns(g), Tie::kWins)) window.last_event = g;
  }
  for_each_work([&](HostId i) {
    if (offer(host.start_ns[i], host.end_ns(i), last_work.valid() ? Tie::kWins : Tie::kLoses)) last_work = i;
  });
  if (last_work.valid()) {
    window.last_event = {};
    window.last_thread = host.thread[last_work];
  }
  window.done_ns = done_ns.value_or(window.time.begin);
  return {};
}

}  // namespace hta::analysis::critical_path
