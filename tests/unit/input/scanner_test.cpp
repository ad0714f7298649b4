// Damage, one kind at a time: what is used, what is counted, and where.
#include <utility>

#include "support/scanned.h"
#include <catch2/catch.hpp>

namespace hta::test {
namespace {

using input::ScanLimits;

std::string event(int i) {
  return R"({"ph":"X","cat":"kernel","name":"k)" + std::to_string(i) + R"(","pid":0,"tid":7,"ts":)" +
         std::to_string(10 * i) + R"(,"dur":5})";
}
std::string document(std::string_view events, std::string_view tail = "") {
  return R"({"schemaVersion":1,"traceEvents":[)" + std::string(events) + "]" + std::string(tail) + "}";
}
std::string names(const Scanned& scanned) {
  std::string out;
  for (const ScannedEvent& e : scanned.events)
    out += (out.empty() ? "" : " ") + (e.name.empty() ? std::string("-") : e.name.substr(1));
  return out;
}
std::string faults(const Scanned& scanned) {
  std::string out;
  for (const ScannedFault& f : scanned.faults)
    out += (out.empty() ? "" : ", ") + std::string(event_fault_text(f.fault)) + " at " + std::to_string(f.offset);
  return out;
}
// In two pieces, parted at any byte, and byte by byte it gives what it gives in one.
void check_any_cut(const std::string& text, const ScanLimits& limits = {}) {
  const Scanned whole = scan(text, whole_text(), limits);
  CHECK(scan(text, chunks_of(1), limits) == whole);
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    INFO("parted at " << cut);
    bool first = true;
    const auto sizes = [&] { return std::exchange(first, false) ? cut : text.size(); };
    REQUIRE(scan(text, sizes, limits) == whole);
  }
}
// Where the n-th record of document() begins if all before it are event()s.
std::string at(std::string_view text, std::string_view part) {
  return std::to_string(text.find(part));
}

}  // namespace

TEST_CASE("scanner: raw quotes in a name lose that event alone") {
  const std::string bad = R"({"ph":"X","name":"{"a": "b"}","pid":0,"ts":1,"dur":1})";
  const std::string text = document(event(1) + "," + bad + "," + event(3));
  const Scanned got = scan(text);
  CHECK(names(got) == "k1 k3");
  CHECK(faults(got) == "damaged text at " + at(text, bad));
}

TEST_CASE("scanner: a lost quote does not run into the events behind it") {
  const std::string bad = R"({"ph":"X","name":"x,"pid":0,"args":{"list":["a","b],"n":1},"ts":1,"dur":1})";
  const std::string text = document(event(1) + "," + bad + "," + event(3) + "," + event(4));
  const Scanned got = scan(text);
  CHECK(names(got) == "k1 k3 k4");
  CHECK(faults(got) == "damaged text at " + at(text, bad));
}

TEST_CASE("scanner: damaged events in a row are counted one by one") {
  const std::string bad = R"({"ph":"X","name":"x,"pid":0,"ts":1,"dur":1})";
  const Scanned got = scan(document(event(1) + "," + bad + "," + bad + "," + bad + "," + event(5)));
  CHECK(names(got) == "k1 k5");
  CHECK(got.faults.size() == 3);
}

TEST_CASE("scanner: objects inside a damaged event are not taken for events") {
  const std::string bad =
      R"({"ph":"X","args":{"list":[{"name":"inner","id":1},{"name":"inner2"}],"y":2},"name":bad"x","ts":1})";
  const Scanned got = scan(document(event(1) + "," + bad + "," + event(3)));
  CHECK(names(got) == "k1 k3");
  CHECK(got.faults.size() == 1);
  CHECK_FALSE(got.report.truncated);
}

TEST_CASE("scanner: raw control characters in a string keep the event") {
  const Scanned got = scan(document(R"({"ph":"X","name":"a)"
                                    "\n\x01"
                                    R"(b","ts":1,"dur":1},)" +
                                    event(2)));
  REQUIRE(got.events.size() == 2);
  CHECK(got.events[0].name ==
        "sa\n\x01"
        "b");
  CHECK(got.report.control_characters == 1);
  CHECK(got.faults.empty());
}

