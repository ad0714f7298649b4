#include "hta/input/scanner.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "event_parser.h"
#include "slow_event.h"

namespace hta::input {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

const char* skip_space(const char* p, const char* end) {
  while (p < end && is_space(*p)) ++p;
  return p;
}

// Skips one JSON value of any size across buffers. Lenient: brackets are counted, bare words accepted.
class ValueSkipper {
 public:
  void reset() { *this = ValueSkipper(); }
  // Returns where the value ends (behind it), or nullptr if `end` came first.
  const char* skip(const char* p, const char* end) {
    for (; p < end; ++p) {
      const char c = *p;
      if (in_string_) {
        if (escaped_) escaped_ = false;
        else if (c == '\\') escaped_ = true;
        else if (c == '"') {
          in_string_ = false;
          if (depth_ == 0) return p + 1;
        }
        continue;
      }
      if (c == '"') {
        in_string_ = true;
        started_ = true;
      } else if (c == '{' || c == '[') {
        ++depth_;
        started_ = true;
      } else if (c == '}' || c == ']') {
        if (depth_ == 0) return p;  // end of a bare word, and of what holds it
        if (--depth_ == 0) return p + 1;
      } else if (depth_ == 0 && started_ && (c == ',' || is_space(c))) {
        return p;
      } else if (!is_space(c)) {
        started_ = true;
      }
    }
    return nullptr;
  }

 private:
  std::int64_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool started_ = false;
};

constexpr std::array<std::string_view, 11> kEventKeys{"ph", "cat", "name", "pid", "tid", "ts", "dur", "args", "id", "s", "bp"};

// Whether an event object seems to start at p (a brace): its first key is one that events have.
bool looks_like_event(const char* p, const char* end) {
  const char* q = skip_space(p + 1, end);
  if (q >= end || *q != '"') return false;
  const char* name = q + 1;
  const char* close = static_cast<const char*>(std::memchr(name, '"', static_cast<std::size_t>(std::min<std::ptrdiff_t>(end - name, 8))));
  if (close == nullptr) return false;
  const std::string_view key(name, static_cast<std::size_t>(close - name));
  if (std::find(kEventKeys.begin(), kEventKeys.end(), key) == kEventKeys.end()) return false;
  q = skip_space(close + 1, end);
  return q < end && *q == ':';
}

// The next place behind `from` where an event starts after a comma (or at the front of the array); nullptr if none.
const char* find_event_start(const char* from, const char* end) {
  for (const char* p = from; p < end; ++p) {
    p = static_cast<const char*>(std::memchr(p, '{', static_cast<std::size_t>(end - p)));
    if (p == nullptr) return nullptr;
    const char* before = p;
    while (before > from && is_space(before[-1])) --before;
    const bool after_comma = before > from && (before[-1] == ',' || before[-1] == '[');
    if (after_comma && looks_like_event(p, end)) return p;
  }
  return nullptr;
}

// The closing bracket of the event array: behind `}`, followed by a comma, a brace or the end. nullptr if none.
const char* find_array_end(const char* from, const char* end) {
  for (const char* p = from; p < end; ++p) {
    p = static_cast<const char*>(std::memchr(p, ']', static_cast<std::size_t>(end - p)));
    if (p == nullptr) return nullptr;
    const char* before = p;
    while (before > from && is_space(before[-1])) --before;
    if (before == from || (before[-1] != '}' && before[-1] != ',')) continue;
    const char* after = skip_space(p + 1, end);
    if (after == end || *after == ',' || *after == '}') return p;
  }
  return nullptr;
}

bool contains(const char* begin, const char* end, std::string_view text) {
  return std::string_view(begin, static_cast<std::size_t>(end - begin)).find(text) != std::string_view::npos;
}

}  // namespace

struct Scanner::State {
  enum class Where : std::uint8_t { kBegin, kTopLevel, kSkipping, kEvents, kLost, kBehind, kDone };

  State(const ArgSet& wanted, ScanSink& to, ScanLimits bounds) : parser(wanted), slow(wanted), sink(to), limits(bounds) {}

  EventParser parser;
  SlowEventReader slow;
  ScanSink& sink;
  ScanLimits limits;
  ScanReport report;
  RawEvent event;
  Where where = Where::kBegin;
  ValueSkipper skipper;
  const char* base = nullptr;    // of the buffer at hand
  std::uint64_t base_offset = 0;  // of `base` in the text
  const char* end = nullptr;
  bool last = false;
  std::uint64_t headers_in_events = 0;  // damage that holds another document's head
  std::uint64_t damage_after_header = 0;

