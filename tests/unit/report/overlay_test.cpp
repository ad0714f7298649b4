#include "hta/report/overlay.h"

#include "hta/input/byte_source.h"

#include <string>
#include <string_view>
#include <vector>

#include "support/temporary_file.h"
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <rapidjson/document.h>

namespace {

using hta::report::write_overlay;
using hta::result::DamagedInput;
using hta::result::Overlay;
using hta::test::TemporaryFile;

const std::string kFirst = R"({"ph": "X", "name": "a", "ts": 1.5, "dur": 2, "unknown": {"k": [1, "]"]}})";
const std::string kSecond = R"({"ph":"M","name":"process_name","pid":7,"args":{"name":"p\u0041\"]}"}})";
const std::string kThird = R"({ "name":"c", "ph":"i", "ts":"3", "s":"t" })";
const std::string kNew = R"({"ph":"X","name":"new","ts":9,"dur":1})";

struct Written {
  std::string text;
  std::string error;
  hta::report::OverlayCounts counts;
};

Written write(std::string_view source, Overlay overlay) {
  const TemporaryFile file(source);
  overlay.source_path = file.path();
  if (overlay.target_path.empty()) overlay.target_path = "out.json";
  Written written;
  hta::report::Out out([&](std::string_view bytes) { written.text += bytes; });
  auto counts = write_overlay(overlay, out);
  out.flush();
  if (counts) written.counts = *counts;
  else written.error = counts.error().message;
  return written;
}

Overlay with_element() {
  Overlay overlay;
  overlay.elements = {kNew};
  return overlay;
}

// Strict in the eyes of two parsers; the event array of the document.
nlohmann::json events_of(const std::string& text) {
  rapidjson::Document strict;
  strict.Parse(text.data(), text.size());
  REQUIRE_FALSE(strict.HasParseError());
  const nlohmann::json json = nlohmann::json::parse(text);
  return json.is_array() ? json : json.at("traceEvents");
}

std::vector<std::string> names_of(const std::string& text) {
  std::vector<std::string> names;
  for (const auto& event : events_of(text)) names.push_back(event.at("name").get<std::string>());
  return names;
}

std::string unpacked(const std::string& bytes) {
  const auto source = hta::input::memory_source(bytes.data(), bytes.size());
  std::string text(bytes.size() * 100 + 1000, '\0');
  std::size_t filled = 0;
  for (;;) {
    const auto n = source->read(text.data() + filled, text.size() - filled);
    REQUIRE(n.ok());
    if (*n == 0) break;
    filled += *n;
  }
  CHECK(source->trouble().kind == hta::input::PackingTrouble::Kind::kNone);
  text.resize(filled);
  return text;
}

TEST_CASE("overlay: an object keeps every byte, and the element stands before the closing bracket") {
  const std::string head = "{\n \"schemaVersion\": 1, \"traceEvents\" : [ ";
  const std::string tail = "\n ] , \"traceName\": \"x]\"}";
  const std::string events = kFirst + " ,\n\t" + kSecond + "," + kThird;
  const Written written = write(head + events + tail, with_element());
  CHECK(written.text == head + events + ",\n" + kNew + tail + "\n");
  CHECK(events_of(written.text).size() == 4);
  CHECK(written.counts.copied == 3);
  CHECK(written.counts.added == 1);
  CHECK(written.counts.lost == 0);
}

TEST_CASE("overlay: a bare array keeps its form") {
  const Written written = write("[" + kFirst + "]", with_element());
  CHECK(written.text == "[" + kFirst + ",\n" + kNew + "]\n");
}

TEST_CASE("overlay: an unterminated array is closed") {
  for (const std::string& cut : {"[" + kFirst, "[" + kFirst + ",", "[" + kFirst + ",\n" + kSecond.substr(0, 30)}) {
    const Written written = write(cut, with_element());
    CHECK(names_of(written.text) == std::vector<std::string>{"a", "new"});
  }
}

TEST_CASE("overlay: an object that is cut off is closed wherever the cut is") {
  const std::string whole = "{\"traceEvents\": [" + kFirst + "," + kSecond + "], \"traceName\": \"abc\", \"n\": 12}";
  const std::size_t array = whole.find('[') + 1;
  for (std::size_t length = array; length < whole.size(); ++length) {
    const Written written = write(whole.substr(0, length), with_element());
    INFO(whole.substr(0, length) << " -> " << written.text);
    const auto names = names_of(written.text);
    REQUIRE_FALSE(names.empty());
    CHECK(names.back() == "new");
    if (length >= array + kFirst.size()) CHECK(names.front() == "a");
  }
}

TEST_CASE("overlay: an empty event array takes the element") {
  CHECK(names_of(write("{\"traceEvents\": [], \"a\": 1}", with_element()).text) == std::vector<std::string>{"new"});
  CHECK(names_of(write("{\"traceEvents\": [ \n ]}", with_element()).text) == std::vector<std::string>{"new"});
  CHECK(names_of(write("[]", with_element()).text) == std::vector<std::string>{"new"});
}

TEST_CASE("overlay: nothing to add leaves the file as it is") {
  const std::string text = "{\"traceEvents\": [\n" + kFirst + ",\n" + kThird + "\n], \"a\": {\"b\": []}}";
  CHECK(write(text, {}).text == text + "\n");
}

TEST_CASE("overlay: a trailing comma goes, with or without an element behind it") {
  CHECK(names_of(write("{\"traceEvents\": [" + kFirst + ",\n]}", with_element()).text) ==
        std::vector<std::string>{"a", "new"});
  CHECK(names_of(write("{\"traceEvents\": [" + kFirst + ",\n]}", {}).text) == std::vector<std::string>{"a"});
}

