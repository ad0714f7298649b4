#include "json_text.h"

#include <catch2/catch.hpp>

namespace hta::input {
namespace {

std::string decoded(std::string_view raw, std::size_t odd = 0) {
  std::string out;
  CHECK(decode_string(raw, out) == odd);
  return out;
}

}  // namespace

TEST_CASE("json text: escapes are decoded") {
  CHECK(decoded(R"(a \"b\" \\ \/ c)") == "a \"b\" \\ / c");
  CHECK(decoded(R"(\b\f\n\r\t)") == "\b\f\n\r\t");
  CHECK(decoded(R"(\u0041\u00e9\u20AC)") == "A\xC3\xA9\xE2\x82\xAC");
  CHECK(decoded(R"(\ud83d\ude00)") == "\xF0\x9F\x98\x80");
  CHECK(decoded(R"(\u0000x)") == std::string("\0x", 2));
}

TEST_CASE("json text: a lone surrogate becomes the replacement character") {
  CHECK(decoded(R"(\ud83d)") == "\xEF\xBF\xBD");
  CHECK(decoded(R"(\ud83dx)") == "\xEF\xBF\xBDx");
  CHECK(decoded(R"(\ude00\ud83d\u0041)") ==
        "\xEF\xBF\xBD\xEF\xBF\xBD"
        "A");
}

TEST_CASE("json text: unknown escapes stay as they are and are counted") {
  CHECK(decoded(R"(C:\Users\dev)", 2) == R"(C:\Users\dev)");
  CHECK(decoded(R"(\u12)", 1) == R"(\u12)");
  CHECK(decoded(R"(\uzzzz)", 1) == R"(\uzzzz)");
  CHECK(decoded("end\\", 1) == "end\\");
  CHECK(count_odd_escapes(R"(\d\w\n)") == 2);
}

TEST_CASE("json text: validity is that of JSON") {
  for (const char* text :
       {"{}", "[1, 2.5e3, \"a\\n\", null, {\"b\": [true]}]", "\"x\"", " 1 ", "123456789012345678901234567890"}) {
    INFO(text);
    CHECK(is_valid_json(text));
  }
  for (const char* text : {"", "{", "N/A", "[1,]", "{\"a\": N/A}", "{\"a\" 1}", "\"a\nb\"", "[1] 2", "'a'"}) {
    INFO(text);
    CHECK_FALSE(is_valid_json(text));
  }
  CHECK(is_valid_json(std::string(2'000'000, '[') + std::string(2'000'000, ']')));  // not by recursion
}

}  // namespace hta::input
