#include "text_layout.h"

#include "hta/base/text.h"

#include <algorithm>

namespace hta::report {

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent) {
  if (width == 0) return std::string(text);
  const std::size_t lead = std::min(text.find_first_not_of(' '), text.size());
  std::string out(text.substr(0, lead));
  std::size_t used = lead;
  bool first = true;
  text.remove_prefix(lead);
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    const std::string_view word = text.substr(0, blank);
    const std::size_t columns = display_width(word);
    if (!first && used + 1 + columns > width) {
      out += "\n" + std::string(indent);
      used = indent.size();
    } else if (!first) {
      out += ' ';
      ++used;
    }
    first = false;
    out += word;
    used += columns;
    text = blank == std::string_view::npos ? std::string_view() : text.substr(blank + 1);
  }
  return out;
}

std::string markdown_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '*' || c == '_' || c == '`' || c == '[' || c == ']') out += '\\';
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else out += c;
  }
  return out;
}

}  // namespace hta::report
