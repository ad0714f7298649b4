// The event array: records, and what to do with one that cannot be read.

#include <algorithm>
#include <string_view>

#include "json_text.h"
#include "scan_state.h"

namespace hta::input {
namespace {

// Larger records are read by the fast parser only: the slow reader is for rare kinds, not for rare sizes.
constexpr std::size_t kSlowRecord = std::size_t{1} << 20;

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
    const char* const bound = within(p, first_trial);
    event.offset = offset(p);
    switch (parser.parse(&p, bound, event)) {
      case EventParser::Outcome::kEvent:
        if (event.phase == 0 && first_key(start, end) == FirstKey::kDocument) return another_document(start);
        hand_over(start, p);
        break;
      case EventParser::Outcome::kIncomplete: return unfinished_event(p, bound);
      case EventParser::Outcome::kDeclined: return difficult_event(p);
    }
  }
}

// Whether the text from p on, which parses as one record so far, holds other records: a lost quote or bracket lets a
// record run into those behind it.
bool Scanner::State::swallows_records(const char* p, const char* bound, MoreBytes follow) {
  for (const char* from = p + 1;;) {
    const Landmark found = landmarks.find(from, bound, follow);
    if (found.kind == Landmark::Kind::kEvent || found.kind == Landmark::Kind::kDocumentHead) return true;
    if (found.kind == Landmark::Kind::kRecordStart && tells_phase(found.at, bound)) return true;
    if (found.kind != Landmark::Kind::kRecordStart && found.kind != Landmark::Kind::kArrayEnd) return false;
    from = found.at + 1;
  }
}

// The record at p does not end before `bound`: the first trial is too short for it, or the buffer. The sizes at which
// it is suspected are its own and not those of the buffers.
const char* Scanner::State::unfinished_event(const char* p, const char* bound) {
  for (std::size_t trial = first_trial;;) {
    lose(p, bound);
    const bool cut = length(p, bound) < trial;
    if (cut && !last) return await(p);
    const bool suspicious = cut || trial >= kOrdinaryRecord;
    if (suspicious && swallows_records(p, bound, cut ? MoreBytes::kNo : MoreBytes::kYes))
      return give_up(p, EventFault::kDamagedText);
    if (cut) break;
    if (trial >= limits.event_bytes) return give_up(p, EventFault::kTooLarge);
    trial = std::min(2 * trial, limits.event_bytes);
    bound = within(p, trial);
    const char* behind_it = p;
    switch (parser.parse(&behind_it, bound, event)) {
      case EventParser::Outcome::kEvent: return large_event(p, behind_it);
      case EventParser::Outcome::kIncomplete: break;
      case EventParser::Outcome::kDeclined: return difficult_event(p);
    }
  }
  const char* const next = give_up(p, EventFault::kCutOff);
  return where == Where::kLost ? cut_off() : next;  // its pieces are no records
}

// What parses as a record from p to `behind_it`, and is no ordinary one.
const char* Scanner::State::large_event(const char* p, const char* behind_it) {
  if (event.phase == 0 && first_key(p, end) == FirstKey::kDocument) return another_document(p);
  if (swallows_records(p, behind_it, MoreBytes::kNo)) return give_up(p, EventFault::kDamagedText);
  hand_over(p, behind_it);
  return behind_it;
}

// A record that the fast path cannot read: perhaps valid JSON of a rare kind, perhaps damaged.
const char* Scanner::State::difficult_event(const char* p) {
  const FirstKey first = first_key(p, end);
  if (first == FirstKey::kCutOff && !last) return await(p);
  if (first == FirstKey::kDocument) return another_document(p);
  const char* const bound = within(p, std::min(kSlowRecord, limits.event_bytes));
  const bool may_go_on = bound == end && !last;
  event.offset = offset(p);
  const SlowEventReader::Outcome read = slow.read(p, bound, event);
  if (read.behind != nullptr) {
    hand_over(p, read.behind);
    return read.behind;
  }
  lose(p, p + read.looked_at);
  if (may_go_on && read.looked_at == length(p, bound)) return await(p);  // valid so far
  const char* next = p + 1;
  const Landmark found = landmarks.find(next, bound, bound == end ? more() : MoreBytes::kYes);
  if (may_go_on && found.kind == Landmark::Kind::kMore) return await(p);
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
  const char* const bound = within(p, limits.event_bytes);
  const char* stop = element.skip(p, bound);
  if (stop == nullptr && bound < end) return give_up(p, EventFault::kTooLarge);
  if (stop == nullptr && !last) return await(p);
  if (stop == nullptr || stop == p) return give_up(p, stop == nullptr ? EventFault::kCutOff : EventFault::kDamagedText);
  const char* after = skip_json_space(stop, within(stop, kMostBlanks));
  if (after == end && !last) return await(p);
  const bool text = *p == '"';
  const bool closed = after < end && (*after == ',' || *after == ']');
  if (text && after < end && *after == ':') {
    // A member of the document: the bracket that ended the events is lost, or the brace that began the document.
    fault(EventFault::kDamagedText, p);
    if (!has_records()) {
      array_seen = report.bare_array = false;
      object_form = true;
    }
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
  if (*p == '{') {
    const FirstKey first = first_key(p, end);
    if (first == FirstKey::kCutOff && !last) return await(p);
    if (first == FirstKey::kDocument) return another_document(p);
  }
  fault(kind, p);
  where = Where::kLost;
  return p + 1;
}

const char* Scanner::State::lost(const char* p) {
  const Landmark found = landmarks.find(p, end, more());
  switch (found.kind) {
    case Landmark::Kind::kNone: return cut_off();
    case Landmark::Kind::kMore: return stall(found.keep);
    case Landmark::Kind::kDocumentHead: return another_document(found.at);
    case Landmark::Kind::kEvent:
      // The first record of another bare array, which has no other head than its bracket.
      if (found.opens_array && report.bare_array) {
        const char* bracket = found.at;
        while (*--bracket != '[') {
        }
        if (has_records()) interrupt(bracket);
        else writers.another_document();
      }
      where = Where::kEvents;
      return found.at;
    case Landmark::Kind::kRecordStart:
    case Landmark::Kind::kArrayEnd: where = Where::kEvents; return found.at;
  }
  return end;
}

}  // namespace hta::input