TEST_CASE("scanner: NaN, N/A and other bare words are values") {
  const Scanned got =
      scan(document(R"({"ph":"X","name":"a","ts":NaN,"dur":Infinity,"args":{"device":N/A,"stream":7}},)" + event(2)));
  REQUIRE(got.events.size() == 2);
  CHECK(got.events[0].time == "invalid");
  CHECK(got.events[0].args.at("device") == "lN/A");
  CHECK(got.events[0].args.at("stream") == "i7");
}

TEST_CASE("scanner: missing, doubled and trailing commas") {
  CHECK(names(scan(document(event(1) + event(2) + ",," + event(3)))) == "k1 k2 k3");
  const Scanned trailing = scan(document(event(1) + " , "));
  CHECK(names(trailing) == "k1");
  CHECK(trailing.report.trailing_comma);
  CHECK_FALSE(trailing.report.truncated);
}

TEST_CASE("scanner: elements that are no events are counted, null is not") {
  const Scanned got = scan(document(event(1) + ",null,5,\"text\",[1,{\"a\":2}]," + event(2)));
  CHECK(names(got) == "k1 k2");
  CHECK(got.faults.size() == 3);
  CHECK(names(scan(document(event(1) + ",{}"))) == "k1 -");
}

TEST_CASE("scanner: bytes between events cost no event") {
  const std::string text = document(event(1) + "," + std::string(40, '\0') + event(2) + ",x" + event(3));
  const Scanned got = scan(text);
  CHECK(names(got) == "k1 k2 k3");
  CHECK(got.faults.size() == 2);
}

TEST_CASE("scanner: a text cut short gives the events before") {
  const std::string text = document(event(1) + "," + event(2));
  const Scanned inside = scan(text.substr(0, text.find("k2") + 1));
  CHECK(names(inside) == "k1");
  CHECK(faults(inside) == "cut off at the end of the file at " + at(text, event(2)));
  CHECK(inside.report.truncated);
  const Scanned between = scan(text.substr(0, text.find(event(2))));
  CHECK(between.faults.empty());
  CHECK(between.report.truncated);
  // A bare array may lack its end.
  const Scanned bare = scan("[" + event(1) + "," + event(2));
  CHECK(names(bare) == "k1 k2");
  CHECK_FALSE(bare.report.truncated);
  CHECK(bare.report.bare_array);
}

TEST_CASE("scanner: metadata is read before and behind the events") {
  const Scanned got =
      scan(R"({"a": 1, "distributedInfo": {"rank": 5}, "traceEvents": [], "b\u0063": "x", "d": [1, 2]})");
  using Member = std::pair<std::string, std::string>;
  CHECK(got.metadata ==
        std::vector<Member>{{"a", "1"}, {"distributedInfo", "{\"rank\": 5}"}, {"bc", "\"x\""}, {"d", "[1, 2]"}});
  CHECK(got.report.saw_event_array);
}

TEST_CASE("scanner: a lost quote in the metadata does not cost the events") {
  const Scanned got = scan(
      R"({"schemaVersion": 1, "deviceProperties": [{"name": "GPU, "id": 0}], "distributedInfo": {"rank": 2}, "traceEvents": [)" +
      event(1) + "," + event(2) + "]}");
  CHECK(names(got) == "k1 k2");
  CHECK(got.report.damaged_metadata == 1);
  CHECK(got.metadata.back().first == "distributedInfo");
}

