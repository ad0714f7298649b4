#include "hta/input/scanner.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "event_parser.h"
#include "json_text.h"
#include "landmark.h"
#include "slow_event.h"
#include "text_scan.h"
#include "writer_watch.h"

namespace hta::input {
namespace {

// Larger records are read by the fast parser only: the slow reader is for rare kinds, not for rare sizes.
constexpr std::size_t kSlowRecord = std::size_t{1} << 20;
// Text parsed in vain may be this many times the text read, and so much more at the start.
constexpr std::uint64_t kWastePerByte = 256;
constexpr std::uint64_t kWasteAllowed = std::uint64_t{256} << 20;

// A key and its colon that straddle two buffers are seen if so much of the first stays.
constexpr std::size_t kStraddle = 256;

std::size_t length(const char* from, const char* to) {
  return static_cast<std::size_t>(to - from);
}

// White space and commas.
bool is_separator(char c) {
  constexpr std::uint64_t kSeparators =
      1u << '\t' | 1u << '\n' | 1u << '\r' | std::uint64_t{1} << ' ' | std::uint64_t{1} << ',';
  const auto code = static_cast<unsigned char>(c);
  return code < 64 && (kSeparators >> code & 1u) != 0;
}

// Whether the record at p seems to tell its phase, which the inner objects of a record do not.
bool tells_phase(const char* p, const char* end) {
  constexpr std::size_t kNear = 256;
  return std::string_view(p, std::min(length(p, end), kNear)).find("\"ph\"") != std::string_view::npos;
}

}  // namespace

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
      : parser(wanted), slow(wanted), landmarks(wanted), sink(to), limits(bounds) {}

  EventParser parser;
  SlowEventReader slow;
  LandmarkFinder landmarks;
  WriterWatch writers;
  ScanSink& sink;
  ScanLimits limits;
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

  bool object_form = false;   // an object holds the array
  bool array_seen = false;    // of the document at hand
  bool foreign = false;       // behind the head of a second document: nothing is handed over any more
  bool doubtful_end = false;  // the event array may not have ended where it seemed to
  bool whole_record = true;   // the last record, if any, was intact
  bool comma = false;         // one has been read behind the last element of the event array
  bool continued = false;     // records stood before the first byte (Scanner::continue_from)
  bool damaged = false;       // a record has been lost
  bool cautious = false;      // after damage: a record is first tried within kOrdinaryRecord bytes
  std::uint64_t bold_offset = ~std::uint64_t{0};  // of the record that may be larger all the same
  std::uint64_t skipped_to = 0;                   // kSkipping: how far
  std::uint64_t wasted = 0;

  bool has_records() const { return continued || report.events > 0; }
  std::uint64_t offset(const char* p) const { return base_offset + length(base, p); }

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
  const char* behind_straddle(const char* p) const { return length(p, end) > kStraddle ? end - kStraddle : p; }
  MoreBytes more() const { return last ? MoreBytes::kNo : MoreBytes::kYes; }

