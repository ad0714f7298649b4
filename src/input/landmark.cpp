#include "landmark.h"

#include <algorithm>
#include <cstring>

#include "text_scan.h"

namespace hta::input {
namespace {

constexpr std::ptrdiff_t kMostBlanks = 4096;

// Characters before a place that are neither blanks nor commas; '\0' where the text at hand does not tell.
struct Before {
  char last = '\0';        // the last character that is no blank
  char last_other = '\0';  // the last one that is no comma either
  const char* from = nullptr;
};

Before look_back(const char* text, const char* p) {
  Before before;
  const char* const stop = p - text > kMostBlanks ? p - kMostBlanks : text;
  const char* q = p;
  while (q > stop && is_json_space(q[-1])) --q;
  if (q > stop) before.last = q[-1];
  while (q > stop && (is_json_space(q[-1]) || q[-1] == ',')) --q;
  if (q > stop) before.last_other = *--q;
  before.from = q;
  return before;
}

enum class Answer : std::uint8_t { kNo, kYes, kCutOff };

// Whether the bracket at p ends the events: behind a record, and in front of the end of a document or of a known
// member.
Answer ends_array(const char* text, const char* p, const char* end, MoreBytes more) {
  const Before before = look_back(text, p);
  if (before.last_other != '}') return Answer::kNo;
  const auto at_end = [&] { return more == MoreBytes::kYes ? Answer::kCutOff : Answer::kYes; };
  const char* after = skip_json_space(p + 1, std::min(end, p + kMostBlanks));
  if (after == end) return at_end();
  if (*after == '}') {
    after = skip_json_space(after + 1, std::min(end, after + kMostBlanks));
    if (after == end) return at_end();
    return *after == '{' || *after == '[' ? Answer::kYes : Answer::kNo;
  }
  if (*after != ',') return Answer::kNo;
  // What follows the comma looks like the inside of an object.
  after = skip_json_space(after + 1, std::min(end, after + kMostBlanks));
  if (after == end) return at_end();
  if (*after != '"') return Answer::kNo;
  const FirstKey key = first_key(after - 1, end);
  if (key == FirstKey::kCutOff) return more == MoreBytes::kYes ? Answer::kCutOff : Answer::kNo;
  return key == FirstKey::kDocument ? Answer::kYes : Answer::kNo;
}

// Whether the object at p, which has the first key of a document, begins with members that only documents have: even
// as a value it is the start of one.
Answer is_document_alone(const char* p, const char* end, MoreBytes more) {
  constexpr std::ptrdiff_t kNear = 64;
  if (end - p < kNear && more == MoreBytes::kYes) return Answer::kCutOff;
  return find_document_key(p, end - p > kNear ? p + kNear : end) != nullptr ? Answer::kYes : Answer::kNo;
}

Landmark undecided(const char* at, const Before& before) {
  Landmark landmark{Landmark::Kind::kMore, at};
  landmark.keep = before.from;
  return landmark;
}

// memchr for two characters, each searched only once.
class BraceOrBracket {
 public:
  BraceOrBracket(const char* from, const char* end) : end_(end), brace_(find('{', from)), bracket_(find(']', from)) {}
  const char* next(const char* from) {
    if (brace_ < from) brace_ = find('{', from);
    if (bracket_ < from) bracket_ = find(']', from);
    return std::min(brace_, bracket_);
  }

 private:
  const char* find(char c, const char* from) const {
    if (from >= end_) return end_;
    const auto* at = static_cast<const char*>(std::memchr(from, c, static_cast<std::size_t>(end_ - from)));
    return at == nullptr ? end_ : at;
  }
  const char* end_;
  const char* brace_;
  const char* bracket_;
};

}  // namespace

Landmark LandmarkFinder::find(const char* text, const char* from, const char* end, MoreBytes more) {
  using Kind = Landmark::Kind;
  if (parser_ == nullptr) parser_ = std::make_unique<EventParser>(ArgSet{});
  BraceOrBracket places(from, end);
  const char* p = from;
  for (;;) {
    p = places.next(p);
    if (p >= end) return more == MoreBytes::kYes ? undecided(end, look_back(text, end)) : Landmark{Kind::kNone, end};
    if (*p == ']') {
      const Answer answer = ends_array(text, p, end, more);
      if (answer == Answer::kYes) return {Kind::kArrayEnd, p};
      if (answer == Answer::kCutOff) return undecided(p, look_back(text, p));
      ++p;
      continue;
    }
    const Before before = look_back(text, p);
    const bool is_value = before.last == ':';  // of a member
    const FirstKey key = first_key(p, end);
    if (key == FirstKey::kCutOff && more == MoreBytes::kYes) return undecided(p, before);
    if (key == FirstKey::kDocument) {
      const Answer alone = is_value ? is_document_alone(p, end, more) : Answer::kYes;
      if (alone == Answer::kCutOff) return undecided(p, before);
      if (alone == Answer::kYes) return {Kind::kDocumentHead, p};
    }
    if (key != FirstKey::kEvent || is_value) {
      ++p;
      continue;
    }
    const char* const bound = static_cast<std::size_t>(end - p) > kOrdinaryRecord ? p + kOrdinaryRecord : end;
    const char* behind = p;
    const EventParser::Outcome outcome = parser_->parse(&behind, bound, scratch_);
    if (outcome == EventParser::Outcome::kEvent) {
      if (scratch_.phase != 0) return {Kind::kEvent, p, before.last == '['};
      p = behind;  // an object inside of what is lost
      continue;
    }
    if (outcome == EventParser::Outcome::kIncomplete) {
      if (bound == end && more == MoreBytes::kYes) return undecided(p, before);
      wasted_ += static_cast<std::uint64_t>(bound - p);
    }
    const bool follows_a_record = before.last_other == '}' && (before.last == ',' || before.last == '}');
    if (follows_a_record) return {Kind::kRecordStart, p};
    ++p;
  }
}

}  // namespace hta::input
