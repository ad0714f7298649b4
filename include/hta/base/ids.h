#pragma once
// Strong 32-bit indices: a column indexed with the wrong kind of id does not compile.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace hta {

/// An index into one kind of table. Default constructed it is "none".
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::size_t value) : value_(static_cast<std::uint32_t>(value)) {}

  constexpr bool valid() const { return value_ != kNone; }
  constexpr explicit operator bool() const { return valid(); }
  constexpr std::uint32_t value() const { return value_; }
  constexpr auto operator<=>(const Id&) const = default;

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  std::uint32_t value_ = kNone;
};

using StringId = Id<struct StringTag>;  ///< interned text
using GpuId = Id<struct GpuTag>;        ///< row of the GPU events of one rank
using HostId = Id<struct HostTag>;      ///< row of the host events of one rank
using LaunchId = Id<struct LaunchTag>;  ///< row of the launch calls of one rank
using ThreadId = Id<struct ThreadTag>;  ///< (pid, tid) as recorded
using StreamId = Id<struct StreamTag>;  ///< (device, stream)
using StepId = Id<struct StepTag>;      ///< step window of one rank

}  // namespace hta

template <class Tag>
struct std::hash<hta::Id<Tag>> {
  std::size_t operator()(hta::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>{}(id.value()); }
};
