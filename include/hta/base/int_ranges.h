#pragma once

#include "hta/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hta {

/// A selection such as `0,4-7`. Empty (default) selects everything.
class IntRanges {
 public:
  /// Numbers and inclusive ranges, comma separated; kUsage with the offending part otherwise.
  static Result<IntRanges> parse(std::string_view text);

  bool all() const { return ranges_.empty(); }
  bool contains(std::int64_t value) const {
    if (ranges_.empty()) return true;
    for (const Range& range : ranges_) {
      if (value >= range.first && value <= range.last) return true;
    }
    return false;
  }
  struct Range {
    std::int64_t first;
    std::int64_t last;
  };
  const std::vector<Range>& ranges() const { return ranges_; }

 private:
  std::vector<Range> ranges_;
};

/// Sorted numbers the same way, short: "0-516,518-999".
std::string range_list(std::span<const std::int64_t> sorted);

}  // namespace hta
