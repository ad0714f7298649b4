#include "name_sequences.h"

#include <algorithm>

namespace hta::analysis {

NameSequences::Sequence NameSequences::extend(Sequence sequence, StringId name) {
  const std::uint64_t key = (std::uint64_t{sequence} << 32) | name.value();
  const auto [at, fresh] = next_.try_emplace(key, static_cast<Sequence>(nodes_.size()));
  if (fresh) nodes_.push_back({sequence, name});
  return at->second;
}

std::vector<StringId> NameSequences::names(Sequence sequence) const {
  std::vector<StringId> out;
  for (; sequence != kEmpty; sequence = nodes_[sequence].before) out.push_back(nodes_[sequence].name);
  std::reverse(out.begin(), out.end());
  return out;
}

std::string join(const StringTable& strings, const std::vector<StringId>& names, std::size_t first,
                 std::string_view separator) {
  std::string text;
  for (std::size_t i = first; i < names.size(); ++i) {
    if (i > first) text += separator;
    text += strings.text(names[i]);
  }
  return text;
}

}  // namespace hta::analysis
