#include "hta/input/scanner.h"

#include "scan_state.h"

namespace hta::input {
namespace {

// Text parsed in vain may be this many times the text read, and so much more at the start.
constexpr std::uint64_t kWastePerByte = 256;
constexpr std::uint64_t kWasteAllowed = std::uint64_t{256} << 20;

}  // namespace

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
