// The scanner against a strict JSON parser, and against itself with the text cut into other buffers.
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
      const Scanned cut = scan(text, chunks_of(size), limits);
      require_same(cut.events, whole.events);
      REQUIRE(cut.faults == whole.faults);
      REQUIRE(cut.metadata == whole.metadata);
      REQUIRE(cut.report.truncated == whole.report.truncated);
      REQUIRE(cut.report.several_writers == whole.report.several_writers);
      REQUIRE(cut.report.damaged_metadata == whole.report.damaged_metadata);
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

}  // namespace hta::test
