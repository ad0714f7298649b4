#include "hta/base/shared_text.h"

#include <functional>
#include <mutex>
#include <unordered_set>

namespace hta {
namespace {

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

// The one copy of a text. Never destroyed: texts may be used until the very end.
const std::string* only_copy(std::string_view text) {
  static auto& mutex = *new std::mutex;
  static auto& texts = *new std::unordered_set<std::string, Hash, std::equal_to<>>;
  const std::lock_guard lock(mutex);
  const auto at = texts.find(text);
  return at != texts.end() ? &*at : &*texts.emplace(text).first;
}

}  // namespace

SharedText::SharedText() {
  static const std::string* const kEmpty = only_copy({});
  text_ = kEmpty;
}

SharedText::SharedText(std::string_view text) : text_(only_copy(text)) {}

}  // namespace hta
