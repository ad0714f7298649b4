#include "path.h"

#include <utility>

namespace hta::analysis::critical_path {

Needs needs_of_path() {
  Needs needs;
  needs.host_events = true;
  needs.python_frames = true;
  needs.sync_records = true;
  needs.flows = true;
  return needs;
}

Status check_path_options(const Options& options) {
  if (const auto settings = Settings::from(options); !settings) return settings.error();
  if (const auto choice = WindowChoice::from(options); !choice) return choice.error();
  return {};
}

bool needs_clock(const Options& options) {
  return options.has("time");
}

std::string dropped_edges_text(std::int64_t edges) {
  return std::to_string(edges) +
         " dependencies would close a cycle and are left out; the clocks of host and GPU disagree";
}

RankPath::RankPath(const Trace& trace, const Settings& settings, Window window)
    : names_(trace.strings, settings.loader.get()),
      engine_(trace, names_, settings, window.chosen),
      window_(std::move(window)) {}

Result<std::unique_ptr<RankPath>> RankPath::find(const Trace& trace, const Options& options) {
  const WindowChoice choice = WindowChoice::from(options).value();
  auto window = choice.find(trace);
  if (!window) return window.error();
  std::unique_ptr<RankPath> path(new RankPath(trace, Settings::from(options).value(), std::move(window).value()));
  if (const Status status = choice.finish(path->engine_, path->window_); !status) return status.error();
  path->pieces_ = walk(path->engine_, path->window_);
  return path;
}

}  // namespace hta::analysis::critical_path
