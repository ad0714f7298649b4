#pragma once

#include <cstdint>

namespace hta::test {

/// SplitMix64: small, and the same on every platform.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// Uniform in [low, high]; not the whole range of 64 bits.
  std::int64_t in(std::int64_t low, std::int64_t high) {
    const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + next() % width);
  }
  bool chance(int percent) { return in(0, 99) < percent; }

 private:
  std::uint64_t state_;
};

}  // namespace hta::test