TEST_CASE("scanner: the name of the event array or the first byte may be damaged") {
  CHECK(names(scan("{\"trXceEvents\":[" + event(1) + "," + event(2) + "]}")) == "k1 k2");
  CHECK(names(scan("{\"traceEvents\":\"[\n" + event(1) + ",\n" + event(2) + "]}")) == "k1 k2");
  CHECK(names(scan("{\"traceEvents\": Z\n" + event(1) + ",\n" + event(2) + "]}")) == "k1 k2");
  const Scanned head = scan("x\"schemaVersion\":1,\"traceEvents\":[" + event(1) + "]}");
  CHECK(names(head) == "k1");
  CHECK(head.report.head_lost);
  const Scanned tail = scan(event(1).substr(10) + "," + event(2) + "," + event(3) + "]}");
  CHECK(names(tail) == "k2 k3");
  CHECK(tail.report.head_lost);
}

TEST_CASE("scanner: a lost bracket at the end of the events still gives what follows") {
  const Scanned got = scan("{\"traceEvents\":[" + event(1) + "\n,\"traceName\":\"x\"}");
  CHECK(names(got) == "k1");
  CHECK(got.metadata.size() == 1);
}

TEST_CASE("scanner: of two documents the first is read") {
  const Scanned got = scan(document(event(1)) + "\n" + document(event(2)));
  CHECK(names(got) == "k1");
  CHECK(got.report.second_document);
  const Scanned garbage = scan(document(event(1)) + "\nDone.\n");
  CHECK(names(garbage) == "k1");
  CHECK(garbage.report.trailing_garbage);
  CHECK_FALSE(scan(document(event(1)) + std::string("\n\0\0", 3)).report.trailing_garbage);
}

TEST_CASE("scanner: a document that begins inside another ends it") {
  const std::string first = document(event(1) + "," + event(2));
  const std::string cut = first.substr(0, first.find("k2"));
  const Scanned got = scan(cut + document(event(3) + "," + event(4)));
  CHECK(names(got) == "k1");
  CHECK(got.report.interrupted_at == cut.size());
  CHECK_FALSE(got.report.several_writers);
  // With no record before it, it is as good as the first.
  const Scanned second = scan(R"({"schemaVersion":1,"deviceProp)" + document(event(3)));
  CHECK(names(second) == "k3");
  CHECK_FALSE(second.report.interrupted_at);
}

