#pragma once
// Decimal text to integers, exactly: times never pass through a double.

#include "hta/base/nanos.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace hta::input {

/// The number in `text` (JSON number, optional exponent, surrounding blanks allowed) times 10^digits, rounded half to
/// even. Nothing if it is no number, or if the result does not fit 64 bits.
std::optional<std::int64_t> scaled_decimal(std::string_view text, int digits);

/// Microseconds as text to nanoseconds.
inline std::optional<Nanos> micros_to_nanos(std::string_view text) {
  return scaled_decimal(text, 3);
}

}  // namespace hta::input
