#include "support/random_json.h"

#include <array>
#include <string_view>

#include "support/random.h"

namespace hta::test {
namespace {

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {
    style_ = static_cast<int>(random_.in(0, 3));
    odd_percent_ = random_.chance(30) ? 25 : 3;
  }

  std::string document(int events) {
    const bool bare = random_.chance(20);
    if (!bare) {
      out_ += "{";
      blank();
      members(random_.in(0, 4), false);
      key("traceEvents");
    }
    out_ += "[";
    for (int i = 0; i < events; ++i) {
      if (i > 0) out_ += ",";
      line();
      element();
    }
    line();
    out_ += "]";
    if (!bare) {
      members(random_.in(0, 3), true);
      blank();
      out_ += "}";
    }
    if (random_.chance(30)) out_ += "\n";
    return std::move(out_);
  }

 private:
  bool odd() { return random_.chance(odd_percent_); }
  void blank() {
    static constexpr std::array<std::string_view, 4> kBlanks{"", " ", " ", "\n  "};
    out_ += kBlanks[static_cast<std::size_t>(style_)];
    if (odd()) out_ += random_.chance(50) ? "\t" : "\r\n   ";
  }
  void line() {
    if (style_ >= 2) out_ += "\n  ";
  }
  void key(std::string_view name) {
    string(name, odd() && random_.chance(20));
    if (odd()) out_ += " ";
    out_ += ":";
    blank();
  }
  void comma() {
    out_ += ",";
    blank();
  }

  // `escaped`: every character may be written as an escape.
  void string(std::string_view text, bool escaped = false) {
    static constexpr std::string_view kHex = "0123456789abcdef";
    out_ += '"';
    for (const char c : text) {
      if (escaped && random_.chance(30)) {
        out_ += "\\u00";
        out_ += kHex[static_cast<unsigned char>(c) >> 4];
        out_ += kHex[static_cast<unsigned char>(c) & 15];
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }
  void name() {
    static constexpr std::array<std::string_view, 10> kNames{
        "aten::mm",
        "void at::native::vectorized_elementwise_kernel<4, at::native::{lambda(float)#1}>(int)",
        "",
        "ProfilerStep#12",
        R"(quoted \"name\" [x] {y})",
        R"(path\\C:\\x\/y)",
        R"(tab\tline\n)",
        "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80",
        R"(\u00e9\ud83d\ude00)",
        R"(},{\"ph\":\"X\",\"name\":\"fake\"},{)"};
    string(kNames[static_cast<std::size_t>(random_.in(0, kNames.size() - 1))]);
    if (odd()) {
      out_.pop_back();
      out_.append(static_cast<std::size_t>(random_.in(0, 90)), 'x');
      out_ += '"';
    }
  }
  void number() {
    if (random_.chance(20)) out_ += "-";
    out_ += std::to_string(random_.in(0, random_.chance(20) ? INT64_MAX : 2'000'000));
    if (odd()) out_ += "00000000000";
    if (random_.chance(50)) {
      out_ += ".";
      for (auto n = random_.in(1, odd() ? 25 : 4); n > 0; --n) out_ += static_cast<char>('0' + random_.in(0, 9));
    }
    if (odd())
      out_ += std::string(random_.chance(50) ? "e" : "E") +
              (random_.chance(40)   ? "-"
               : random_.chance(30) ? "+"
                                    : "") +
              std::to_string(random_.in(0, 8));
  }
  void integer() { out_ += std::to_string(random_.in(-2, 40)); }
  void value(int depth) {
    switch (random_.in(0, depth > 4 ? 4 : 6)) {
      case 0: number(); return;
      case 1: integer(); return;
      case 2: name(); return;
      case 3: out_ += random_.chance(50) ? "true" : "false"; return;
      case 4: out_ += "null"; return;
      case 5: {
        out_ += "[";
        blank();
        for (auto n = random_.in(0, 4); n > 0; --n) {
          value(depth + 1);
          if (n > 1) comma();
        }
        blank();
        out_ += "]";
        return;
      }
      default: {
        static constexpr std::array<std::string_view, 6> kKeys{"a", "name", "ts", "cat", "id", "x y"};
        out_ += "{";
        blank();
        for (auto n = random_.in(0, 3); n > 0; --n) {
          key(kKeys[static_cast<std::size_t>(random_.in(0, kKeys.size() - 1))]);
          value(depth + 1);
          if (n > 1) comma();
        }
        blank();
        out_ += "}";
      }
    }
  }

  void args() {
    static constexpr std::array<std::string_view, 11> kKeys{"device",         "stream",    "correlation",
                                                            "External id",    "bytes",     "Collective name",
                                                            "Input Dims",     "grid",      "memory bandwidth (GB/s)",
                                                            "something else", "Call stack"};
    key("args");
    if (odd() && random_.chance(20)) return value(0);
    out_ += "{";
    blank();
    for (auto n = random_.in(0, 6); n > 0; --n) {
      key(kKeys[static_cast<std::size_t>(random_.in(0, kKeys.size() - 1))]);
      value(1);
      if (n > 1) comma();
    }
    blank();
    out_ += "}";
  }
  void phase() {
    static constexpr std::string_view kPhases = "XXXXXXXBEifsMC";
    key("ph");
    if (odd() && random_.chance(20)) return string("X", true);
    if (odd() && random_.chance(20)) return value(3);
    out_ += '"';
    out_ += kPhases[static_cast<std::size_t>(random_.in(0, kPhases.size() - 1))];
    out_ += '"';
  }
  void time(std::string_view which) {
    key(which);
    const bool text = odd();
    if (text) out_ += '"';
    number();
    if (text) out_ += '"';
  }
  void field(int which) {
    switch (which) {
      case 0: return phase();
      case 1: key("cat"); return odd() ? value(3) : string("kernel");
      case 2: key("name"); return odd() ? value(3) : name();
      case 3: key("pid"); return odd() ? value(3) : integer();
      case 4: key("tid"); return odd() ? string("stream 7") : integer();
      case 5: return time("ts");
      case 6: return time("dur");
      case 7: return args();
      case 8: key("id"); return integer();
      default: key("bp"); return string("e");
    }
  }
  void element() {
    if (odd() && random_.chance(10)) {
      out_ += "null";
      return;
    }
    out_ += "{";
    blank();
    const bool in_order = random_.chance(80);
    bool first = true;
    for (int i = 0; i < 9; ++i) {
      if (random_.chance(i == 0 ? 2 : 10)) continue;
      if (!first) comma();
      first = false;
      field(in_order ? i : static_cast<int>(random_.in(0, 9)));
    }
    blank();
    out_ += "}";
  }

  void members(std::int64_t n, bool behind) {
    static constexpr std::array<std::string_view, 6> kKeys{"schemaVersion",       "deviceProperties", "displayTimeUnit",
                                                           "baseTimeNanoseconds", "traceName",        "other"};
    for (std::int64_t i = 0; i < n; ++i) {
      if (behind) comma();
      key(kKeys[static_cast<std::size_t>(i)]);
      value(0);
      if (!behind) comma();
    }
  }

  Random random_;
  std::string out_;
  int style_ = 0;
  int odd_percent_ = 3;
};

}  // namespace

std::string random_document(std::uint64_t seed, int events) {
  return Writer(seed).document(events);
}

}  // namespace hta::test
