#include "text_scan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace hta::input {
namespace {

constexpr std::array<std::string_view, 12> kEventKeys{"ph",  "cat",  "name", "pid", "tid", "ts",
                                                      "dur", "args", "id",   "s",   "bp",  "tts"};
constexpr std::array<std::string_view, 13> kDocumentKeys{
    "traceEvents",     "schemaVersion", "deviceProperties", "distributedInfo", "baseTimeNanoseconds",
    "displayTimeUnit", "traceName",     "trace_id",         "record_shapes",   "with_stack",
    "profile_memory",  "with_flops",    "with_modules"};
// Found nowhere but at the top level.
constexpr std::array<std::string_view, 4> kUnmistakable{"traceEvents", "schemaVersion", "deviceProperties",
                                                        "distributedInfo"};
constexpr std::ptrdiff_t kLongestKey = 24;
constexpr std::ptrdiff_t kMostBlanks = 4096;

template <std::size_t n>
bool contains(const std::array<std::string_view, n>& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// p behind an opening quote: the text up to the closing one, if that is near; data() is null if not.
std::string_view short_string(const char* p, const char* end) {
  const auto room = static_cast<std::size_t>(std::min(end - p, kLongestKey));
  const auto* close = static_cast<const char*>(std::memchr(p, '"', room));
  return close == nullptr ? std::string_view() : std::string_view(p, static_cast<std::size_t>(close - p));
}

}  // namespace

const char* ValueSkipper::skip(const char* p, const char* end) {
  for (; p < end; ++p) {
    const char c = *p;
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
        if (depth_ == 0) return p + 1;
      }
      continue;
    }
    if (c == '"') {
      if (depth_ == 0 && started_) return p;  // a bare word ends here
      in_string_ = true;
      started_ = true;
    } else if (c == '{' || c == '[') {
      if (depth_ == 0 && started_) return p;
      ++depth_;
      started_ = true;
    } else if (c == '}' || c == ']') {
      if (depth_ == 0) return p;  // of what holds the value
      if (--depth_ == 0) return p + 1;
    } else if (depth_ == 0 && (c == ',' || (started_ && is_json_space(c)))) {
      return p;
    } else if (!is_json_space(c)) {
      started_ = true;
    }
  }
  return nullptr;
}

bool is_document_key(std::string_view name) {
  return contains(kDocumentKeys, name) || name.ends_with("_version");
}

const char* find_document_key(const char* p, const char* end) {
  for (; p < end; ++p) {
    p = static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(end - p)));
    if (p == nullptr) return nullptr;
    const std::string_view name = short_string(p + 1, end);
    if (name.data() == nullptr || !contains(kUnmistakable, name)) continue;
    const char* const reach = end - p > kDocumentKeyReach ? p + kDocumentKeyReach : end;
    const char* colon = skip_json_space(name.data() + name.size() + 1, reach);
    if (colon < reach && *colon == ':') return p;
  }
  return nullptr;
}

FirstKey first_key(const char* p, const char* end) {
  const char* quote = skip_json_space(p + 1, std::min(end, p + kMostBlanks));
  if (quote == end) return FirstKey::kCutOff;
  if (*quote != '"') return FirstKey::kUnknown;
  const std::string_view name = short_string(quote + 1, end);
  if (name.data() == nullptr) return end - quote <= kLongestKey ? FirstKey::kCutOff : FirstKey::kUnknown;
  const char* colon = name.data() + name.size() + 1;
  colon = skip_json_space(colon, std::min(end, colon + kMostBlanks));
  if (colon == end) return FirstKey::kCutOff;
  if (*colon != ':') return FirstKey::kUnknown;
  if (contains(kEventKeys, name)) return FirstKey::kEvent;
  return is_document_key(name) ? FirstKey::kDocument : FirstKey::kUnknown;
}

}  // namespace hta::input
