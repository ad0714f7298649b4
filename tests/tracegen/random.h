#pragma once

#include <cstdint>
#include <string_view>

namespace tracegen {

/// All times inside the generator are integer nanoseconds; they become text only when written.
using Nanos = std::int64_t;

/// The finaliser of SplitMix64: a bijection that spreads every input bit over the word.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// FNV-1a, 64 bits.
constexpr std::uint64_t hash64(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

/// What a number is drawn for. Two purposes never share numbers.
struct Tag {
  std::uint64_t mixed;
  consteval explicit Tag(std::string_view name) : mixed(mix64(hash64(name))) {}
};

/// The numbers of one rank in one step. Every number is a pure function of (seed, rank, step, tag, index), so ranks can
/// be simulated and written in any order, on any number of threads, and any event can be computed alone.
class Draws {
 public:
  Draws() = default;
  Draws(std::uint64_t seed, int rank, int step)
      : base_(mix64(seed) ^ mix64(static_cast<std::uint64_t>(rank) + 1) ^
              mix64((static_cast<std::uint64_t>(step) + 1) << 20U)) {}

  [[nodiscard]] std::uint64_t at(Tag tag, std::uint64_t index) const {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;
    return mix64((base_ ^ tag.mixed ^ mix64((index + 1) << 40U)) + kGolden);
  }

  /// Uniform in [-limit, limit].
  [[nodiscard]] std::int64_t symmetric(Tag tag, std::uint64_t index, std::int64_t limit) const {
    if (limit <= 0) return 0;
    const auto choices = 2 * static_cast<std::uint64_t>(limit) + 1;
    return static_cast<std::int64_t>(at(tag, index) % choices) - limit;
  }

  /// True for about `pct` percent of the indices. Parts of a percent count.
  [[nodiscard]] bool chance(Tag tag, std::uint64_t index, double pct) const {
    return pct > 0 && static_cast<double>(at(tag, index) % 1'000'000) < pct * 10'000;
  }

  /// `cost` changed by at most `jitter_pct` percent either way.
  [[nodiscard]] Nanos jitter(Nanos cost, int jitter_pct, Tag tag, std::uint64_t index) const {
    if (jitter_pct == 0) return cost;
    const auto spread = 100 * static_cast<std::int64_t>(jitter_pct);
    return cost * (10'000 + symmetric(tag, index, spread)) / 10'000;
  }

 private:
  std::uint64_t base_ = 0;
};

}  // namespace tracegen
