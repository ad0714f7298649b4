#pragma once
// What the scanner finds in a text, as plain values; and what a strict JSON parser finds in it, to compare.

#include "hta/input/scanner.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hta::test {

/// One record. Values are written as a letter for their kind and their text: s string (decoded), i integer, n other
/// number, l literal, c container (without blanks); an absent value is empty.
struct ScannedEvent {
  char phase = 0;
  std::string category;
  std::string name;
  std::string pid;
  std::string tid;
  std::string id;
  std::string time;  ///< nanoseconds, `invalid`, or empty
  std::string dur;
  std::map<std::string, std::string> args;  ///< the wanted ones
  std::uint64_t offset = 0;                 ///< 0 from the strict parser
  std::uint64_t size = 0;                   ///< the same

  bool operator==(const ScannedEvent&) const = default;
};
std::string describe(const ScannedEvent& event);

struct ScannedFault {
  EventFault fault{};
  std::uint64_t offset = 0;
  bool operator==(const ScannedFault&) const = default;
};

struct Scanned {
  std::vector<ScannedEvent> events;
  std::vector<ScannedFault> faults;
  std::vector<std::pair<std::string, std::string>> metadata;
  input::ScanReport report;
  bool operator==(const Scanned&) const = default;
};

/// How many fresh bytes the scanner gets in its next call; at least 1.
using ChunkSizes = std::function<std::size_t()>;
ChunkSizes whole_text();
ChunkSizes chunks_of(std::size_t bytes);

/// Scans `text` in buffers of exactly the size needed, so that a sanitizer sees every byte read too many.
Scanned scan(std::string_view text, const ChunkSizes& sizes = whole_text(), const input::ScanLimits& limits = {});

/// The records by RapidJSON and plain arithmetic; nothing if the text is no valid JSON, or if it is of a kind in which
/// the scanner may see damage although it is valid (a second event array, records that are documents, ...).
std::optional<std::vector<ScannedEvent>> strict_events(std::string_view text);

/// Decimal microseconds in the grammar of JSON numbers to nanoseconds, half to even, by long arithmetic on the digits;
/// nothing if it does not fit 64 bits.
std::optional<std::int64_t> nanos_by_hand(std::string_view number);

}  // namespace hta::test
