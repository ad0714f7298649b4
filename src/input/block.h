#pragma once
// Sixteen bytes of text at once: which of them are a given character. SSE2 where there is SSE2, else plain C++.

#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace hta::input {

#ifdef __SSE2__

class Block {
 public:
  static constexpr int kBytes = 16;
  /// The 16 bytes at `p`, all of which must be readable.
  explicit Block(const char* p) : bytes_(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))) {}
  /// A bit for each byte that equals `c`, the first byte's lowest.
  std::uint32_t equal(char c) const { return bits(_mm_cmpeq_epi8(bytes_, _mm_set1_epi8(c))); }
  std::uint32_t any_of(char a, char b, char c) const {
    return bits(
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes_, _mm_set1_epi8(a)), _mm_cmpeq_epi8(bytes_, _mm_set1_epi8(b))),
                     _mm_cmpeq_epi8(bytes_, _mm_set1_epi8(c))));
  }
  /// A bit for each byte that is the same in both.
  std::uint32_t equal(const Block& other) const { return bits(_mm_cmpeq_epi8(bytes_, other.bytes_)); }
  /// The block with bit 5 of every byte set: '[' and ']' become '{' and '}'.
  Block folded() const { return Block(_mm_or_si128(bytes_, _mm_set1_epi8(0x20))); }

 private:
  explicit Block(__m128i bytes) : bytes_(bytes) {}
  static std::uint32_t bits(__m128i equal) { return static_cast<std::uint32_t>(_mm_movemask_epi8(equal)); }
  __m128i bytes_;
};

#else

class Block {
 public:
  static constexpr int kBytes = 16;
  explicit Block(const char* p) { std::memcpy(bytes_, p, kBytes); }
  std::uint32_t equal(char c) const { return any_of(c, c, c); }
  std::uint32_t any_of(char a, char b, char c) const {
    std::uint32_t bits = 0;
    for (int i = 0; i < kBytes; ++i) bits |= std::uint32_t{bytes_[i] == a || bytes_[i] == b || bytes_[i] == c} << i;
    return bits;
  }
  std::uint32_t equal(const Block& other) const {
    std::uint32_t bits = 0;
    for (int i = 0; i < kBytes; ++i) bits |= std::uint32_t{bytes_[i] == other.bytes_[i]} << i;
    return bits;
  }
  Block folded() const {
    Block out = *this;
    for (char& c : out.bytes_) c = static_cast<char>(c | 0x20);
    return out;
  }

 private:
  char bytes_[kBytes];  // NOLINT: as plain as the register it stands for
};

#endif

}  // namespace hta::input
