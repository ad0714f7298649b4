#pragma once
// Traces written back with additions: the bytes of the file pass through, new elements go before the closing bracket.

#include "hta/base/result.h"
#include "hta/report/out.h"
#include "hta/result/document.h"

#include <cstdint>

namespace hta::report {

/// What became of the records of the file.
struct OverlayCounts {
  std::uint64_t copied = 0;   ///< byte for byte, in their order
  std::uint64_t dropped = 0;  ///< by Overlay::keep_positions
  std::uint64_t lost = 0;     ///< damaged, left out
  std::uint64_t added = 0;
};

/// Reads the source again and writes it with the additions to `out`, as gzip if the target's name ends in .gz.
/// Object form and bare array, also cut off: what is missing at the end is closed. A second document behind the first
/// is left out. The result is strict JSON if the copied records are. Memory: one record and a buffer.
/// Errors: kInput if the source cannot be read or has no event array, if metadata in front of it is damaged, or if
/// anything is damaged and the overlay asks to refuse that. What was written to `out` by then must be thrown away.
Result<OverlayCounts> write_overlay(const result::Overlay& overlay, Out& out);

}  // namespace hta::report
