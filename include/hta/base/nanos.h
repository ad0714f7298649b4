#pragma once

#include <cstdint>

namespace hta {

/// A point in time or a length of time in integer nanoseconds. Never a floating-point number.
using Nanos = std::int64_t;

inline constexpr Nanos kNanosPerMicro = 1'000;
inline constexpr Nanos kNanosPerMilli = 1'000'000;
inline constexpr Nanos kNanosPerSecond = 1'000'000'000;

__extension__ typedef __int128
    Int128;  ///< exact sums of products of times; NOLINT(modernize-use-using): no `using` there

}  // namespace hta
