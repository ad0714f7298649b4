#pragma once
// Small steps over JSON text that may be damaged.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hta::input {

inline bool is_json_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

inline const char* skip_json_space(const char* p, const char* end) {
  while (p < end && is_json_space(*p)) ++p;
  return p;
}

/// Skips one JSON value of any size, also across buffers. Lenient: brackets are counted and not matched by kind, bare
/// words are accepted.
class ValueSkipper {
 public:
  void reset() { *this = ValueSkipper(); }
  /// Where the value ends (behind it), or nullptr if `end` came first: then the next call goes on where this one
  /// stopped.
  const char* skip(const char* p, const char* end);

 private:
  std::int64_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool started_ = false;
};

/// Whether `name` is a member that profilers write at the top level of a document.
bool is_document_key(std::string_view name);
/// The quotes of a member's name, the blanks behind it and its colon stand within so many bytes.
inline constexpr std::ptrdiff_t kDocumentKeyReach = 256;
/// The first member of [p, end) that profilers write only at the top level, e.g. `"traceEvents":`; nullptr if there is
/// none. One that begins kDocumentKeyReach bytes or more before `end` is seen whatever follows.
const char* find_document_key(const char* p, const char* end);

/// What the first key of an object says about it.
enum class FirstKey : std::uint8_t {
  kUnknown,   ///< no key, or one that says nothing
  kEvent,     ///< one that events have
  kDocument,  ///< one that documents have
  kCutOff,    ///< the text ends before it can be told
};
/// `p` is at an opening brace.
FirstKey first_key(const char* p, const char* end);

}  // namespace hta::input
