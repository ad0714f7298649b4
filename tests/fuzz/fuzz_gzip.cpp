// Any bytes as a file: unpacking ends, hands over no more than it said, and never crashes.

#include "hta/input/byte_source.h"

#include <array>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto source = hta::input::memory_source(reinterpret_cast<const char*>(data), size);
  std::array<char, 4096> buffer{};
  constexpr std::size_t kEnough = std::size_t{8} << 20;
  std::size_t total = 0;
  for (std::size_t room = 1; total < kEnough; room = room * 2 % 4096 + 1) {
    const auto n = source->read(buffer.data(), room);
    if (!n.ok() || *n == 0) break;
    if (*n > room) std::abort();
    total += *n;
  }
  if (source->consumed() > size) std::abort();
  (void)source->trouble();
  return 0;
}