TEST_CASE("scanner: limits drop what is too large, and nothing else") {
  const ScanLimits limits{200, 60};
  const std::string large = R"({"ph":"X","name":")" + std::string(300, 'x') + R"(","ts":1,"dur":1})";
  const std::string text = "{\"big\":\"" + std::string(500, 'y') + "\",\"traceEvents\":[" + event(1) + "," + large +
                           "," + event(3) + "],\"traceName\":\"n\"}";
  for (const std::size_t size : {1u, 50u, 100'000u}) {
    const Scanned got = scan(text, chunks_of(size), limits);
    CHECK(names(got) == "k1 k3");
    CHECK(faults(got) == "larger than the limit at " + at(text, large));
    CHECK(got.metadata.size() == 1);
  }
}

TEST_CASE("scanner: what a place is does not depend on where a buffer ends") {
  const std::string inner = R"({"ph":"X","name":"inner","ts":1})";
  const std::string far(300, 'y');
  SECTION("an object in front of which a colon stood is a value") {
    const std::string text = "lost \"args\":" + inner + far;
    CHECK(scan(text).events.empty());
    check_any_cut(text);
  }
  SECTION("a value that begins as a document does is told by what follows") {
    check_any_cut(document(event(1) + R"(,lost "a":{"with_stack":1,"traceEvents":[)" + event(2)));
    check_any_cut(document(event(1) + R"(,lost "a":{"with_stack":1,"traceNames":[)" + event(2)));
  }
  SECTION("the name of a member is told by its colon, if that is near") {
    check_any_cut("lost \"traceEvents\"" + std::string(200, ' ') + ":[]}");
    check_any_cut("lost \"traceEvents\"" + std::string(300, ' ') + ":[]}");
    check_any_cut("lost \"traceEvents\":" + std::string(300, ' ') + "[]}");
  }
  SECTION("the rare kinds of records have an end as well") {
    const std::string outer = R"({"ph":"X","\u006eame":"outer","args":{"list":[)" + inner + R"(]},"ts":1,"dur":1})";
    const std::string text = document(outer + "," + event(2));
    CHECK(names(scan(text)) == "outer k2");
    check_any_cut(text);
  }
  SECTION("a phase may end where a record is too large") {
    const std::string text = document(R"({"name":"x","ph":"\u0058","ts":1},)" + event(2));
    for (std::size_t limit = 10; limit < 40; ++limit) check_any_cut(text, {limit, 100});
  }
  SECTION("a byte order mark stands at the first byte") {
    const std::string mark = "\xEF\xBB\xBF";
    CHECK_FALSE(scan(mark + document(event(1))).report.head_lost);
    CHECK(scan(mark + mark + document(event(1))).report.head_lost);
    check_any_cut(mark + mark + document(event(1)));
    check_any_cut(" " + mark + document(event(1)));
  }
}

TEST_CASE("scanner: a large record is suspected at the same sizes in all buffers") {
  const std::string inner = R"({"ph":"X","name":"inner","ts":1})";
  const std::string filler(9000, 'y');
  const auto record = [&](std::string_view key, std::string_view list, std::size_t fillers) {
    std::string text = R"({"ph":"X","args":{"list":[)" + std::string(list) + "]";
    for (; fillers > 0; --fillers) text += ",\"text\":\"" + filler + "\"";
    return text + "},\"" + std::string(key) + R"(":"large","ts":1,"dur":1})";
  };
  const auto check = [&](const std::string& text, std::string_view wanted) {
    const Scanned whole = scan(text);
    CHECK(names(whole) == wanted);
    for (const std::size_t size : {500u, 5000u, 16384u, 17000u, 40'000u}) CHECK(scan(text, chunks_of(size)) == whole);
  };
  for (const std::size_t fillers : {2u, 4u, 30u}) {
    check(document(record("name", "", fillers) + "," + event(2)), "large k2");
    check(document(record("n\\u0061me", "", fillers) + "," + event(2)), "large k2");
    // What looks like a record in it may be one, behind a lost quote; the end of its list may be that of the events.
    check(document(record("name", inner + ",{}", fillers) + "," + event(2)), "inner - k2");
    check(document(record("n\\u0061me", inner + ",{}", fillers) + "," + event(2)), "inner - k2");
    check(document(record("name", inner, fillers)).substr(0, 17'000), "inner");  // cut off
  }
}

TEST_CASE("scanner: deep nesting is read without recursion") {
  const std::size_t depth = 300'000;
  const std::string deep =
      R"({"ph":"X","name":"d","ts":1,"dur":1,"args":{"x":)" + std::string(depth, '[') + std::string(depth, ']') + "}}";
  CHECK(names(scan(document(deep + "," + event(2)))) == "d k2");
  const Scanned open =
      scan(document(R"({"ph":"X","name":"d","args":{"x":)" + std::string(depth, '[') + "," + event(2)));
  CHECK(names(open) == "k2");
  CHECK(names(scan("{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + ",\"traceEvents\":[" + event(1) +
                   "]}")) == "k1");
}

TEST_CASE("scanner: escaped keys and phases are read") {
  const Scanned got = scan(document(R"({"\u0070h":"\u0058","n\u0061me":"x","ts":1,"dur":2,"args":{"dev\u0069ce":3}})"));
  REQUIRE(got.events.size() == 1);
  CHECK(got.events[0].phase == 'X');
  CHECK(got.events[0].name == "sx");
  CHECK(got.events[0].args.at("device") == "i3");
}

TEST_CASE("scanner: text that is no trace has no events") {
  for (const char* text : {"", " \n", "<html><body>{\"name\": 1}</body></html>", "[1, 2, 3]", "{\"a\": [1, 2]}",
                           "hello", "{", "[", "{}", "[]", "null"}) {
    INFO(text);
    const Scanned got = scan(text);
    CHECK(got.events.empty());
    CHECK_FALSE(got.report.several_writers);
  }
}

}  // namespace hta::test
