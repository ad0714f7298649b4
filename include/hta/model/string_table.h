#pragma once

#include "hta/base/ids.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

namespace hta {

/// Every distinct text of one rank once, as valid UTF-8. Ids are dense from 0; views live as long as the table.
class StringTable {
 public:
  StringTable();

  /// The id of `bytes`; equal bytes give equal ids. Bytes that are no UTF-8 are stored repaired (U+FFFD).
  StringId intern(std::string_view bytes);
  /// Interns all texts of `other` in order of their ids. Result: by id of `other`, the id here.
  std::vector<StringId> absorb(const StringTable& other);
  /// The id if the text is known, else none.
  StringId find(std::string_view text) const;
  std::string_view text(StringId id) const { return entries_[id.value()].text; }
  std::string_view operator[](StringId id) const { return text(id); }
  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_; }
  /// Number of texts that had to be repaired.
  std::size_t repaired() const { return repaired_; }
  void clear();

 private:
  struct Entry {
    std::string_view text;
    std::uint64_t hash;
  };
  std::string_view store(std::string_view bytes);
  void grow_slots();

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  // open addressing, 0 = free, else id + 1
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_left_ = 0;
  char* block_next_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t repaired_ = 0;
};

}  // namespace hta
