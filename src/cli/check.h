#pragma once

#include "hta/cli/command.h"

namespace hta::cli {

/// `hta check`: does a run keep its budget?
Command check_command();

}  // namespace hta::cli
