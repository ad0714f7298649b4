#pragma once

#include "hta/cli/command.h"

namespace hta::cli {

/// `hta info`: what is in the files, what is damaged or missing, and which analyses are possible.
Command info_command();

}  // namespace hta::cli
