#pragma once
// What is changed before a window is replayed.

#include "hta/analysis/replay.h"
#include "hta/analysis/whatif.h"

#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "../critical_path/path.h"

namespace hta::analysis::whatif {

/// What a --scale is about.
enum class Target : std::uint8_t {
  kKernel,   ///< GPU events
  kCompute,  ///< GPU computation
  kComm,     ///< GPU communication
  kCopies,   ///< GPU copies and fills
  kOp,       ///< own time of operators
  kCall,     ///< own time of runtime calls
  kLaunch,   ///< own time of calls that launch GPU work, and the delay from their return to the start of the work
  kPython,   ///< time of the host in which neither operators nor runtime calls ran
  kLoading,  ///< data loading
};

struct Scaling {
  Target target = Target::kKernel;
  std::optional<std::regex> name;  ///< only events whose name matches
  std::int64_t factor_millionths = 0;

  /// From `CLASS[:REGEX]=FACTOR`; kUsage if it is none.
  static Result<Scaling> parse(std::string_view text);
};

struct Scenario {
  std::string name;  ///< as the options that ask for it
  Method method = Method::kSimulated;
  std::vector<Scaling> scalings;
  bool host_never_waits = false;      ///< for the GPU
  bool communication_hidden = false;  ///< behind everything else
};

/// Those that the options ask for, and all of them together if they are several; a usual set if they ask for none.
Result<std::vector<Scenario>> scenarios_of(const Options& options);
/// Whether the options name any scenario.
bool names_scenarios(const Options& options);

/// The lengths of the graph under a scenario. What lies before the window is past and keeps its time.
critical_path::Changes changes_of(const critical_path::RankPath& path, const critical_path::ReplayGraph& graph,
                                  const Scenario& scenario);

}  // namespace hta::analysis::whatif
