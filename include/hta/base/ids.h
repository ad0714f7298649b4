#pragma once
// Strong indices: a column indexed with the wrong kind of id does not compile.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace hta {

/// An index into one kind of table, stored as `Number`, whose greatest value means "none": what a default constructed
/// one is.
template <class Tag, class Number = std::uint32_t>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::size_t value) : value_(static_cast<Number>(value)) {}

  constexpr bool valid() const { return value_ != kNone; }
  constexpr explicit operator bool() const { return valid(); }
  constexpr Number value() const { return value_; }
  constexpr auto operator<=>(const Id&) const = default;

 private:
  static constexpr Number kNone = std::numeric_limits<Number>::max();
  Number value_ = kNone;
};

using StringId = Id<struct StringTag>;  ///< interned text
using GpuId = Id<struct GpuTag>;        ///< row of the GPU events of one rank
using HostId = Id<struct HostTag>;      ///< row of the host events of one rank
using LaunchId = Id<struct LaunchTag>;  ///< row of the launch calls of one rank
using ThreadId = Id<struct ThreadTag>;  ///< (pid, tid) as recorded
using StreamId = Id<struct StreamTag>;  ///< (device, stream)
using StepId = Id<struct StepTag>;      ///< step window of one rank

}  // namespace hta

template <class Tag, class Number>
struct std::hash<hta::Id<Tag, Number>> {
  std::size_t operator()(hta::Id<Tag, Number> id) const noexcept { return std::hash<Number>{}(id.value()); }
};
