#pragma once
// Sequences of names as numbers: equal sequences get equal numbers, and the text of one is put together only when asked
// for.

#include "hta/model/string_table.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hta::analysis {

/// A prefix tree. Memory grows with the distinct prefixes, not with the sequences.
class NameSequences {
 public:
  using Sequence = std::uint32_t;
  static constexpr Sequence kEmpty = 0;

  /// `sequence` with one more name. O(1).
  Sequence extend(Sequence sequence, StringId name);
  /// The names of a sequence, first to last.
  std::vector<StringId> names(Sequence sequence) const;

 private:
  struct Node {
    Sequence before;
    StringId name;
  };
  std::vector<Node> nodes_{{kEmpty, {}}};
  std::unordered_map<std::uint64_t, Sequence> next_;  // by (sequence, name)
};

/// The texts of `names` from the one at `first` on, with `separator` between them.
std::string join(const StringTable& strings, const std::vector<StringId>& names, std::size_t first,
                 std::string_view separator);

}  // namespace hta::analysis
