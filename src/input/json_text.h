#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hta::input {

/// Decodes the escapes of a JSON string (without its quotes) into `out`. Lenient: an unknown escape stays as it is and is
/// counted in the return value; a lone surrogate becomes U+FFFD.
std::size_t decode_string(std::string_view raw, std::string& out);

}  // namespace hta::input
