#pragma once
// The scanner's state: one step function for each part of a document (scan_document.cpp) and of its event array
// (scan_events.cpp); scanner.cpp drives them.

#include "hta/input/scanner.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "event_parser.h"
#include "landmark.h"
#include "slow_event.h"
#include "text_scan.h"
#include "writer_watch.h"

namespace hta::input {

// More blanks than this are not waited for.
inline constexpr std::size_t kMostBlanks = 4096;

inline std::size_t length(const char* from, const char* to) {
  return static_cast<std::size_t>(to - from);
}

struct Scanner::State {
  enum class Where : std::uint8_t {
    kBegin,
    kSearching,  ///< the text does not begin as JSON: looking for a document or a record
    kTopLevel,   ///< between the members of the document
    kSkipping,   ///< inside a member that is too large to be kept
    kEvents,     ///< inside the event array
    kLost,       ///< inside it, behind damage: looking for the next record
    kBehind,     ///< behind the end of the document
    kStray,      ///< the same, in text that should not be there
    kDone
  };

  State(const ArgSet& wanted, ScanSink& to, ScanLimits bounds)
      : parser(wanted),
        slow(wanted),
        sink(to),
        limits(bounds),
        first_trial(std::min(kOrdinaryRecord, bounds.event_bytes)) {}

  EventParser parser;
  SlowEventReader slow;
  LandmarkFinder landmarks;
  WriterWatch writers;
  ScanSink& sink;
  ScanLimits limits;
  std::size_t first_trial;  // so much of a record is parsed at first
  ScanReport report;
  RawEvent event;
  Where where = Where::kBegin;
  ValueSkipper skipper;
  std::string key;          // of the member at hand
  std::string distributed;  // distributedInfo as it was first seen

  // The buffer at hand.
  const char* base = nullptr;
  std::uint64_t base_offset = 0;  // of `base` in the text
  const char* end = nullptr;
  bool last = false;
  bool stalled = false;  // more bytes are needed

  // A record or member that does not end in the buffer is looked at again when there is twice as much of it.
  std::uint64_t awaited_offset = 0;
  std::size_t awaited_bytes = 0;

  bool object_form = false;       // an object holds the array
  bool array_seen = false;        // of the document at hand
  bool foreign = false;           // behind the head of a second document: nothing is handed over any more
  bool doubtful_member = false;   // one of those before the event array is no JSON
  bool doubtful_end = false;      // the event array may not have ended where it seemed to
  bool whole_record = true;       // the last record, if any, was intact
  bool comma = false;             // one has been read behind the last element of the event array
  bool continued = false;         // records stood before the first byte (Scanner::continue_from)
  bool damaged = false;           // a record has been lost
  std::uint64_t skipped_to = 0;   // kSkipping: how far
  std::uint64_t searched_to = 0;  // kSearching: no landmark stands before it
  std::uint64_t wasted = 0;

  bool has_records() const { return continued || report.events > 0; }
  std::uint64_t offset(const char* p) const { return base_offset + length(base, p); }
  // Where it is in the buffer; the start of the buffer if it is there no more.
  const char* place(std::uint64_t at) const { return at < base_offset ? base : base + (at - base_offset); }
  // So far in front of `at` that a key that straddles two buffers is seen, but not before `earliest`.
  static const char* in_front_of(const char* at, const char* earliest) {
    return length(earliest, at) > kDocumentKeyReach ? at - kDocumentKeyReach : earliest;
  }

  const char* stall(const char* p) {
    stalled = true;
    return p;
  }
  bool too_early(const char* p) const { return !last && offset(p) == awaited_offset && length(p, end) < awaited_bytes; }
  const char* await(const char* p) {
    awaited_offset = offset(p);
    awaited_bytes = 2 * length(p, end);
    return stall(p);
  }
  // The end of the buffer, but at most so far from p.
  const char* within(const char* p, std::size_t bytes) const { return length(p, end) > bytes ? p + bytes : end; }
  MoreBytes more() const { return last ? MoreBytes::kNo : MoreBytes::kYes; }

  // Each returns where it stopped, or stalls.
  const char* step(const char* p);
  const char* begin(const char* p);
  const char* search(const char* p);
  const char* top_level(const char* p);
  const char* member(const char* from, const char* value);
  bool holds_foreign_text(const char* value, const char* value_end);
  const char* damaged_member(const char* from);
  const char* skipping(const char* p);
  const char* events(const char* p);
  bool swallows_records(const char* p, const char* bound, MoreBytes follow);
  const char* unfinished_event(const char* p, const char* bound);
  const char* large_event(const char* p, const char* behind_it);
  const char* difficult_event(const char* p);
  const char* other_element(const char* p);
  const char* give_up(const char* p, EventFault fault);
  const char* lost(const char* p);
  const char* another_document(const char* p);
  const char* behind(const char* p);
  const char* stray(const char* p);
  const char* cut_off();
  const char* enter_events(const char* p);
  enum class Answer : std::uint8_t { kNo, kYes, kLater };
  Answer opens_records(const char* p);
  void hand_over(const char* from, const char* behind_it);
  void fault(EventFault kind, const char* p);
  void lose(const char* from, const char* to) { wasted += length(from, to); }
  // Records of another document follow: nothing more is handed over.
  void interrupt(const char* p) {
    writers.another_document();
    if (!foreign) report.interrupted_at = offset(p);
    foreign = true;
  }
};

}  // namespace hta::input
