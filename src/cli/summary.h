#pragma once

#include "hta/cli/command.h"

namespace hta::cli {

/// `hta summary`: what is the main problem, and what to do next.
Command summary_command();
/// `hta rules`: the rules that summary and report apply, with their thresholds.
Command rules_command();

}  // namespace hta::cli
