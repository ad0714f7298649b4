#include "markup.h"

#include "hta/base/text.h"
#include "hta/report/render.h"

namespace hta::report::page {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

std::string_view entity_of(char c) {
  switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return {};
  }
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
}

}  // namespace

std::string escaped(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::string out;
  out.reserve(valid.size());
  for (const char c : valid) {
    if (const std::string_view entity = entity_of(c); !entity.empty()) out += entity;
    else if (is_control(c)) out += kReplacement;
    else out += c;
  }
  return out;
}

std::string script_safe(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') out += "\\u003c";
    else out += c;
  }
  return out;
}

std::string short_name(std::string_view name, std::size_t width) {
  return shorten_middle(readable_kernel_name(valid_utf8(name)), width);
}

}  // namespace hta::report::page
