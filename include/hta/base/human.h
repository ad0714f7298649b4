#pragma once
// Numbers in sentences for people.

#include "hta/base/nanos.h"

#include <string>
#include <string_view>

namespace hta {

/// A duration with three or four significant digits and its unit: 1.23 ms.
std::string human_time(Nanos nanos);
/// A size with its binary unit: 1.50 GiB.
std::string human_bytes(std::int64_t bytes);
/// The share as "12.34 %"; a dash if there is no whole.
std::string human_percent(Int128 part, Int128 whole);
/// A count with its noun: 1 step, 1,234 steps.
std::string human_count(std::int64_t count, std::string_view one, std::string_view many);

}  // namespace hta
