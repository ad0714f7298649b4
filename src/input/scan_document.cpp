// The document around the event array: its beginning, its members, and what follows its end.

#include <algorithm>
#include <string_view>

#include "json_text.h"
#include "scan_state.h"

namespace hta::input {

const char* Scanner::State::begin(const char* p) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (offset(p) == 0) {  // where alone it may stand
    if (length(p, end) < kByteOrderMark.size() && !last) return stall(p);
    if (std::string_view(p, length(p, end)).starts_with(kByteOrderMark)) p += kByteOrderMark.size();
  }
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

// p is a little in front of where landmarks have not been looked for, so that a key that straddles two buffers is seen.
const char* Scanner::State::search(const char* p) {
  const Landmark found = landmarks.find(p, std::max(p, place(searched_to)), end, more());
  searched_to = 0;
  // A member of the document may come first: what stands before it is lost.
  if (const char* document_key = find_document_key(p, found.at); document_key != nullptr) {
    report.head_lost |= !object_form;
    object_form = true;
    where = Where::kTopLevel;
    return document_key;
  }
  switch (found.kind) {
    case Landmark::Kind::kNone: where = Where::kDone; return end;
    case Landmark::Kind::kMore:
      searched_to = offset(found.at);
      return stall(std::min(found.keep, in_front_of(found.at, p)));
    case Landmark::Kind::kEvent:
      report.head_lost |= !object_form;
      report.bare_array = !object_form;
      array_seen = true;
      return enter_events(found.at);
    case Landmark::Kind::kDocumentHead:
      if (object_form) return another_document(found.at);
      report.head_lost = true;
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
  const char* brace = skip_json_space(p + 1, within(p, kMostBlanks));
  if (brace == end) return last ? Answer::kNo : Answer::kLater;
  if (*brace != '{') return Answer::kNo;
  const char* behind_it = brace;
  const char* const bound = within(brace, kOrdinaryRecord);
  switch (parser.parse(&behind_it, bound, event)) {
    case EventParser::Outcome::kEvent: return event.phase != 0 ? Answer::kYes : Answer::kNo;
    case EventParser::Outcome::kIncomplete: return !last && bound == end ? Answer::kLater : Answer::kNo;
    case EventParser::Outcome::kDeclined: return Answer::kNo;
  }
  return Answer::kNo;
}

const char* Scanner::State::top_level(const char* p) {
  while (p < end && (is_json_space(*p) || *p == ',')) ++p;
  if (p == end) return last ? cut_off() : stall(p);
  if (too_early(p)) return stall(p);
  if (*p == '}') {
    if (!array_seen && doubtful_member) {  // a lost brace lets what it holds look like members
      where = Where::kSearching;
      return p + 1;
    }
    if (!foreign) report.document_end = offset(p + 1);
    where = Where::kBehind;
    return p + 1;
  }
  const char* const from = p;
  const char* const bound = within(from, limits.metadata_bytes);
  const auto unfinished = [&] { return bound < end ? damaged_member(from) : last ? cut_off() : await(from); };
  if (*p != '"') return damaged_member(from);
  ValueSkipper name_skipper;
  const char* name_end = name_skipper.skip(p, bound);
  if (name_end == nullptr) return unfinished();
  decode_string({p + 1, length(p, name_end) - 2}, key);
  p = skip_json_space(name_end, bound);
  if (p == bound) return unfinished();
  if (*p != ':') return damaged_member(from);
  p = skip_json_space(p + 1, bound);
  return p == bound ? unfinished() : member(from, p);
}

// Whether the value, which is damaged or does not end, holds other members or records: a lost quote or bracket lets a
// value run into what follows it.
bool Scanner::State::holds_foreign_text(const char* value, const char* value_end) {
  if (find_document_key(value, value_end) != nullptr) return true;
  return landmarks.find(value, value_end, MoreBytes::kNo).kind == Landmark::Kind::kEvent;
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
  // A quote in front of the bracket, or in its place, would take the first record into a string.
  if (*value == '"' && key == "traceEvents" && !array_seen) return damaged_member(value);
  skipper.reset();
  const char* const bound = within(from, limits.metadata_bytes);
  const char* value_end = skipper.skip(value, bound);
  if (value_end == nullptr) {
    if (!last && bound == end) return await(from);
    if (!array_seen && holds_foreign_text(value, bound)) return damaged_member(from);
    if (bound == end) return cut_off();
    where = Where::kSkipping;
    skipped_to = offset(bound);
    return from;
  }
  if (value_end == value) return damaged_member(from);
  const std::string_view json(value, length(value, value_end));
  if (!array_seen && !is_valid_json(json)) {
    if (holds_foreign_text(value, value_end)) return damaged_member(from);  // an intact one may hold what it likes
    doubtful_member = true;
  }
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
  if (!foreign) ++report.damaged_metadata;
  where = Where::kSearching;
  return *from == '{' ? from : from + 1;  // it may be a record whose array has lost its bracket
}

// p is a little in front of what was not skipped yet, so that a key that straddles two buffers is seen.
const char* Scanner::State::skipping(const char* p) {
  const char* stop = skipper.skip(place(skipped_to), end);
  if (!array_seen) {
    const char* const bound = stop != nullptr ? stop : end;
    for (const char* document_key = find_document_key(p + 1, bound); document_key != nullptr;
         document_key = find_document_key(document_key + 1, bound)) {
      if (!std::string_view(document_key, length(document_key, end)).starts_with("\"traceEvents\"")) continue;
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
  return stall(in_front_of(end, p));
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
    case Landmark::Kind::kMore: return stall(found.keep);
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

}  // namespace hta::input
