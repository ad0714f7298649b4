#include "event_parser.h"

#include "hta/input/decimal.h"

#include <bit>
#include <cstring>

#include "block.h"

namespace hta::input {
namespace {

bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}
bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// Whether a number that seemed to end before `c` has a fraction or an exponent.
bool goes_on(char c) {
  return c == '.' || c == 'e' || c == 'E';
}

const char* skip_space(const char* p) {
  while (is_space(*p)) ++p;
  return p;
}

constexpr std::array<std::uint64_t, 9> kPowersOfTen{1,       10,        100,        1'000,      10'000,
                                                    100'000, 1'000'000, 10'000'000, 100'000'000};

// The digits at p, at most eight: how many, and their value.
struct DigitRun {
  std::uint64_t value;
  std::uint32_t count;
};
inline DigitRun leading_digits(const char* p) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word = 0;
  std::memcpy(&word, p, 8);
  word ^= 0x3030303030303030u;  // digits become 0 to 9, nothing else does
  // The top bit of a byte says that it is no digit. Carries only disturb bytes behind the first of these.
  const std::uint64_t stops = ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
  std::uint32_t count = 8;
  if (stops != 0) {
    const auto bits = static_cast<std::uint32_t>(std::countr_zero(stops)) - 7;
    if (bits == 0) return {0, 0};
    word <<= 64 - bits;  // zeros in front instead of what follows
    count = bits / 8;
  }
  // Digits to pairs, pairs to fours, fours to eight.
  word = word * 10 + (word >> 8);
  const std::uint64_t value = (((word & 0x000000FF000000FFu) * 0x000F424000000064u) +
                               (((word >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u)) >>
                              32;
  return {value, count};
}

// Digits at p to a number; p moves behind them. Overflow is the caller's business: more than 18 digits give nullptr.
inline const char* digits(const char* p, std::uint64_t& value) {
  DigitRun run = leading_digits(p);
  value = run.value;
  p += run.count;
  if (run.count < 8) return p;
  run = leading_digits(p);
  value = value * kPowersOfTen[run.count] + run.value;
  p += run.count;
  if (run.count < 8) return p;
  run = leading_digits(p);
  value = value * kPowersOfTen[run.count] + run.value;
  return run.count > 2 ? nullptr : p + run.count;
}

// End of a token that is neither string nor container.
constexpr std::uint64_t kMaxPlainMicros = 9'000'000'000'000'000u;
constexpr std::uint32_t kNanoPlaces = 3;

const char* bare_token_end(const char* p, const char* end) {
  while (p < end && *p != ',' && *p != '}' && *p != ']' && *p != '"' && static_cast<unsigned char>(*p) > 32) ++p;
  return p;
}

// Bit i of the result: whether bit i and those below it hold an odd number of ones.
std::uint32_t parity_of_prefixes(std::uint32_t bits) {
  bits ^= bits << 1;
  bits ^= bits << 2;
  bits ^= bits << 4;
  return (bits ^ bits << 8) & 0xffff;
}

}  // namespace

EventParser::EventParser(const ArgSet& wanted) : wanted_(wanted) {
  // The first of each level means "no key yet", and "a key that is not remembered".
  for (Keys& keys : levels_) {
    keys.known.reserve(kMaxKeys);
    keys.known.emplace_back();
  }
}

EventParser::Key EventParser::meaning(std::string_view name, Level level) const {
  Key key;
  if (level == kEventLevel) {
    constexpr std::array<std::pair<std::string_view, Field>, 9> kFields{{{"ph", Field::kPhase},
                                                                         {"cat", Field::kCategory},
                                                                         {"name", Field::kName},
                                                                         {"pid", Field::kPid},
                                                                         {"tid", Field::kTid},
                                                                         {"ts", Field::kTime},
                                                                         {"dur", Field::kDur},
                                                                         {"id", Field::kId},
                                                                         {"args", Field::kArgs}}};
    for (const auto& [text, field] : kFields) {
      if (name == text) key.field = field;
    }
  } else {
    for (std::size_t i = 0; i < kArgCount; ++i) {
      const auto arg = static_cast<ArgKey>(i);
      if (wanted_.contains(arg) && arg_spec(arg).name == name) {
        key.field = Field::kArg;
        key.arg = arg;
      }
    }
  }
  return key;
}

EventParser::Key* EventParser::key_named(std::string_view name, Level level) {
  Keys& keys = levels_[level];
  if (name.size() > kLongestName) return &keys.known.front();
  if (const StringId id = keys.names.find(name); id.valid()) return keys.by_name[id.value()];
  // Strange files with endless key names: keys beyond the limit are skipped, unless they mean something.
  const Key key = meaning(name, level);
  const std::size_t limit = key.field == Field::kSkip ? kMaxKeys - 2 * kArgCount : kMaxKeys;
  if (keys.known.size() >= limit) return &keys.known.front();
  keys.known.push_back(key);
  keys.names.intern(name);
  // A name that is no UTF-8 has been stored repaired and is never found again; its key goes unused, no harm.
  keys.by_name.resize(keys.names.size(), &keys.known.back());
  return &keys.known.back();
}

inline bool EventParser::same_high(const char* p, const Successor& guess) {
  const std::uint32_t same = Block(p + Block::kBytes).equal(Block(guess.bytes.data() + Block::kBytes));
  return (same & guess.high_mask) == guess.high_mask;
}

// p is behind a value (or behind the opening brace), the value of `at`; moves both to the next one, or p behind the
// closing brace.
inline EventParser::Field EventParser::next_key(const char*& p, Level level, Key*& at) {
  const Block low(p);
  for (const Successor& guess : at->successors) {
    // Nearly all are shorter than a block.
    const std::uint32_t same = low.equal(Block(guess.bytes.data()));
    if ((same & guess.low_mask) == guess.low_mask && (guess.length <= Block::kBytes || same_high(p, guess))) {
      p += guess.length;
      if (static_cast<unsigned char>(*p) <= ' ' && guess.field < Field::kEndOfObject) p = skip_space(p);
      at = guess.key;
      return guess.field;
    }
  }
  return read_key(p, level, at);
}

EventParser::Field EventParser::read_key(const char*& p, Level level, Key*& at) {
  const char* const from = p;
  p = skip_space(p);
  if (*p == ',') p = skip_space(p + 1);
  if (*p == '}') {
    ++p;
    remember(from, p, *at, Field::kEndOfObject, nullptr);
    return Field::kEndOfObject;
  }
  if (*p != '"') {
    ran_out_ = p >= end_;
    return Field::kNone;
  }
  const char* name = p + 1;
  bool escaped = false;
  const char* name_end = string_end(name, escaped);
  if (name_end == nullptr || escaped) return Field::kNone;
  p = skip_space(name_end + 1);
  if (*p != ':') {
    ran_out_ = p >= end_;
    return Field::kNone;
  }
  p = skip_space(p + 1);
  if (p >= end_) {
    ran_out_ = true;
    return Field::kNone;
  }
  Key* const key = key_named({name, static_cast<std::size_t>(name_end - name)}, level);
  if (key != &levels_[level].known.front()) remember(from, p, *at, key->field, key);
  at = key;
  return key->field;
}

void EventParser::remember(const char* from, const char* to, Key& before, Field field, Key* key) {
  const auto length = static_cast<std::size_t>(to - from);
  if (length == 0 || length > Successor::kBytes) return;
  Successor& guess = before.successors[before.next_victim];
  // The first one learnt stays: it is the most frequent one more often than not.
  before.next_victim = before.next_victim + 1u == kWays ? 1 : static_cast<std::uint8_t>(before.next_victim + 1);
  std::memcpy(guess.bytes.data(), from, Successor::kBytes);
  guess.length = static_cast<std::uint8_t>(length);
  const std::uint32_t mask = length == Successor::kBytes ? ~0u : (1u << length) - 1;
  guess.low_mask = mask & 0xffff;
  guess.high_mask = mask >> Block::kBytes;
  guess.field = field;
  guess.key = key;
}

// p behind the opening quote -> at the closing one.
inline const char* EventParser::string_end(const char* p, bool& escaped) {
  do {
    const std::uint32_t stops = Block(p).any_of('"', '\\', '\n');
    if (stops == 0) {
      p += Block::kBytes;
      continue;
    }
    p += std::countr_zero(stops);
    if (p >= end_) break;
    if (*p == '"') return p;
    if (*p == '\\') {
      escaped = true;
      p += 2;
    } else {
      if (one_line_) return nullptr;
      ++p;
    }
  } while (p < end_);
  ran_out_ = true;
  return nullptr;
}

// p at the opening bracket -> behind its partner. Kinds of brackets are not told apart.
const char* EventParser::skip_container(const char* p) {
  std::int64_t depth = 0;
  std::uint32_t in_string = 0;  // all ones if the block begins inside a string
  for (; p < end_; p += Block::kBytes) {
    const Block block(p);
    const std::uint32_t quotes = block.equal('"');
    std::uint32_t strings = 0;  // opening quotes and what follows them
    if ((quotes | in_string) != 0) {
      strings = parity_of_prefixes(quotes) ^ in_string;
      if ((block.equal('\\') | (block.equal('\n') & strings)) != 0)
        return skip_difficult_container(p, depth, in_string != 0);
      in_string = (strings & 0x8000) != 0 ? 0xffff : 0;
    }
    const Block folded = block.folded();
    const std::uint32_t opens = folded.equal('{') & ~strings;
    const std::uint32_t closes = folded.equal('}') & ~strings;
    for (std::uint32_t both = opens | closes; both != 0; both &= both - 1) {
      const int at = std::countr_zero(both);
      depth += (opens >> at & 1u) != 0 ? 1 : -1;
      if (depth > 0) continue;
      p += at + 1;
      if (p <= end_) return p;
      break;
    }
  }
  ran_out_ = true;
  return nullptr;
}

// The same from the middle on, byte by byte: for containers with escapes or line breaks in strings.
const char* EventParser::skip_difficult_container(const char* p, std::int64_t depth, bool in_string) {
  if (in_string) --p;  // NOLINT: stands for the opening quote
  for (; p < end_; ++p) {
    if (in_string || *p == '"') {
      in_string = false;
      bool escaped = false;
      p = string_end(p + 1, escaped);
      if (p == nullptr) return nullptr;
    } else if (*p == '{' || *p == '[') {
      ++depth;
    } else if ((*p == '}' || *p == ']') && --depth <= 0) {
      return p + 1;
    }
  }
  ran_out_ = true;
  return nullptr;
}

inline const char* EventParser::skip_value(const char* p) {
  if (*p == '"') {
    bool escaped = false;
    const char* close = string_end(p + 1, escaped);
    return close == nullptr ? nullptr : close + 1;
  }
  if (*p == '{' || *p == '[') return skip_container(p);
  const char* stop = bare_token_end(p + leading_digits(p).count, end_);
  if (stop >= end_) {
    ran_out_ = true;
    return nullptr;
  }
  return stop == p || *stop == '"' ? nullptr : stop;
}

inline const char* EventParser::parse_value(const char* p, RawValue& value) {
  if (*p == '"') {
    value.escaped = false;
    const char* close = string_end(p + 1, value.escaped);
    if (close == nullptr) return nullptr;
    value.kind = TokenKind::kString;
    value.text = {p + 1, static_cast<std::size_t>(close - p - 1)};
    return close + 1;
  }
  value.escaped = false;
  const bool negative = *p == '-';
  const char* first = p + (negative ? 1 : 0);
  if (is_digit(*first)) {
    std::uint64_t magnitude = 0;
    const char* stop = digits(first, magnitude);
    if (stop != nullptr && !goes_on(*stop)) {
      value.kind = TokenKind::kInteger;
      value.number = negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
      value.text = {p, static_cast<std::size_t>(stop - p)};
      return stop;
    }
  }
  return parse_rare_value(p, value);
}

// Numbers with fraction, exponent or very many digits; literals; containers.
const char* EventParser::parse_rare_value(const char* p, RawValue& value) {
  const char* stop = skip_value(p);
  if (stop == nullptr) return nullptr;
  value.text = {p, static_cast<std::size_t>(stop - p)};
  if (is_digit(*p) || *p == '-') {
    const bool whole = value.text.find_first_of(".eE") == std::string_view::npos;
    const auto number = whole ? scaled_decimal(value.text, 0) : std::nullopt;
    value.kind = number ? TokenKind::kInteger : TokenKind::kNumber;
    value.number = number.value_or(0);
  } else {
    value.kind = *p == '{' || *p == '[' ? TokenKind::kContainer : TokenKind::kLiteral;
  }
  return stop;
}

// Microseconds, as number or string; p at the first character of the value.
inline const char* EventParser::parse_time(const char* p, RawTime& time) {
  std::uint64_t whole = 0;
  const char* stop = digits(p, whole);
  if (stop != nullptr && stop > p && whole < kMaxPlainMicros) {
    DigitRun fraction{0, 0};
    if (*stop == '.') {
      fraction = leading_digits(stop + 1);
      stop += 1 + fraction.count;
    }
    if (fraction.count <= kNanoPlaces && !goes_on(*stop)) {
      time.state = TimeState::kValid;
      time.nanos = static_cast<Nanos>(whole * kPowersOfTen[kNanoPlaces] +
                                      fraction.value * kPowersOfTen[kNanoPlaces - fraction.count]);
      return stop;
    }
  }
  return parse_rare_time(p, time);
}

// Negative times, times in strings, with exponents or more digits than nanoseconds have; and what is no time.
const char* EventParser::parse_rare_time(const char* p, RawTime& time) {
  RawValue value;
  const char* stop = parse_value(p, value);
  if (stop == nullptr) return nullptr;
  const bool numeric =
      value.kind == TokenKind::kInteger || value.kind == TokenKind::kNumber || value.kind == TokenKind::kString;
  const auto nanos = numeric ? micros_to_nanos(value.text) : std::nullopt;
  time.state = nanos ? TimeState::kValid : TimeState::kInvalid;
  time.nanos = nanos.value_or(0);
  return stop;
}

const char* EventParser::parse_args(const char* p, RawEvent& event) {
  Key* key = &levels_[kArgsLevel].known.front();
  ++p;
  for (;;) {
    switch (next_key(p, kArgsLevel, key)) {
      case Field::kArg: p = parse_value(p, event.arg(key->arg)); break;
      case Field::kEndOfObject: return p;
      case Field::kNone: return nullptr;
      default: p = skip_value(p);
    }
    if (p == nullptr) return nullptr;
  }
}

EventParser::Outcome EventParser::parse(const char** at, const char* end, RawEvent& event, Strictness strictness) {
  end_ = end;
  one_line_ = strictness == Strictness::kOneLineStrings;
  ran_out_ = false;
  event.reset();
  const char* p = *at + 1;
  Key* key = &levels_[kEventLevel].known.front();
  for (;;) {
    switch (next_key(p, kEventLevel, key)) {
      case Field::kPhase:
        if (p[0] == '"' && p[1] != '\\' && p[1] != '"' && p[2] == '"') {
          event.phase = p[1];
          p += 3;
        } else if (p[0] == '"' && p[1] == '\\') {
          // Perhaps one character, written as an escape.
          return p + 1 < end ? Outcome::kDeclined : Outcome::kIncomplete;
        } else {
          event.phase = 0;
          p = skip_value(p);
        }
        break;
      case Field::kCategory: p = parse_value(p, event.category); break;
      case Field::kName: p = parse_value(p, event.name); break;
      case Field::kPid: p = parse_value(p, event.pid); break;
      case Field::kTid: p = parse_value(p, event.tid); break;
      case Field::kTime: p = parse_time(p, event.time); break;
      case Field::kDur: p = parse_time(p, event.dur); break;
      case Field::kId: p = parse_value(p, event.id); break;
      case Field::kArgs:
        if (*p == '{') {
          const char* begin = p;
          event.clear_args();
          p = parse_args(p, event);
          if (p != nullptr) event.args_text = {begin, static_cast<std::size_t>(p - begin)};
        } else {
          p = skip_value(p);
        }
        break;
      case Field::kSkip:
      case Field::kArg: p = skip_value(p); break;
      case Field::kEndOfObject:
        if (p > end) return Outcome::kIncomplete;
        *at = p;
        return Outcome::kEvent;
      case Field::kNone: p = nullptr; break;
    }
    if (p == nullptr) return ran_out_ ? Outcome::kIncomplete : Outcome::kDeclined;
    if (p >= end) return Outcome::kIncomplete;
  }
}

}  // namespace hta::input