TEST_CASE("overlay: a second document and a byte order mark are left out") {
  const std::string document = "{\"traceEvents\": [" + kFirst + "]}";
  CHECK(names_of(write("\xEF\xBB\xBF" + document + "\n" + document, with_element()).text) ==
        std::vector<std::string>{"a", "new"});
}

TEST_CASE("overlay: metadata with brackets and a member of the same name do not confuse the end") {
  const std::string text =
      "{\"x\": {\"traceEvents\": [1]}, \"traceEvents\": [" + kFirst + "], \"y\": [{\"z\": \"]\"}]}";
  const Written written = write(text, with_element());
  CHECK(names_of(written.text) == std::vector<std::string>{"a", "new"});
  CHECK(nlohmann::json::parse(written.text).at("y").size() == 1);
}

TEST_CASE("overlay: a target in .gz is packed, and a packed source is read") {
  const std::string text = "{\"traceEvents\": [" + kFirst + "]}";
  Overlay overlay = with_element();
  overlay.target_path = "out.json.gz";
  const Written packed = write(text, overlay);
  CHECK(packed.text.starts_with("\x1F\x8B"));
  CHECK(unpacked(packed.text) == write(text, with_element()).text);
  CHECK(names_of(write(packed.text, with_element()).text) == std::vector<std::string>{"a", "new", "new"});
}

TEST_CASE("overlay: counter tracks become one element a point") {
  Overlay overlay;
  overlay.counters.push_back({"Queue \"7\"", "3", "launches", 0, {{1'500, 2}, {2'000'001, 0}}});
  overlay.counters.push_back({"Memset", "\"p\"", "GB/s", 6, {{0, 1'250'000}}});
  const auto events = events_of(write("[]", overlay).text);
  REQUIRE(events.size() == 3);
  CHECK(events[0] ==
        nlohmann::json::parse(
            R"({"ph":"C","cat":"hta_counter","name":"Queue \"7\"","pid":3,"tid":0,"ts":1.5,"args":{"launches":2}})"));
  CHECK(events[1].at("ts") == 2000.001);
  CHECK(events[2].at("pid") == "p");
  CHECK(events[2].at("args").at("GB/s") == 1.25);
}

TEST_CASE("overlay: only chosen positions and metadata records are kept") {
  const std::string text = "{\"traceEvents\": [" + kFirst + ",\n" + kSecond + ",\n" + kThird + ",\n" + kFirst + "\n]}";
  Overlay overlay = with_element();
  overlay.keep_positions = std::vector<std::uint32_t>{2};
  const Written written = write(text, overlay);
  CHECK(names_of(written.text) == std::vector<std::string>{"process_name", "c", "new"});
  CHECK(written.counts.dropped == 2);
  overlay.keep_positions = std::vector<std::uint32_t>{};
  overlay.elements.clear();
  CHECK(names_of(write(text, overlay).text) == std::vector<std::string>{"process_name"});
}

TEST_CASE("overlay: a damaged record is left out, or the file is refused") {
  const std::string text =
      "{\"traceEvents\": [" + kFirst + ",\n{\"ph\": \"X\", \"name\": \"un\"quoted\"},\n" + kThird + "]}";
  const Written written = write(text, with_element());
  CHECK(names_of(written.text) == std::vector<std::string>{"a", "c", "new"});
  CHECK(written.counts.lost == 1);
  Overlay strict = with_element();
  strict.damaged = DamagedInput::kRefuse;
  CHECK(write(text, strict).error == "is damaged or cut off, so no trace is written from it; hta info shows where");
  CHECK(write("[" + kFirst, strict).error.empty());  // the array form may be unterminated
  CHECK(write("{\"traceEvents\": [" + kFirst, strict).error ==
        "is damaged or cut off, so no trace is written from it; hta info shows where");
}

TEST_CASE("overlay: a file without its beginning is refused") {
  const std::string text = R"(me": "lost", "ts": 1}, )" + kFirst + ",\n" + kThird + "]}";
  CHECK(write(text, with_element()).error == "is damaged too badly to be copied; hta info shows where");
}

TEST_CASE("overlay: damaged metadata in front of the events is refused") {
  const std::string text = "{\"a\": \"un\"quoted\", \"traceEvents\": [" + kFirst + "]}";
  CHECK(write(text, with_element()).error == "has damaged metadata, which cannot be copied; repair the file first");
}

TEST_CASE("overlay: what is no trace is refused") {
  CHECK(write("{\"a\": 1}", with_element()).error == "holds no event array to add to");
  CHECK(write("", with_element()).error == "holds no event array to add to");
}

TEST_CASE("overlay: a file larger than the buffer passes through") {
  std::string events;
  for (int i = 0; i < 60'000; ++i) {
    if (i > 0) events += i % 3 == 0 ? " ,\r\n" : ",\n";
    events += R"({"ph":"X","name":")" + std::string(static_cast<std::size_t>(i % 97), 'x') + R"(","ts":)" +
              std::to_string(i) + "}";
  }
  events += R"(,{"ph":"X","name":"large","args":{"t":")" + std::string(3'000'000, 'y') + R"("}})";
  const Written written =
      write("{\"traceEvents\":[" + events + "],\"z\":\"" + std::string(2'000'000, 'z') + "\"}", with_element());
  CHECK(written.text ==
        "{\"traceEvents\":[" + events + ",\n" + kNew + "],\"z\":\"" + std::string(2'000'000, 'z') + "\"}\n");
}

}  // namespace
