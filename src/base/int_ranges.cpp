#include "hta/base/int_ranges.h"

#include "hta/base/text.h"

#include <string>

namespace hta {

Result<IntRanges> IntRanges::parse(std::string_view text) {
  IntRanges out;
  const auto fail = [&](std::string_view part) {
    return Error{ErrorCode::kUsage, "", "'" + std::string(part) + "' is no number or range; write e.g. 0,4-7", {}};
  };
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const std::size_t dash = part.find('-', 1);  // a leading dash is a sign
    const auto first = parse_integer(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_integer(part.substr(dash + 1));
    if (!first || !last || *last < *first) return fail(part);
    out.ranges_.push_back({*first, *last});
    if (comma == std::string_view::npos) return out;
    rest.remove_prefix(comma + 1);
  }
}

std::string range_list(std::span<const std::int64_t> sorted) {
  std::string text;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t last = i;
    while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(sorted[i]);
    if (last > i) text += (last == i + 1 ? "," : "-") + std::to_string(sorted[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace hta
