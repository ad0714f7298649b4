#include "hta/model/string_table.h"

#include "hta/base/nanos.h"
#include "hta/base/text.h"

#include <cstring>
#include <string>

namespace hta {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
constexpr std::size_t kFirstSlots = 1024;

__extension__ typedef unsigned __int128 UInt128;  // NOLINT(modernize-use-using): `using` takes no __extension__

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const UInt128 product = UInt128{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t load8(const char* p) {
  std::uint64_t v = 0;
  std::memcpy(&v, p, 8);
  return v;
}

// Multiply-and-fold over 16 bytes a round; the last round overlaps the one before, so no byte is left out.
std::uint64_t hash_bytes(std::string_view text) {
  constexpr std::uint64_t kSeed = 0x9E3779B97F4A7C15u;
  constexpr std::uint64_t kOther = 0xD6E8FEB86659FD93u;
  const char* p = text.data();
  std::size_t n = text.size();
  std::uint64_t h = kSeed ^ (n * kOther);
  if (n >= 16) {
    for (; n > 16; n -= 16, p += 16) h = mix(load8(p) ^ kOther, load8(p + 8) ^ h);
    p += n;
    return mix(load8(p - 16) ^ kOther, load8(p - 8) ^ h);
  }
  if (n >= 8) return mix(load8(p) ^ kOther, load8(p + n - 8) ^ h);
  std::uint64_t tail = 0;
  for (std::size_t i = 0; i < n; ++i) tail |= std::uint64_t{static_cast<unsigned char>(p[i])} << (8 * i);
  return mix(tail ^ kOther, h);
}

}  // namespace

StringTable::StringTable() {
  clear();
}

void StringTable::clear() {
  entries_.clear();
  slots_.assign(kFirstSlots, 0);
  blocks_.clear();
  block_left_ = 0;
  block_next_ = nullptr;
  bytes_ = 0;
  repaired_ = 0;
}

StringId StringTable::intern(std::string_view bytes) {
  const std::uint64_t hash = hash_bytes(bytes);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const Entry& entry = entries_[slots_[slot] - 1];
    if (entry.hash == hash && entry.text == bytes) return StringId(slots_[slot] - 1);
  }
  if (!is_valid_utf8(bytes)) {
    ++repaired_;
    return intern(valid_utf8(bytes));
  }
  entries_.push_back({store(bytes), hash});
  slots_[slot] = static_cast<std::uint32_t>(entries_.size());
  if (entries_.size() * 2 > slots_.size()) grow_slots();
  return StringId(entries_.size() - 1);
}

std::vector<StringId> StringTable::absorb(const StringTable& other) {
  std::vector<StringId> ids;
  ids.reserve(other.size());
  for (const Entry& entry : other.entries_) ids.push_back(intern(entry.text));
  repaired_ += other.repaired_;
  return ids;
}

StringId StringTable::find(std::string_view text) const {
  const std::uint64_t hash = hash_bytes(text);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const Entry& entry = entries_[slots_[slot] - 1];
    if (entry.hash == hash && entry.text == text) return StringId(slots_[slot] - 1);
  }
  return {};
}

std::string_view StringTable::store(std::string_view bytes) {
  if (bytes.empty()) return {};
  bytes_ += bytes.size();
  char* target = nullptr;
  if (bytes.size() > kBlockBytes / 4) {
    blocks_.push_back(std::make_unique<char[]>(bytes.size()));
    target = blocks_.back().get();
  } else {
    if (block_left_ < bytes.size()) {
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(kBlockBytes));
      block_next_ = blocks_.back().get();
      block_left_ = kBlockBytes;
    }
    target = block_next_;
    block_next_ += bytes.size();
    block_left_ -= bytes.size();
  }
  std::memcpy(target, bytes.data(), bytes.size());
  return {target, bytes.size()};
}

void StringTable::grow_slots() {
  std::vector<std::uint32_t> bigger(slots_.size() * 2, 0);
  const std::size_t mask = bigger.size() - 1;
  for (std::size_t id = 0; id < entries_.size(); ++id) {
    std::size_t slot = entries_[id].hash & mask;
    while (bigger[slot] != 0) slot = (slot + 1) & mask;
    bigger[slot] = static_cast<std::uint32_t>(id + 1);
  }
  slots_ = std::move(bigger);
}

}  // namespace hta
