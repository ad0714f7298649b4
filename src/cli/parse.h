#pragma once

#include "hta/cli/command.h"

#include <optional>
#include <string>
#include <vector>

namespace hta::cli {

/// The outcome of reading argv: a command to run, or the status to exit with (help, version, or an error, already
/// printed).
struct Parsed {
  const Command* command = nullptr;
  Invocation invocation;
  ExitStatus status = ExitStatus::kDone;
};

Parsed parse(std::vector<std::string> arguments);

}  // namespace hta::cli
