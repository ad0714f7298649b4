#pragma once

#include <compare>
#include <cstdint>

namespace hta {

/// A rank of the run, and which of its capture windows if it has several. Orders by rank, then window.
class RankKey {
 public:
  RankKey() = default;
  /// `window`: 0 if the rank was captured once, else 1, 2, ... in order of time.
  RankKey(std::int64_t rank, int window) : value_(rank * kWindows + window) {}
  static RankKey from_value(std::int64_t value) {
    RankKey key;
    key.value_ = value;
    return key;
  }
  std::int64_t rank() const { return value_ / kWindows; }
  int window() const { return static_cast<int>(value_ % kWindows); }
  std::int64_t value() const { return value_; }
  auto operator<=>(const RankKey&) const = default;

 private:
  static constexpr std::int64_t kWindows = 1 << 20;
  std::int64_t value_ = 0;
};

}  // namespace hta
