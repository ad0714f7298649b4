#include "json_text.h"

#include <optional>

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

namespace hta::input {
namespace {

std::optional<char32_t> hex4(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  char32_t value = 0;
  for (const char c : text.substr(0, 4)) {
    value <<= 4;
    if (c >= '0' && c <= '9') value |= static_cast<char32_t>(c - '0');
    else if (c >= 'a' && c <= 'f') value |= static_cast<char32_t>(c - 'a' + 10);
    else if (c >= 'A' && c <= 'F') value |= static_cast<char32_t>(c - 'A' + 10);
    else return std::nullopt;
  }
  return value;
}

void append_utf8(std::string& out, char32_t c) {
  const auto byte = [&](char32_t bits) { out += static_cast<char>(static_cast<unsigned char>(bits)); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0 | (c >> 6));
    byte(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    byte(0xE0 | (c >> 12));
    byte(0x80 | ((c >> 6) & 0x3F));
    byte(0x80 | (c & 0x3F));
  } else {
    byte(0xF0 | (c >> 18));
    byte(0x80 | ((c >> 12) & 0x3F));
    byte(0x80 | ((c >> 6) & 0x3F));
    byte(0x80 | (c & 0x3F));
  }
}

bool is_high_surrogate(char32_t c) {
  return c >= 0xD800 && c <= 0xDBFF;
}
bool is_low_surrogate(char32_t c) {
  return c >= 0xDC00 && c <= 0xDFFF;
}

}  // namespace

std::size_t decode_string(std::string_view raw, std::string& out) {
  std::size_t odd = 0;
  out.clear();
  while (!raw.empty()) {
    const std::size_t slash = raw.find('\\');
    out += raw.substr(0, slash);
    if (slash == std::string_view::npos) break;
    raw.remove_prefix(slash);
    const char kind = raw.size() > 1 ? raw[1] : '\0';
    std::size_t used = 2;
    switch (kind) {
      case '"': out += '"'; break;
      case '\\': out += '\\'; break;
      case '/': out += '/'; break;
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case 'n': out += '\n'; break;
      case 'r': out += '\r'; break;
      case 't': out += '\t'; break;
      case 'u': {
        const auto unit = hex4(raw.substr(2));
        if (!unit) {
          ++odd;
          out += "\\u";
          break;
        }
        used = 6;
        char32_t c = *unit;
        if (is_high_surrogate(c)) {
          const bool pair = raw.size() >= 12 && raw[6] == '\\' && raw[7] == 'u';
          const auto low = pair ? hex4(raw.substr(8)) : std::nullopt;
          if (low && is_low_surrogate(*low)) {
            c = 0x10000 + ((c - 0xD800) << 10) + (*low - 0xDC00);
            used = 12;
          } else {
            c = 0xFFFD;
          }
        } else if (is_low_surrogate(c)) {
          c = 0xFFFD;
        }
        append_utf8(out, c);
        break;
      }
      default:
        ++odd;
        out += '\\';
        used = 1;
    }
    raw.remove_prefix(used < raw.size() ? used : raw.size());
  }
  return odd;
}

std::size_t count_odd_escapes(std::string_view raw) {
  std::string decoded;
  return decode_string(raw, decoded);
}

bool is_valid_json(std::string_view text) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  rapidjson::BaseReaderHandler<> ignore;
  return !reader.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag>(stream, ignore)
              .IsError();
}

}  // namespace hta::input