  // Each returns where it stopped, or stalls.
  const char* step(const char* p);
  const char* begin(const char* p);
  const char* search(const char* p);
  const char* top_level(const char* p);
  const char* member(const char* from, const char* value);
  const char* damaged_member(const char* from);
  const char* skipping(const char* p);
  const char* events(const char* p);
  bool holds_others(const char* p, const char* bound);
  const char* unfinished_event(const char* p, const char* bound);
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

void Scanner::State::hand_over(const char* from, const char* behind_it) {
  whole_record = event.phase != 0;
  comma = false;
  if (foreign) return;
  event.text = {from, length(from, behind_it)};
  if (whole_record) report.saw_event_array = true;
  ++report.events;
  sink.event(event);
}

// p is behind the bracket that opens the event array.
const char* Scanner::State::enter_events(const char* p) {
  whole_record = true;
  comma = false;
  if (!foreign) report.events_begin = offset(p);
  where = Where::kEvents;
  return p;
}

void Scanner::State::fault(EventFault kind, const char* p) {
  whole_record = false;
  comma = false;
  damaged = true;
  writers.torn_record();
  if (!foreign) sink.fault(kind, offset(p));
}

const char* Scanner::State::cut_off() {
  if (!foreign) report.truncated = true;
  return end;
}

const char* Scanner::State::begin(const char* p) {
  if (end - p < 3 && !last) return stall(p);
  if (end - p >= 3 && std::memcmp(p, "\xEF\xBB\xBF", 3) == 0) p += 3;
  p = skip_json_space(p, end);
  if (p == end) return last ? end : stall(p);
  if (*p == '{') {
    object_form = true;
    where = Where::kTopLevel;
    return p + 1;
  }
  if (*p == '[') {
    report.bare_array = true;
    array_seen = true;
    return enter_events(p + 1);
  }
  where = Where::kSearching;
  return p;
}

const char* Scanner::State::search(const char* p) {
  const Landmark found = landmarks.find(p, end, more());
  const char* const stop = found.kind == Landmark::Kind::kNone ? end : found.at;
  // Members of a document whose first bytes are lost.
  const char* document_key = find_document_key(p, stop);
  if (document_key != nullptr) {
    report.head_lost |= !object_form;
    object_form = true;
    where = Where::kTopLevel;
    return document_key;
  }
  switch (found.kind) {
    case Landmark::Kind::kNone: where = Where::kDone; return end;
    case Landmark::Kind::kMore: return stall(found.at);
    case Landmark::Kind::kEvent:
      report.head_lost |= !object_form;
      report.bare_array = !object_form;
      array_seen = true;
      return enter_events(found.at);
    case Landmark::Kind::kDocumentHead:
      report.head_lost |= !object_form;
      object_form = true;
      where = Where::kTopLevel;
      return found.at + 1;
    case Landmark::Kind::kRecordStart:
    case Landmark::Kind::kArrayEnd: return found.at + 1;
  }
  return end;
}

// Whether the array at p holds records.
Scanner::State::Answer Scanner::State::opens_records(const char* p) {
  const char* brace = skip_json_space(p + 1, end);
  if (brace == end) return last ? Answer::kNo : Answer::kLater;
  if (*brace != '{') return Answer::kNo;
  const char* behind_it = brace;
  switch (parser.parse(&behind_it, end, event)) {
    case EventParser::Outcome::kEvent: return event.phase != 0 ? Answer::kYes : Answer::kNo;
    case EventParser::Outcome::kIncomplete:
      return !last && length(brace, end) < kOrdinaryRecord ? Answer::kLater : Answer::kNo;
    case EventParser::Outcome::kDeclined: return Answer::kNo;
  }
  return Answer::kNo;
}

const char* Scanner::State::top_level(const char* p) {
  while (p < end && (is_json_space(*p) || *p == ',')) ++p;
  if (p == end) return last ? cut_off() : stall(p);
  if (too_early(p)) return stall(p);
  if (*p == '}') {
    if (!foreign) report.document_end = offset(p + 1);
    where = Where::kBehind;
    return p + 1;
  }
  const char* const from = p;
  const bool keep_waiting = !last && length(from, end) < limits.metadata_bytes;
  if (*p != '"') return damaged_member(from);
  ValueSkipper name_skipper;
  const char* name_end = name_skipper.skip(p, end);
  if (name_end == nullptr) return keep_waiting ? await(from) : last && array_seen ? cut_off() : damaged_member(from);
  decode_string({p + 1, length(p, name_end) - 2}, key);
  p = skip_json_space(name_end, end);
  if (p == end) return keep_waiting ? await(from) : last ? cut_off() : damaged_member(from);
  if (*p != ':') return damaged_member(from);
  p = skip_json_space(p + 1, end);
  if (p == end) return keep_waiting ? await(from) : last ? cut_off() : damaged_member(from);
  return member(from, p);
}

// `from` is where the member begins, `key` its name, `value` where its value begins.
const char* Scanner::State::member(const char* from, const char* value) {
  if (*value == '[') {
    // The event array, by its name or because it holds records although its name is damaged.
    const Answer records = key == "traceEvents" ? Answer::kYes : array_seen ? Answer::kNo : opens_records(value);
    if (records == Answer::kLater) return await(from);
    if (records == Answer::kYes) {
      if (array_seen) interrupt(from);  // a document has one
      array_seen = true;
      if (!foreign) report.saw_event_array = true;
      return enter_events(value + 1);
    }
  }
  skipper.reset();
  const char* value_end = skipper.skip(value, end);
  const char* document_key = find_document_key(value, value_end != nullptr ? value_end : end);
  if (value_end == nullptr) {
    const bool keep_waiting = !last && length(from, end) < limits.metadata_bytes;
    if (keep_waiting) return await(from);
    if (document_key != nullptr && !array_seen) return damaged_member(from);
    if (last) return cut_off();
    where = Where::kSkipping;
    skipped_to = offset(end);
    return stall(behind_straddle(from));
  }
  if (value_end == value) return damaged_member(from);
  const std::string_view json(value, length(value, value_end));
  // A lost quote makes a value swallow what follows it; but an intact one may hold what it likes.
  if (document_key != nullptr && !array_seen && !is_valid_json(json)) return damaged_member(from);
  if (key == "distributedInfo") {
    if (distributed.empty()) distributed = json;
    else if (distributed != json && !foreign) writers.contradiction();
  }
  if (!foreign) sink.metadata(key, json);
  return value_end;
}

// The member at `from` cannot be read: goes on at one that can be told.
const char* Scanner::State::damaged_member(const char* from) {
  if (array_seen) {
    // Behind the events there is nothing worth looking for, unless the array did not end where it seemed to.
    if (!foreign) ++report.damaged_metadata;
    where = doubtful_end || writers.seen_another() ? Where::kStray : Where::kDone;
    return from;
  }
  const Landmark found = landmarks.find(from + 1, end, more());
  const char* const stop = found.kind == Landmark::Kind::kNone ? end : found.at;
  const char* document_key = find_document_key(from + 1, stop);
  if (document_key == nullptr && found.kind == Landmark::Kind::kMore && length(from, end) < limits.metadata_bytes)
    return await(from);
  if (!foreign) ++report.damaged_metadata;
  if (document_key != nullptr) return document_key;
  if (found.kind == Landmark::Kind::kDocumentHead) return another_document(found.at);
  where = Where::kSearching;
  return stop;
}

const char* Scanner::State::skipping(const char* p) {
  // The end of what was skipped before stands in front again, so that a key that straddles two buffers is seen.
  const char* fresh = base + (skipped_to - base_offset);
  const char* stop = skipper.skip(fresh, end);
  if (!array_seen) {
    const char* document_key = find_document_key(p, stop != nullptr ? stop : end);
    if (document_key != nullptr &&
        std::string_view(document_key, length(document_key, end)).starts_with("\"traceEvents\"")) {
      if (!foreign) ++report.damaged_metadata;
      where = Where::kTopLevel;
      return document_key;
    }
  }
  if (stop != nullptr) {
    where = Where::kTopLevel;
    return stop;
  }
  if (last) return cut_off();
  skipped_to = offset(end);
  return stall(behind_straddle(p));
}

const char* Scanner::State::events(const char* p) {
  for (;;) {
    for (; is_separator(*p) && p < end; ++p) comma |= *p == ',';
    if (p == end) {
      if (!last) return stall(p);
      return report.bare_array ? end : cut_off();
    }
    if (*p == ']') {
      doubtful_end = !whole_record;
      if (!foreign) {
        report.trailing_comma |= comma;
        report.events_end = offset(p);
        if (report.bare_array) report.document_end = offset(p + 1);
      }
      where = report.bare_array && !foreign ? Where::kBehind : Where::kTopLevel;
      return p + 1;
    }
    if (*p != '{') return other_element(p);
    if (too_early(p)) return stall(p);
    const char* const start = p;
    const bool near = cautious && length(p, end) > kOrdinaryRecord && offset(p) != bold_offset;
    const char* const bound = near ? p + kOrdinaryRecord : end;
    event.offset = offset(p);
    switch (parser.parse(&p, bound, event)) {
      case EventParser::Outcome::kEvent:
        if (event.phase == 0 && first_key(start, end) == FirstKey::kDocument) return another_document(start);
        if (length(start, p) > kOrdinaryRecord && holds_others(start, p))
          return give_up(start, EventFault::kDamagedText);
        if (length(start, p) > limits.event_bytes) {
          fault(EventFault::kTooLarge, start);
        } else {
          hand_over(start, p);
          cautious = false;
        }
        break;
      case EventParser::Outcome::kIncomplete: return unfinished_event(p, bound);
      case EventParser::Outcome::kDeclined: return difficult_event(p);
    }
  }
}

// Whether the beginning of a large record holds others: a lost quote or bracket may let it run into those behind it.
// How much is looked at must not depend on where a buffer ends.
bool Scanner::State::holds_others(const char* p, const char* bound) {
  if (length(p, bound) > kOrdinaryRecord) bound = p + kOrdinaryRecord;
  for (const char* from = p + 1;;) {
    const Landmark found = landmarks.find(from, bound, bound == end ? more() : MoreBytes::kYes);
    const bool sure = found.kind == Landmark::Kind::kEvent || found.kind == Landmark::Kind::kDocumentHead ||
                      (found.kind == Landmark::Kind::kRecordStart && tells_phase(found.at, bound));
    if (sure) return true;
    if (found.kind != Landmark::Kind::kRecordStart && found.kind != Landmark::Kind::kArrayEnd) return false;
    from = found.at + 1;
  }
}

// The record at p does not end before `bound`.
const char* Scanner::State::unfinished_event(const char* p, const char* bound) {
  lose(p, bound);
  const std::size_t size = length(p, bound);
  if ((size >= kOrdinaryRecord || (last && bound == end)) && holds_others(p, bound)) {
    return give_up(p, EventFault::kDamagedText);
  }
  if (bound < end) {
    bold_offset = offset(p);
    return p;
  }
  if (last) return give_up(p, EventFault::kCutOff);
  return size < limits.event_bytes ? await(p) : give_up(p, EventFault::kTooLarge);
}

// A record that the fast path cannot read: perhaps valid JSON of a rare kind, perhaps damaged.
const char* Scanner::State::difficult_event(const char* p) {
  if (first_key(p, end) == FirstKey::kDocument) return another_document(p);
  const char* const bound = length(p, end) > kSlowRecord ? p + kSlowRecord : end;
  event.offset = offset(p);
  const SlowEventReader::Outcome read = slow.read(p, bound, event);
  if (read.behind != nullptr) {
    hand_over(p, read.behind);
    return read.behind;
  }
  lose(p, p + read.looked_at);
  const char* next = p + 1;
  Landmark found = landmarks.find(next, bound, bound == end ? more() : MoreBytes::kYes);
  const bool undecided = found.kind == Landmark::Kind::kMore && bound == end;
  if (undecided && !last) return await(p);
  const char* at = p;
  event.offset = offset(p);
  const char* const stop =
      found.kind == Landmark::Kind::kMore || found.kind == Landmark::Kind::kNone ? bound : found.at;
  if (parser.parse(&at, stop, event, Strictness::kAnyStrings) == EventParser::Outcome::kEvent) {
    if (!foreign) ++report.control_characters;
    hand_over(p, at);
    return at;
  }
  return give_up(p, EventFault::kDamagedText);
}

// Something in the event array that is no object.
const char* Scanner::State::other_element(const char* p) {
  if (too_early(p)) return stall(p);
  if (*p == '[') {
    const Answer records = opens_records(p);
    if (records == Answer::kLater) return await(p);
    if (records == Answer::kYes) {
      if (has_records()) interrupt(p);
      return p + 1;
    }
  }
  ValueSkipper element;
  const char* stop = element.skip(p, end);
  if (stop == nullptr && !last)
    return length(p, end) < limits.event_bytes ? await(p) : give_up(p, EventFault::kTooLarge);
  if (stop == nullptr || stop == p) return give_up(p, stop == nullptr ? EventFault::kCutOff : EventFault::kDamagedText);
  const char* after = skip_json_space(stop, end);
  if (after == end && !last) return await(p);
  const bool text = *p == '"';
  const bool closed = after < end && (*after == ',' || *after == ']');
  if (text && after < end && *after == ':') {
    // A member of the document: the bracket that ended the events is lost.
    fault(EventFault::kDamagedText, p);
    where = Where::kTopLevel;
    return p;
  }
  const std::string_view json(p, length(p, stop));
  if (!closed || !is_valid_json(json)) return give_up(p, EventFault::kDamagedText);
  if (json != "null") fault(EventFault::kDamagedText, p);
  comma = false;
  return stop;
}

// The record at p is lost: counts it and looks for the next one.
const char* Scanner::State::give_up(const char* p, EventFault kind) {
  if (*p == '{' && first_key(p, end) == FirstKey::kDocument) return another_document(p);
  fault(kind, p);
  cautious = true;
  where = Where::kLost;
  return p + 1;
}

const char* Scanner::State::lost(const char* p) {
  const Landmark found = landmarks.find(p, end, more());
  switch (found.kind) {
    case Landmark::Kind::kNone: return cut_off();
    case Landmark::Kind::kMore: return stall(found.at);
    case Landmark::Kind::kDocumentHead: return another_document(found.at);
    case Landmark::Kind::kEvent:
      // The first record of another array, whose head is not to be seen or which has none.
      if (found.opens_array && has_records()) interrupt(found.at);
      where = Where::kEvents;
      return found.at;
    case Landmark::Kind::kRecordStart:
    case Landmark::Kind::kArrayEnd: where = Where::kEvents; return found.at;
  }
  return end;
}

// A document begins at p although the one before it has not ended.
const char* Scanner::State::another_document(const char* p) {
  if (has_records()) interrupt(p);
  else writers.another_document();
  // What came before it holds no record: then this one is as good as the first.
  array_seen = false;
  distributed.clear();
  where = Where::kTopLevel;
  return p + 1;
}

const char* Scanner::State::behind(const char* p) {
  while (p < end && (is_json_space(*p) || *p == '\0')) ++p;
  if (p == end) return last ? end : stall(p);
  if (too_early(p)) return stall(p);
  if (*p == '{' || *p == '[') {
    if (doubtful_end || writers.seen_another()) {
      where = Where::kStray;
      return p;
    }
    report.second_document = true;
    where = Where::kDone;
    return p;
  }
  if (!doubtful_end && !writers.seen_another()) {
    report.trailing_garbage = true;
    where = Where::kDone;
    return p;
  }
  where = Where::kStray;
  return p;
}

// Behind the end of the document, with a doubt whether it was the end.
const char* Scanner::State::stray(const char* p) {
  const Landmark found = landmarks.find(p, end, more());
  switch (found.kind) {
    case Landmark::Kind::kNone:
      if (!foreign) report.trailing_garbage = true;
      return end;
    case Landmark::Kind::kMore: return stall(found.at);
    case Landmark::Kind::kDocumentHead:
      if (writers.seen_another()) return another_document(found.at);
      report.second_document = true;
      where = Where::kDone;
      return found.at;
    case Landmark::Kind::kEvent:
      if (found.opens_array && !writers.seen_another()) {
        report.second_document = true;
        where = Where::kDone;
        return found.at;
      }
      writers.records_behind_end();
      if (!foreign) report.events_end = report.document_end = std::nullopt;  // it was none
      where = Where::kEvents;
      return found.at;
    case Landmark::Kind::kRecordStart:
    case Landmark::Kind::kArrayEnd: return found.at + 1;
  }
  return end;
}

const char* Scanner::State::step(const char* p) {
  if (wasted + landmarks.wasted() > kWasteAllowed + kWastePerByte * offset(p)) {
    report.hopeless = true;
    where = Where::kDone;
  }
  switch (where) {
    case Where::kBegin: return begin(p);
    case Where::kSearching: return search(p);
    case Where::kTopLevel: return top_level(p);
    case Where::kSkipping: return skipping(p);
    case Where::kEvents: return events(p);
    case Where::kLost: return lost(p);
    case Where::kBehind: return behind(p);
    case Where::kStray: return stray(p);
    case Where::kDone: return p;
  }
  return end;
}

Scanner::Scanner(const ArgSet& wanted, ScanSink& sink, ScanLimits limits)
    : state_(std::make_unique<State>(wanted, sink, limits)) {}
Scanner::~Scanner() = default;

const char* Scanner::scan(const char* begin, const char* end, MoreBytes more) {
  State& s = *state_;
  s.base = begin;
  s.end = end;
  s.last = more == MoreBytes::kNo;
  s.stalled = false;
  const char* p = begin;
  while (p < end && !s.stalled && s.where != State::Where::kDone) p = s.step(p);
  if (s.where == State::Where::kDone) {
    if (!s.report.ended_at && p < end) s.report.ended_at = s.offset(p);
    p = end;
  }
  if (s.last && !s.foreign) {
    const bool inside = s.where == State::Where::kTopLevel || s.where == State::Where::kSkipping ||
                        s.where == State::Where::kLost || (s.where == State::Where::kEvents && !s.report.bare_array);
    s.report.truncated |= inside;
  }
  s.report.several_writers = s.writers.several();
  s.base_offset += length(begin, p);
  return p;
}

void Scanner::look_again() {
  state_->awaited_bytes = 0;
}

bool Scanner::between_records() const {
  const State& s = *state_;
  return s.where == State::Where::kEvents && s.has_records() && s.whole_record && !s.damaged && !s.foreign &&
         !s.writers.seen_another() && !s.report.head_lost;
}

void Scanner::continue_from(const Scanner& before, std::uint64_t offset) {
  const State& from = *before.state_;
  State& s = *state_;
  s.where = State::Where::kEvents;
  s.base_offset = offset;
  s.object_form = from.object_form;
  s.array_seen = from.array_seen;
  s.distributed = from.distributed;
  s.report.bare_array = from.report.bare_array;
  s.continued = true;
}

ScanReport joined(const ScanReport& first, const ScanReport& second) {
  ScanReport both = second;
  both.events += first.events;
  both.saw_event_array |= first.saw_event_array;
  both.trailing_comma |= first.trailing_comma;
  both.control_characters += first.control_characters;
  both.damaged_metadata += first.damaged_metadata;
  both.events_begin = first.events_begin;
  return both;
}

const ScanReport& Scanner::report() const {
  return state_->report;
}
bool Scanner::done() const {
  return state_->where == State::Where::kDone;
}

}  // namespace hta::input
