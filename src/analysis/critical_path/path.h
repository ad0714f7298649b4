#pragma once
// The whole of it for one rank: window, engine and path.

#include "hta/analysis/critical_path.h"
#include "hta/model/needs.h"

#include <memory>
#include <string>
#include <vector>

#include "engine.h"
#include "names.h"
#include "walk.h"
#include "window.h"

namespace hta::analysis::critical_path {

/// What the walk needs of the model.
Needs needs_of_path();
/// Refuses malformed options of window and rules.
Status check_path_options(const Options& options);
/// Whether the window is given in reported time.
bool needs_clock(const Options& options);

/// Why edges of a replayed graph were dropped, for people.
std::string dropped_edges_text(std::int64_t edges);

class RankPath {
 public:
  /// The path of the window that the options choose, or why there is none. `options` passed check_path_options().
  static Result<std::unique_ptr<RankPath>> find(const Trace& trace, const Options& options);

  const Engine& engine() const { return engine_; }
  const Window& window() const { return window_; }
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  RankPath(const Trace& trace, const Settings& settings, Window window);

  NameTraits names_;
  Engine engine_;
  Window window_;
  std::vector<Piece> pieces_;
};

}  // namespace hta::analysis::critical_path
