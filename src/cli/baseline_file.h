#pragma once
// hta-baseline/1: one run's profile as a file small enough for git, to compare later runs with.

#include "hta/analysis/diff/profile.h"
#include "hta/base/result.h"

#include <string>

namespace hta::cli {

/// The text of a baseline. The same profile gives the same bytes.
std::string baseline_text(const analysis::diff::RunProfile& run);

/// Whether a path names a baseline rather than a run.
bool is_baseline(const std::string& path);

/// kUsage if it is damaged: a value is missing or of the wrong kind, or parts do not add up.
Result<analysis::diff::RunProfile> read_baseline(const std::string& path);

}  // namespace hta::cli
