// The scanner against a strict JSON parser, and against itself with the text cut into other buffers.
#include <array>

#include "support/random.h"
#include "support/random_json.h"
#include "support/scanned.h"
#include <catch2/catch.hpp>

namespace hta::test {
namespace {

// The records without what the strict parser does not tell.
std::vector<ScannedEvent> without_places(std::vector<ScannedEvent> events) {
  for (ScannedEvent& event : events) event.offset = event.size = 0;
  return events;
}

void require_same(const std::vector<ScannedEvent>& got, const std::vector<ScannedEvent>& wanted) {
  for (std::size_t i = 0; i < std::min(got.size(), wanted.size()); ++i) {
    INFO("record " << i << "\n got    " << describe(got[i]) << "\n wanted " << describe(wanted[i]));
    REQUIRE(got[i] == wanted[i]);
  }
  REQUIRE(got.size() == wanted.size());
}

// Damages one place of the text, perhaps of its first part only.
void wound(std::string& text, Random& random, bool at_head) {
  if (text.empty()) return;
  const auto size = static_cast<std::int64_t>(text.size());
  const auto at = static_cast<std::size_t>(random.in(0, at_head ? std::min<std::int64_t>(size, 300) - 1 : size - 1));
  const auto length = static_cast<std::size_t>(random.in(1, 60));
  switch (random.in(0, at_head ? 3 : 4)) {
    case 0: text[at] = static_cast<char>(text[at] ^ (1 << random.in(0, 7))); break;
    case 1: text.erase(at, length); break;
    case 2: text.insert(at, "\""); break;
    case 3: text.insert(at, text.substr(static_cast<std::size_t>(random.in(0, size - 1)), 4 * length)); break;
    default: text.resize(at); break;
  }
}

void require_same(const Scanned& got, const Scanned& wanted) {
  require_same(got.events, wanted.events);
  REQUIRE(got.faults == wanted.faults);
  REQUIRE(got.metadata == wanted.metadata);
  REQUIRE(got.report == wanted.report);
}

// Pieces of documents in any order: whatever decides what a place is, and the places where it is hard to tell.
std::string torn_text(Random& random) {
  constexpr std::array<std::string_view, 42> kPieces{
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      " ",
      "\n",
      "\"",
      "\\",
      "{\"ph\":\"X\",\"name\":\"k\",\"ts\":1}",
      "{\"ph\":\"X\",\"name\":\"k\",\"args\":{\"a\":{\"ph\":\"X\",\"ts\":2}},\"ts\":1},",
      "{\"ph\":\"X\",\"name\":\"line\nbreak\",\"ts\":1},",
      "{\"ph\":\"X\",\"\\u006eame\":\"escaped\",\"ts\":1},",
      "{\"ph\":\"\\u0058\",\"ts\":1},",
      "{\"name\":\"no phase\",\"id\":1}",
      "{\"ph\":\"X\",",
      "\"ph\":\"X\"",
      "\"name\":\"",
      "\"args\":{",
      "\"list\":[",
      "\"traceEvents\":[",
      "\"traceEvents\":",
      "\"traceEvents\"",
      "{\"traceEvents\":[",
      "{\"schemaVersion\":1,",
      "\"schemaVersion\":1",
      "\"schemaVersion\"",
      "\"distributedInfo\":{\"rank\":0}",
      "\"distributedInfo\":{\"rank\":1},",
      "\"displayTimeUnit\":\"ms\"",
      "{\"with_stack\":1,\"traceEvents\":[",
      "{\"displayTimeUnit\":\"ms\",\"schemaVersion\":1,",
      "{\"a\nb_version\":1",
      "\"deviceProperties\":[{\"id\":0}],",
      "],\"traceName\":\"x\"}",
      "]}",
      "null",
      "1e5",
      "\xEF\xBB\xBF",
      "\xFF",
      "x",
  };
  std::string text;
  const auto piece = [&] { return kPieces[static_cast<std::size_t>(random.in(0, kPieces.size() - 1))]; };
  for (auto pieces = random.in(1, 40); pieces > 0; --pieces) {
    text += piece();
    // Long rows of one thing: more than is looked back or forward over.
    if (!random.chance(4)) continue;
    const std::string_view again = random.chance(50) ? std::string_view(" ") : piece();
    for (auto times = random.in(1, random.chance(20) ? 9000 : 600); times > 0; --times) text += again;
  }
  return text;
}

}  // namespace

TEST_CASE("scanner: of valid JSON it finds what a strict parser finds") {
  constexpr std::uint64_t kDocuments = 4000;
  for (std::uint64_t seed = 0; seed < kDocuments; ++seed) {
    const std::string text = random_document(seed, static_cast<int>(seed % 40));
    INFO("seed " << seed << "\n" << text);
    const auto wanted = strict_events(text);
    REQUIRE(wanted);
    const Scanned got = scan(text);
    REQUIRE(got.faults.empty());
    require_same(without_places(got.events), *wanted);
    REQUIRE_FALSE(got.report.truncated);
    REQUIRE_FALSE(got.report.trailing_comma);
    REQUIRE_FALSE(got.report.several_writers);
    REQUIRE_FALSE(got.report.second_document);
    REQUIRE_FALSE(got.report.trailing_garbage);
    REQUIRE(got.report.damaged_metadata == 0);
  }
}

TEST_CASE("scanner: what it finds does not depend on the buffers, also in damaged text") {
  constexpr std::uint64_t kDocuments = 4000;
  for (std::uint64_t seed = 0; seed < kDocuments; ++seed) {
    Random random(seed);
    std::string text = random_document(seed, static_cast<int>(random.in(0, 12)));
    const bool at_head = random.chance(40);  // where a scanner has least to go by
    for (auto wounds = random.in(0, at_head ? 8 : 3); wounds > 0; --wounds) wound(text, random, at_head);
    input::ScanLimits limits;
    if (random.chance(30))
      limits = {static_cast<std::size_t>(random.in(40, 400)), static_cast<std::size_t>(random.in(20, 200))};
    INFO("seed " << seed << "\n" << text);
    const Scanned whole = scan(text, whole_text(), limits);
    for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{333}}) {
      INFO("buffers of " << size);
      require_same(scan(text, chunks_of(size), limits), whole);
    }
    std::uint64_t behind = 0;
    for (const ScannedEvent& event : whole.events) {
      REQUIRE(event.offset >= behind);
      REQUIRE(text[event.offset] == '{');
      behind = event.offset + event.size;
      REQUIRE(behind <= text.size());
      REQUIRE(text[behind - 1] == '}');
    }
    for (const ScannedFault& fault : whole.faults) REQUIRE(fault.offset < text.size());
  }
}

TEST_CASE("scanner: what it finds in torn text does not depend on the buffers") {
  constexpr std::uint64_t kTexts = 6000;
  for (std::uint64_t seed = 0; seed < kTexts; ++seed) {
    Random random(seed);
    const std::string text = torn_text(random);
    input::ScanLimits limits;
    if (random.chance(30))
      limits = {static_cast<std::size_t>(random.in(2, 400)), static_cast<std::size_t>(random.in(2, 400))};
    INFO("seed " << seed << ", " << text.size() << " bytes: " << text.substr(0, 2000));
    const Scanned whole = scan(text, whole_text(), limits);
    // Single bytes cost the square of what is looked at again.
    const std::size_t smallest = text.size() > 4096 ? 97 : 1;
    require_same(scan(text, chunks_of(smallest), limits), whole);
    require_same(scan(
                     text, [&] { return static_cast<std::size_t>(random.in(1, 300)); }, limits),
                 whole);
  }
}

}  // namespace hta::test
