#include "event_parser.h"

#include <string>

#include <catch2/catch.hpp>

namespace hta::input {
namespace {

using Outcome = EventParser::Outcome;

// Parses with the zero bytes that the parser wants behind the text.
struct Parsed {
  explicit Parsed(EventParser& parser, std::string_view json, Strictness strictness = Strictness::kOneLineStrings)
      : text(json) {
    text.append(kPadding, '\0');
    const char* at = text.data();
    outcome = parser.parse(&at, text.data() + json.size(), event, strictness);
    used = static_cast<std::size_t>(at - text.data());
  }
  std::string text;
  RawEvent event;
  Outcome outcome{};
  std::size_t used = 0;
};

Nanos time_of(std::string_view number) {
  EventParser parser{ArgSet()};
  const Parsed parsed(parser, "{\"ts\": " + std::string(number) + "}");
  REQUIRE(parsed.outcome == Outcome::kEvent);
  REQUIRE(parsed.event.time.state == TimeState::kValid);
  return parsed.event.time.nanos;
}

}  // namespace

TEST_CASE("event parser: times of every spelling are exact nanoseconds") {
  CHECK(time_of("0") == 0);
  CHECK(time_of("5") == 5'000);
  CHECK(time_of("12345678") == 12'345'678'000);
  CHECK(time_of("1712195495505582.988") == 1'712'195'495'505'582'988);
  CHECK(time_of("4026150068523.4") == 4'026'150'068'523'400);
  CHECK(time_of("0.05") == 50);
  CHECK(time_of("1.") == 1'000);
  CHECK(time_of("12.3456") == 12'346);
  CHECK(time_of("12.3455") == 12'346);  // half to even
  CHECK(time_of("12.3445") == 12'344);
  CHECK(time_of("-7.5") == -7'500);
  CHECK(time_of("1.5e3") == 1'500'000);
  CHECK(time_of("2E-3") == 2);
  CHECK(time_of("\"17.25\"") == 17'250);
  CHECK(time_of("9007199254740993.001") == 9'007'199'254'740'993'001);
}

TEST_CASE("event parser: what is no time is told from a missing one") {
  EventParser parser{ArgSet()};
  CHECK(Parsed(parser, R"({"ts": null})").event.time.state == TimeState::kInvalid);
  CHECK(Parsed(parser, R"({"ts": 99999999999999999999})").event.time.state == TimeState::kInvalid);
  CHECK(Parsed(parser, R"({"ts": "soon"})").event.time.state == TimeState::kInvalid);
  CHECK(Parsed(parser, R"({"dur": 1})").event.time.state == TimeState::kAbsent);
}

TEST_CASE("event parser: integers up to 64 bits, other numbers as text") {
  EventParser parser{ArgSet{ArgKey::kCorrelation}};
  const auto value = [&](const std::string& number) {
    const Parsed parsed(parser, R"({"args": {"correlation": )" + number + "}}");
    REQUIRE(parsed.outcome == Outcome::kEvent);
    REQUIRE(parsed.event.arg_count == 1);
    return std::pair(parsed.event.args[0].value.kind, parsed.event.args[0].value.number);
  };
  CHECK(value("7") == std::pair(TokenKind::kInteger, std::int64_t{7}));
  CHECK(value("-12345678") == std::pair(TokenKind::kInteger, std::int64_t{-12345678}));
  CHECK(value("123456789012345678") == std::pair(TokenKind::kInteger, std::int64_t{123456789012345678}));
  CHECK(value("9223372036854775807") == std::pair(TokenKind::kInteger, std::int64_t{INT64_MAX}));
  CHECK(value("9223372036854775808").first == TokenKind::kNumber);
  CHECK(value("1.5").first == TokenKind::kNumber);
  CHECK(value("N/A").first == TokenKind::kLiteral);
  CHECK(value("-Infinity").first == TokenKind::kNumber);
}

TEST_CASE("event parser: any formatting and order of keys, the same again and another") {
  EventParser parser{ArgSet{ArgKey::kStream}};
  const std::string compact = R"({"ph":"X","name":"k","ts":1,"dur":2,"args":{"stream":7,"x":[{"a":"]}"},2]}})";
  const std::string pretty =
      "{\n  \"ph\": \"X\",\n    \"name\" : \"k\", \"ts\": 1,\t\"args\": {\n\"x\": {\"y\": [1, \"}\"]}, \"stream\": "
      "7\n},\n \"dur\": 2\n}";
  for (int round = 0; round < 3; ++round) {
    for (const std::string& json : {compact, pretty, compact}) {
      const Parsed parsed(parser, json);
      REQUIRE(parsed.outcome == Outcome::kEvent);
      CHECK(parsed.used == json.size());
      CHECK(parsed.event.phase == 'X');
      CHECK(parsed.event.name.text == "k");
      CHECK(parsed.event.time.nanos == 1'000);
      CHECK(parsed.event.dur.nanos == 2'000);
      REQUIRE(parsed.event.arg_count == 1);
      CHECK(parsed.event.args[0].value.number == 7);
    }
  }
}

TEST_CASE("event parser: of an argument given twice the last one counts") {
  EventParser parser{ArgSet{ArgKey::kStream, ArgKey::kDevice}};
  const Parsed parsed(parser, R"({"args": {"stream": 1, "device": 0, "stream": 2}})");
  REQUIRE(parsed.event.arg_count == 2);
  CHECK(parsed.event.args[0].value.number == 2);
}

TEST_CASE("event parser: an event that does not end in the buffer is incomplete, wherever it is cut") {
  EventParser parser{ArgSet{ArgKey::kStream}};
  const std::string json =
      R"({"ph": "X", "name": "a \"b\" c", "ts": 12.5, "args": {"stream": 7, "d": [[1, 2], ["x"]], "s": "t"}, "dur": 3})";
  for (std::size_t cut = 1; cut < json.size(); ++cut) {
    INFO(json.substr(0, cut));
    CHECK(Parsed(parser, json.substr(0, cut)).outcome == Outcome::kIncomplete);
  }
  CHECK(Parsed(parser, json).outcome == Outcome::kEvent);
}

TEST_CASE("event parser: what it cannot read it declines") {
  EventParser parser{ArgSet()};
  CHECK(Parsed(parser, R"({"name" "k"} )").outcome == Outcome::kDeclined);
  CHECK(Parsed(parser, R"({name: 1} )").outcome == Outcome::kDeclined);
  CHECK(Parsed(parser, R"({"a": , "b": 1} )").outcome == Outcome::kDeclined);
  CHECK(Parsed(parser, R"({"n\u0061me": 1} )").outcome == Outcome::kDeclined);
  CHECK(Parsed(parser, "{\"name\": \"two\nlines\"} ").outcome == Outcome::kDeclined);
  CHECK(Parsed(parser, "{\"name\": \"two\nlines\"} ", Strictness::kAnyStrings).outcome == Outcome::kEvent);
  CHECK(Parsed(parser, "{\"x\": [\"two\nlines\"]} ").outcome == Outcome::kDeclined);
  CHECK(Parsed(parser, "{\"x\": [\"two\nlines\", [1]]} ", Strictness::kAnyStrings).outcome == Outcome::kEvent);
}

TEST_CASE("event parser: containers with escapes, deep nesting and brackets in strings are skipped") {
  EventParser parser{ArgSet()};
  const std::string deep(5000, '[');
  const std::string closed(5000, ']');
  for (const std::string& value : {std::string(R"(["\"]}", {"k\\": "]"}])"), deep + closed,
                                   std::string("[\"0123456789[[[[[[\", \"{{{{{{{{{{{{{{{{{{\"]"),
                                   std::string(R"({"a": [], "b": {}, "c": [[[{}]]]})")}) {
    const Parsed parsed(parser, R"({"x": )" + value + R"(, "name": "k"})");
    REQUIRE(parsed.outcome == Outcome::kEvent);
    CHECK(parsed.event.name.text == "k");
  }
}

TEST_CASE("event parser: thousands of different keys do not hide the known ones") {
  EventParser parser{ArgSet{ArgKey::kStream}};
  for (int i = 0; i < 3000; ++i) {
    const std::string key = "key " + std::to_string(i);
    const Parsed parsed(parser, "{\"" + key + "\": 1, \"ph\": \"X\", \"args\": {\"" + key + "\": 2, \"stream\": 7}}");
    REQUIRE(parsed.outcome == Outcome::kEvent);
    REQUIRE(parsed.event.phase == 'X');
    REQUIRE(parsed.event.arg_count == 1);
  }
}

}  // namespace hta::input
