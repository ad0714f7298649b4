#pragma once

#include "hta/cli/command.h"

namespace hta::cli {

/// `hta memory`: like any analysis over traces, but where all files are raw memory timelines it reads those.
ExitStatus run_memory_command(const Command& command, Invocation& invocation);

}  // namespace hta::cli
