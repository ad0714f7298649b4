#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hta::input {

/// Decodes the escapes of a JSON string (without its quotes) into `out`. Lenient: an unknown escape stays as it is and
/// is counted in the return value; a lone surrogate becomes U+FFFD.
std::size_t decode_string(std::string_view raw, std::string& out);

/// The number of escapes in it that JSON does not know, e.g. of a path with single backslashes.
std::size_t count_odd_escapes(std::string_view raw);

/// Whether `text` is one value as JSON demands it. O(n), not recursive.
bool is_valid_json(std::string_view text);

}  // namespace hta::input
