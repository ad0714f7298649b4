#pragma once

#include "hta/cli/command.h"

namespace hta::cli {

/// `hta schema`: the JSON Schema of the documents that all commands write.
Command schema_command();

}  // namespace hta::cli
