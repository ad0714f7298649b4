// Decimal texts: the two ways in which the reader takes times agree with each other and with arithmetic on the digits.
#include "hta/input/decimal.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "event_parser.h"
#include "expect.h"
#include "support/scanned.h"

namespace {

using hta::fuzz::expect;

bool is_json_number(std::string_view text) {
  std::size_t i = text.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i > from;
  };
  if (!digits()) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (!digits()) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (!digits()) return false;
  }
  return i == text.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto nanos = hta::input::micros_to_nanos(text);
  for (const int digits : {0, 9}) (void)hta::input::scaled_decimal(text, digits);
  if (!is_json_number(text)) return 0;
  expect(nanos == hta::test::nanos_by_hand(text), "decimal differs from arithmetic by hand");

  // As the time of an event, with the padding that the parser asks for.
  std::string record = "{\"ph\":\"X\",\"ts\":" + std::string(text) + ",\"dur\":\"" + std::string(text) + "\"}";
  const std::size_t length = record.size();
  record.append(hta::input::kPadding, '\0');
  hta::input::EventParser parser{hta::ArgSet{}};
  hta::input::RawEvent event;
  const char* at = record.data();
  expect(parser.parse(&at, record.data() + length, event) == hta::input::EventParser::Outcome::kEvent,
         "an event with a valid time is declined");
  for (const hta::input::RawTime& time : {event.time, event.dur}) {
    expect((time.state == hta::input::TimeState::kValid) == nanos.has_value(), "the parser judges a time otherwise");
    expect(!nanos || time.nanos == *nanos, "the parser reads another time");
  }
  return 0;
}
