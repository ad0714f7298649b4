// Any text: the scanner finds the same however the text is cut, stays inside it, and of valid JSON finds what a strict
// parser finds. The first byte chooses the buffers and the limits.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "expect.h"
#include "support/random.h"
#include "support/scanned.h"

namespace {

using hta::fuzz::expect;
using hta::test::Scanned;

void expect_inside(const Scanned& scanned, std::string_view text) {
  std::uint64_t behind = 0;
  for (const auto& event : scanned.events) {
    expect(event.offset >= behind && event.size >= 2, "records overlap");
    behind = event.offset + event.size;
    expect(behind <= text.size() && text[event.offset] == '{' && text[behind - 1] == '}',
           "a record is not where it is said to be");
  }
  for (const auto& fault : scanned.faults) expect(fault.offset < text.size(), "a fault is outside of the text");
  expect(scanned.report.events == scanned.events.size(), "records are miscounted");
}

void expect_same(const Scanned& a, const Scanned& b) {
  expect(a.events == b.events, "records depend on the buffers");
  expect(a.faults == b.faults, "faults depend on the buffers");
  expect(a.metadata == b.metadata, "metadata depend on the buffers");
  expect(a.report == b.report, "the report depends on the buffers");
}

// Strings with escapes are no times to the reader; the strict parser hands them over decoded.
bool same_time(const std::string& got, const std::string& wanted) {
  return got == wanted || got == "invalid";
}

void expect_strict(const Scanned& scanned, std::string_view text) {
  const auto wanted = hta::test::strict_events(text);
  if (!wanted) return;
  expect(scanned.events.size() == wanted->size(), "the strict parser finds another number of records");
  for (std::size_t i = 0; i < wanted->size(); ++i) {
    hta::test::ScannedEvent got = scanned.events[i];
    hta::test::ScannedEvent want = (*wanted)[i];
    expect(same_time(got.time, want.time) && same_time(got.dur, want.dur), "the strict parser reads another time");
    got.offset = got.size = 0;
    want.time = got.time;
    want.dur = got.dur;
    if (got != want) std::fprintf(stderr, "got    %s\nwanted %s\n", describe(got).c_str(), describe(want).c_str());
    expect(got == want, "the strict parser reads another record");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t mode = data[0];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  hta::input::ScanLimits limits;
  // Not below what the scanner looks at in one piece anyway (a key that straddles two buffers, an ordinary record).
  if ((mode & 1) != 0) limits = {1024u + 8u * mode, 512u + 4u * mode};

  const Scanned whole = hta::test::scan(text, hta::test::whole_text(), limits);
  expect_inside(whole, text);
  if ((mode & 1) == 0) expect_strict(whole, text);
  hta::test::Random random(mode);
  const std::int64_t longest = 1 + (mode >> 1) * 2;
  expect_same(hta::test::scan(
                  text, [&] { return static_cast<std::size_t>(random.in(1, longest)); }, limits),
              whole);
  return 0;
}
