#pragma once

#include "hta/model/trace.h"

#include <cstdint>
#include <string_view>

namespace hta::cli {

/// What becomes of an event with a fault.
enum class Consequence : std::uint8_t { kIgnored, kSuspect, kLost };

inline Consequence consequence_of(EventFault fault) {
  if (fault <= EventFault::kTimeOutOfRange) return Consequence::kIgnored;
  return fault <= EventFault::kDominatesRank ? Consequence::kSuspect : Consequence::kLost;
}

inline std::string_view consequence_text(EventFault fault) {
  switch (consequence_of(fault)) {
    case Consequence::kIgnored: return "ignored";
    case Consequence::kSuspect: return "kept, suspect";
    case Consequence::kLost: return "damaged, lost";
  }
  return {};
}

}  // namespace hta::cli
