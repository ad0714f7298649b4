#include "page/markup.h"

#include <catch2/catch.hpp>

using namespace hta::report::page;

TEST_CASE("markup: nothing from a trace becomes an element, an attribute or an entity") {
  CHECK(escaped("<script>alert(1)</script>") == "&lt;script&gt;alert(1)&lt;/script&gt;");
  CHECK(escaped("\" onload='x'") == "&quot; onload=&#39;x&#39;");
  CHECK(escaped("a && b &lt;") == "a &amp;&amp; b &amp;lt;");
  CHECK(escaped("<!-- -->") == "&lt;!-- --&gt;");
  CHECK(escaped("plain µs – 漢字") == "plain µs – 漢字");
}

TEST_CASE("markup: what is no text is replaced") {
  CHECK(escaped("a\x01"
                "b\x7F") ==
        "a\xEF\xBF\xBD"
        "b\xEF\xBF\xBD");
  CHECK(escaped("line\nbreak\ttab") == "line\nbreak\ttab");
  CHECK(escaped("bad \xFF utf-8") == "bad \xEF\xBF\xBD utf-8");
  CHECK(escaped(std::string_view("nul\0", 4)) == "nul\xEF\xBF\xBD");
}

TEST_CASE("markup: JSON in a script element can neither end it nor open a comment") {
  CHECK(script_safe(R"({"n":"</script><!--"})") == R"({"n":"\u003c/script>\u003c!--"})");
  CHECK(script_safe("[1,2]") == "[1,2]");
}

TEST_CASE("markup: short names are readable, and keep both ends") {
  CHECK(short_name("void gemm<float>(int, float*)", 40) == "gemm<float>");
  CHECK(short_name("abcdefghijklmnopqrstuvwxyz", 11) == "abcdefg…xyz");
}