  std::uint64_t offset(const char* p) const { return base_offset + static_cast<std::uint64_t>(p - base); }

  // Each returns where it stopped; `stalled` means that more bytes are needed.
  bool stalled = false;
  const char* stall(const char* p) {
    stalled = true;
    return p;
  }

  const char* step(const char* p);
  const char* begin(const char* p);
  const char* top_level(const char* p);
  const char* skipping(const char* p);
  const char* events(const char* p);
  const char* lost(const char* p);
  const char* behind(const char* p);
  const char* difficult_event(const char* p);
  const char* give_up(const char* p, EventFault fault);
  void hand_over(const char* from, const char* stop);
};

void Scanner::State::hand_over(const char* from, const char* stop) {
  event.text = {from, static_cast<std::size_t>(stop - from)};
  if (event.phase != 0) report.saw_event_array = true;
  ++report.events;
  sink.event(event);
}

const char* Scanner::State::begin(const char* p) {
  if (end - p < 3 && !last) return stall(p);
  if (end - p >= 3 && std::memcmp(p, "\xEF\xBB\xBF", 3) == 0) p += 3;
  p = skip_space(p, end);
  if (p == end) return last ? end : stall(p);
  if (*p == '{') {
    where = Where::kTopLevel;
  } else if (*p == '[') {
    report.bare_array = true;
    report.events_begin = offset(p + 1);
    where = Where::kEvents;
  } else {
    where = Where::kDone;
    return end;
  }
  return p + 1;
}

const char* Scanner::State::top_level(const char* p) {
  while (p < end && (is_space(*p) || *p == ',')) ++p;
  if (p == end) {
    if (last) report.truncated = true;
    return last ? end : stall(p);
  }
  if (*p == '}') {
    report.document_end = offset(p + 1);
    where = Where::kBehind;
    return p + 1;
  }
  const char* const from = p;
  const bool room_left = static_cast<std::size_t>(end - from) < limits.metadata_bytes;
  const auto damaged = [&]() -> const char* {
    // Behind the events nothing is worth looking for; before them, the array is.
    ++report.damaged_metadata;
    if (report.saw_event_array) {
      where = Where::kDone;
      return end;
    }
    const std::string_view rest(from + 1, static_cast<std::size_t>(end - from - 1));
    const std::size_t at = rest.find("\"traceEvents\"");
    if (at != std::string_view::npos) return from + 1 + at;
    if (!last && room_left) return stall(from);
    if (last) where = Where::kDone;
    return end;
  };
  if (*p != '"') return damaged();
  const char* name = p + 1;
  const char* close = name;
  while (close < end && *close != '"' && *close != '\n') ++close;
  if (close == end && !last && room_left) return stall(from);
  if (close == end && last) {
    report.truncated = true;
    return end;
  }
  if (*close != '"') return damaged();
  const std::string_view key(name, static_cast<std::size_t>(close - name));
  p = skip_space(close + 1, end);
  if (p < end && *p != ':') return damaged();
  p = skip_space(p + 1, end);
  if (p >= end) {
    if (last) report.truncated = true;
    return last ? end : stall(from);
  }
  if (key == "traceEvents" && *p == '[' && !report.saw_event_array) {
    report.saw_event_array = true;
    report.events_begin = offset(p + 1);
    where = Where::kEvents;
    return p + 1;
  }
  skipper.reset();
  const char* value_end = skipper.skip(p, end);
  if (value_end == nullptr) {
    if (last) {
      report.truncated = true;
      return end;
    }
    if (room_left) return stall(from);
    where = Where::kSkipping;  // the skipper remembers where it is
    return end;
  }
  if (value_end == p) return damaged();
  sink.metadata(key, {p, static_cast<std::size_t>(value_end - p)});
  return value_end;
}

const char* Scanner::State::skipping(const char* p) {
  const char* stop = skipper.skip(p, end);
  if (stop == nullptr) {
    if (last) report.truncated = true;
    return last ? end : stall(end);
  }
  where = Where::kTopLevel;
  return stop;
}

