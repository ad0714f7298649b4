#pragma once

#include "hta/cli/command.h"

namespace hta::cli {

/// `hta report`: everything on one HTML page.
Command report_command();

}  // namespace hta::cli
