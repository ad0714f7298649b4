#pragma once
// Text helpers that several layers need.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hta {

/// ASCII lower case; other bytes stay.
std::string to_lower(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);
bool starts_with_ignoring_case(std::string_view text, std::string_view lower_prefix);
bool contains_ignoring_case(std::string_view text, std::string_view lower_part);

/// A whole decimal integer (sign allowed), else nothing.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// Order of people: runs of digits compare as numbers (rank-2 before rank-10), ties by bytes. Total order.
bool natural_less(std::string_view a, std::string_view b);

/// Columns of a terminal that UTF-8 text takes (combining marks 0, East Asian wide 2, broken bytes 1).
std::size_t display_width(std::string_view utf8);
/// At most `width` columns: the middle is replaced by "…", because the two ends of kernel names tell most.
std::string shorten_middle(std::string_view utf8, std::size_t width);

/// The candidate nearest to `word` by edit distance, if it is near enough to be a typing mistake.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string_view> candidates);
/// All candidates by edit distance to `word`, at most `n`.
std::vector<std::string> closest(std::string_view word, std::span<const std::string> candidates, std::size_t n);

/// `value` / 10^decimals as decimal text with exactly `decimals` digits behind the point, e.g. (-1234, 3) -> "-1.234".
std::string fixed_point(std::int64_t value, int decimals);
/// Integer with thousands separated by commas, for people.
std::string with_commas(std::int64_t value);

/// A JSON string with its quotes; `utf8` must be valid UTF-8.
std::string json_quoted(std::string_view utf8);

/// UTF-8 copy of `bytes` in which every invalid sequence is replaced by U+FFFD.
std::string valid_utf8(std::string_view bytes);
bool is_valid_utf8(std::string_view bytes);

}  // namespace hta