const char* Scanner::State::events(const char* p) {
  bool comma = false;
  for (;;) {
    while (p < end && (is_space(*p) || *p == ',')) {
      comma |= *p == ',';
      ++p;
    }
    if (p == end) {
      if (last && !report.bare_array) report.truncated = true;
      return last ? end : stall(p);
    }
    if (*p == ']') {
      if (comma) report.trailing_comma = true;
      report.events_end = offset(p);
      if (report.bare_array) report.document_end = offset(p + 1);
      where = report.bare_array ? Where::kBehind : Where::kTopLevel;
      return p + 1;
    }
    if (*p != '{') return give_up(p, EventFault::kDamagedText);
    const char* const from = p;
    event.offset = offset(p);
    switch (parser.parse(&p, end, event)) {
      case EventParser::Outcome::kEvent:
        hand_over(from, p);
        comma = false;
        break;
      case EventParser::Outcome::kIncomplete:
        if (!last) {
          if (static_cast<std::size_t>(end - p) < limits.event_bytes) return stall(p);
          return give_up(p, EventFault::kTooLarge);
        }
        return difficult_event(p);
      case EventParser::Outcome::kDeclined: return difficult_event(p);
    }
  }
}

// An event that the fast path cannot read: perhaps valid JSON of a rare kind, perhaps damaged.
const char* Scanner::State::difficult_event(const char* p) {
  const char* next = find_event_start(p + 1, end);
  if (next == nullptr && !last && static_cast<std::size_t>(end - p) < limits.event_bytes) return stall(p);
  const char* bound = next != nullptr ? next : end;
  event.offset = offset(p);
  if (const char* stop = slow.read(p, bound, event); stop != nullptr) {
    hand_over(p, stop);
    return stop;
  }
  const char* at = p;
  event.offset = offset(p);
  if (parser.parse(&at, bound, event, Strictness::kAnyStrings) == EventParser::Outcome::kEvent && at <= bound) {
    ++report.control_characters;
    hand_over(p, at);
    return at;
  }
  return give_up(p, EventFault::kDamagedText);
}

// The record at p is lost: counts it and goes on at the next one.
const char* Scanner::State::give_up(const char* p, EventFault fault) {
  const char* next = find_event_start(p + 1, end);
  const char* stop = next;
  if (stop == nullptr) stop = find_array_end(p, end);
  if (stop == nullptr && !last) {
    if (static_cast<std::size_t>(end - p) < limits.event_bytes) return stall(p);
    where = Where::kLost;
  }
  const bool to_the_end = stop == nullptr;
  if (to_the_end) stop = end;
  if (to_the_end && last) {
    report.truncated = true;
    fault = EventFault::kCutOff;
  }
  if (contains(p, stop, "\"schemaVersion\"") || contains(p, stop, "\"traceEvents\"")) ++headers_in_events;
  else if (headers_in_events > 0) ++damage_after_header;
  if (headers_in_events > 0 && damage_after_header > 0) report.several_writers = true;
  sink.fault(fault, offset(p));
  return stop;
}

// In the middle of a record that was too large: looks for the next one.
const char* Scanner::State::lost(const char* p) {
  const char* next = find_event_start(p, end);
  if (next != nullptr) {
    where = Where::kEvents;
    return next;
  }
  if (last) {
    report.truncated = true;
    return end;
  }
  // A start may straddle the buffers: keep a little.
  constexpr std::ptrdiff_t kStraddle = 256;
  return stall(end - p > kStraddle ? end - kStraddle : p);
}

const char* Scanner::State::behind(const char* p) {
  p = skip_space(p, end);
  if (p == end || *p == '\0') return last || p != end ? end : stall(p);
  if (*p == '{' || *p == '[') report.second_document = true;
  else report.trailing_garbage = true;
  where = Where::kDone;
  return end;
}

const char* Scanner::State::step(const char* p) {
  switch (where) {
    case Where::kBegin: return begin(p);
    case Where::kTopLevel: return top_level(p);
    case Where::kSkipping: return skipping(p);
    case Where::kEvents: return events(p);
    case Where::kLost: return lost(p);
    case Where::kBehind: return behind(p);
    case Where::kDone: return end;
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
  while (p < end && !s.stalled) p = s.step(p);
  if (s.last && p == end && (s.where == State::Where::kTopLevel || (s.where == State::Where::kEvents && !s.report.bare_array))) {
    s.report.truncated = true;
  }
  s.base_offset += static_cast<std::uint64_t>(p - begin);
  return p;
}

const ScanReport& Scanner::report() const { return state_->report; }
bool Scanner::done() const { return state_->where == State::Where::kDone; }

}  // namespace hta::input
