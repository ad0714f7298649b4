#pragma once

#include "hta/model/trace.h"

#include <optional>
#include <string>

namespace hta::input {

/// What the first bytes of a trace file say about it, if they tell its rank: profilers write that in front of the
/// events. Nothing if they do not, or if the file cannot be read once more than a program reads it (a pipe). Reads at
/// most 256 KiB.
std::optional<TraceInfo> peek_info(const std::string& path);

}  // namespace hta::input
