#pragma once
// Bytes of a trace file to records: finds the event array, parses event by event, and after damage goes on at the next
// one.

#include "hta/input/raw_event.h"
#include "hta/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace hta::input {

/// Receives what the scanner finds. All views are valid only during the call.
class ScanSink {
 public:
  virtual ~ScanSink() = default;
  /// One record of the event array, of any phase.
  virtual void event(const RawEvent& event) = 0;
  /// One top-level member besides the events, as raw JSON text. The key is decoded.
  virtual void metadata(std::string_view key, std::string_view json) = 0;
  /// A record that is lost.
  virtual void fault(EventFault fault, std::uint64_t offset) = 0;
};

struct ScanLimits {
  std::size_t event_bytes = std::size_t{64} << 20;     ///< a longer record is dropped (kTooLarge)
  std::size_t metadata_bytes = std::size_t{16} << 20;  ///< a longer top-level value is skipped
};

/// What kind of text it was.
struct ScanReport {
  std::uint64_t events = 0;      ///< records handed over
  bool saw_event_array = false;  ///< "traceEvents", or a bare array with at least one record that has a phase
  bool bare_array = false;
  bool head_lost = false;  ///< the text does not begin as JSON does, but records follow
  bool truncated = false;  ///< the text ended inside the document
  bool trailing_comma = false;
  bool second_document = false;   ///< more JSON behind the end; ignored
  bool trailing_garbage = false;  ///< something else behind the end; ignored
  std::optional<std::uint64_t>
      interrupted_at;                     ///< where a second document begins inside the first; not read from there on
  bool several_writers = false;           ///< documents mixed into each other: nothing in it can be trusted
  bool hopeless = false;                  ///< so damaged that looking for records was given up
  std::uint64_t control_characters = 0;   ///< records kept although a string held raw control characters
  std::uint64_t damaged_metadata = 0;     ///< top-level members that could not be read
  std::optional<std::uint64_t> ended_at;  ///< where reading ended although more text followed
  // Offsets in the inflated text, for those who write a trace back.
  std::optional<std::uint64_t> events_begin;  ///< behind the bracket that opens the event array
  std::optional<std::uint64_t> events_end;    ///< of the bracket that closes it
  std::optional<std::uint64_t> document_end;  ///< behind the document, if it is whole

  bool operator==(const ScanReport&) const = default;
};

/// Of a text whose parts were scanned by two scanners, the second one continue()d from the first.
ScanReport joined(const ScanReport& first, const ScanReport& second);

enum class MoreBytes : std::uint8_t { kYes, kNo };

/// The records found do not depend on how the text is cut into buffers. Work and memory are linear in the text,
/// whatever is in it: a record needs at most event_bytes and twice that for looking at it again, and damaged text of a
/// kind that would cost more ends the reading (ScanReport::hopeless).
class Scanner {
 public:
  /// `wanted`: the arguments to hand over; all others are skipped. `sink` must outlive the scanner.
  Scanner(const ArgSet& wanted, ScanSink& sink, ScanLimits limits = {});
  ~Scanner();
  Scanner(const Scanner&) = delete;
  Scanner& operator=(const Scanner&) = delete;

  /// Consumes whole records from [begin, end), behind which 64 readable zero bytes must stand. Returns the first byte
  /// not consumed: the caller must give the rest again, followed by more. With MoreBytes::kNo everything is consumed.
  const char* scan(const char* begin, const char* end, MoreBytes more);
  /// Usually a record that did not end in the bytes given is looked at again when there are twice as many of it. After
  /// this it is with the next scan().
  void look_again();
  const ScanReport& report() const;
  /// Whether all text so far was in order and ends between two records of the event array: then the meaning of what
  /// follows depends on nothing before it but what continue_from() takes over.
  bool between_records() const;
  /// Before the first scan(): to go on at `offset` of the text as `before`, which was between records, would there if
  /// it is between records again.
  void continue_from(const Scanner& before, std::uint64_t offset);
  /// Whether the document has ended, so that the rest need not be read.
  bool done() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hta::input
