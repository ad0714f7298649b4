#pragma once

#include "hta/model/trace.h"

#include <cstdint>
#include <string_view>

namespace hta::input {

enum class MetadataOutcome : std::uint8_t {
  kRead,
  kRepaired,  ///< words that JSON does not know, such as N/A, count as missing
  kUnreadable,
};

/// Reads one top-level member of a trace file into `info`. Unknown scalars are kept as text, unknown structures
/// dropped.
MetadataOutcome read_metadata(std::string_view key, std::string_view json, TraceInfo& info);

}  // namespace hta::input
