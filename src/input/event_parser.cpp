#include "event_parser.h"

#include <bit>
#include <cstring>

#include <emmintrin.h>

#include "hta/input/decimal.h"

namespace hta::input {
namespace {

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

const char* skip_space(const char* p) {
  while (is_space(*p)) ++p;
  return p;
}

__m128i load(const char* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
std::uint32_t equal_mask(__m128i block, char c) {
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_set1_epi8(c))));
}

// Digits at p to a number; p moves behind them. Overflow is the caller's business: more than 18 digits give nullptr.
const char* digits(const char* p, std::uint64_t& value) {
  std::uint64_t v = 0;
  const char* first = p;
  for (;;) {
    // Eight digits at once: subtract '0' from each byte, check, and combine pairwise.
    std::uint64_t word = 0;
    std::memcpy(&word, p, 8);
    const std::uint64_t low = word - 0x3030303030303030u;
    if ((((word + 0x4646464646464646u) | low) & 0x8080808080808080u) != 0) break;
    if (p - first > 8) return nullptr;
    std::uint64_t pairs = (low * 10) + (low >> 8);
    pairs = (((pairs & 0x000000FF000000FFu) * 0x000F424000000064u) +
             (((pairs >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u)) >> 32;
    v = v * 100'000'000 + pairs;
    p += 8;
  }
  while (is_digit(*p)) v = v * 10 + static_cast<std::uint64_t>(*p++ - '0');
  if (p - first > 18) return nullptr;
  value = v;
  return p;
}

// End of a token that is neither string nor container.
const char* bare_token_end(const char* p, const char* end) {
  while (p < end && *p != ',' && *p != '}' && *p != ']' && static_cast<unsigned char>(*p) > 32) ++p;
  return p;
}

}  // namespace

EventParser::EventParser(const ArgSet& wanted) : wanted_(wanted) {
  // Index 0 of each level means "no key yet" and "a key that is not remembered".
  for (auto& keys : keys_) keys.push_back({});
}

std::uint32_t EventParser::key_index(std::string_view name, Level level) {
  auto& ids = key_ids_[level];
  if (const auto at = ids.find(std::string(name)); at != ids.end()) return at->second;
  Key key;
  if (level == kEventLevel) {
    constexpr std::array<std::pair<std::string_view, Field>, 9> kFields{{
        {"ph", Field::kPhase}, {"cat", Field::kCategory}, {"name", Field::kName}, {"pid", Field::kPid},
        {"tid", Field::kTid}, {"ts", Field::kTime}, {"dur", Field::kDur}, {"id", Field::kId}, {"args", Field::kArgs}}};
    for (const auto& [text, field] : kFields) {
      if (name == text) key.field = field;
    }
  } else {
    for (std::size_t i = 0; i < kArgCount; ++i) {
      const auto arg = static_cast<ArgKey>(i);
      if (wanted_.contains(arg) && arg_spec(arg).name == name) key = {Field::kArg, arg};
    }
  }
  // Strange files with endless key names: keys beyond the limit are skipped, unless they mean something.
  if (keys_[level].size() >= kMaxKeys) return 0;
  if (key.field == Field::kSkip && keys_[level].size() >= kMaxKeys - 2 * kArgCount) return 0;
  const auto index = static_cast<std::uint32_t>(keys_[level].size());
  keys_[level].push_back(key);
  ids.emplace(name, index);
  return index;
}

// p is behind a value (or behind the opening brace); moves it to the next value, or behind the closing brace.
inline std::uint32_t EventParser::next_key(const char*& p, Level level, std::uint32_t previous) {
  const __m128i low = load(p);
  const __m128i high = load(p + 16);
  for (const Prediction& guess : predictions_[level][previous]) {
    const __m128i* bytes = reinterpret_cast<const __m128i*>(guess.bytes.data());
    const auto same = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(low, _mm_load_si128(bytes)))) |
                      static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(high, _mm_load_si128(bytes + 1)))) << 16;
    if (guess.length != 0 && (same & guess.mask) == guess.mask) {
      p += guess.length;
      if (guess.key == kObjectEnd) return kEndOfObject;
      if (is_space(*p)) p = skip_space(p);
      return guess.key;
    }
  }
  return read_key(p, level, previous);
}

std::uint32_t EventParser::read_key(const char*& p, Level level, std::uint32_t previous) {
  const char* const from = p;
  const auto remember = [&](std::uint8_t key) {
    const auto length = static_cast<std::size_t>(p - from);
    if (length == 0 || length > 32) return;
    auto& ways = predictions_[level][previous];
    Prediction& way = ways[0].length == 0 ? ways[0] : ways[1];
    std::memcpy(way.bytes.data(), from, 32);
    way.length = static_cast<std::uint8_t>(length);
    way.mask = length == 32 ? ~0u : (1u << length) - 1;
    way.key = key;
  };
  p = skip_space(p);
  if (*p == ',') p = skip_space(p + 1);
  if (*p == '}') {
    ++p;
    remember(kObjectEnd);
    return kEndOfObject;
  }
  if (*p != '"') {
    ran_out_ = p >= end_;
    return kNoKey;
  }
  const char* name = p + 1;
  bool escaped = false;
  const char* name_end = string_end(name, escaped);
  if (name_end == nullptr || escaped) return kNoKey;
  p = skip_space(name_end + 1);
  if (*p != ':') {
    ran_out_ = p >= end_;
    return kNoKey;
  }
  p = skip_space(p + 1);
  if (p >= end_) {
    ran_out_ = true;
    return kNoKey;
  }
  const std::uint32_t key = key_index({name, static_cast<std::size_t>(name_end - name)}, level);
  if (key != 0) remember(static_cast<std::uint8_t>(key));
  return key;
}

// p behind the opening quote -> at the closing one.
inline const char* EventParser::string_end(const char* p, bool& escaped) {
  for (;;) {
    const __m128i block = load(p);
    std::uint32_t stops = equal_mask(block, '"') | equal_mask(block, '\\');
    const std::uint32_t breaks = equal_mask(block, '\n');
    if ((stops | breaks) == 0) {
      p += 16;
    } else {
      const int at = std::countr_zero(stops | breaks);
      p += at;
      if (p >= end_) break;
      if (*p == '"') return p;
      if (*p == '\\') {
        escaped = true;
        p += 2;
      } else {
        if (one_line_) return nullptr;
        ++p;
      }
    }
    if (p >= end_) break;
  }
  ran_out_ = true;
  return nullptr;
}

// p at the opening bracket -> behind its partner.
const char* EventParser::skip_container(const char* p) {
  std::int64_t depth = 0;
  const __m128i fold = _mm_set1_epi8(0x20);  // '[' and ']' become '{' and '}'
  for (;;) {
    if (p >= end_) {
      ran_out_ = true;
      return nullptr;
    }
    const __m128i block = load(p);
    const __m128i folded = _mm_or_si128(block, fold);
    const std::uint32_t quotes = equal_mask(block, '"');
    const std::uint32_t before_quote = quotes != 0 ? (quotes & (0u - quotes)) - 1 : 0xffffu;
    const std::uint32_t opens = equal_mask(folded, '{') & before_quote;
    std::uint32_t closes = equal_mask(folded, '}') & before_quote;
    const int close_count = std::popcount(closes);
    if (close_count < depth) {
      depth += std::popcount(opens) - close_count;
    } else {
      for (std::uint32_t both = opens | closes; both != 0; both &= both - 1) {
        const int at = std::countr_zero(both);
        if ((opens >> at & 1u) != 0) {
          ++depth;
        } else if (--depth <= 0) {
          p += at + 1;
          if (p > end_) {
            ran_out_ = true;
            return nullptr;
          }
          return p;
        }
      }
    }
    if (quotes != 0) {
      bool escaped = false;
      p = string_end(p + std::countr_zero(quotes) + 1, escaped);
      if (p == nullptr) return nullptr;
      ++p;
    } else {
      p += 16;
    }
  }
}

inline const char* EventParser::skip_value(const char* p) {
  if (*p == '"') {
    bool escaped = false;
    const char* close = string_end(p + 1, escaped);
    return close == nullptr ? nullptr : close + 1;
  }
  if (*p == '{' || *p == '[') return skip_container(p);
  const char* stop = bare_token_end(p, end_);
  if (stop >= end_) {
    ran_out_ = true;
    return nullptr;
  }
  return stop == p ? nullptr : stop;
}

const char* EventParser::parse_value(const char* p, RawValue& value) {
  value = RawValue{};
  if (*p == '"') {
    const char* close = string_end(p + 1, value.escaped);
    if (close == nullptr) return nullptr;
    value.kind = TokenKind::kString;
    value.text = {p + 1, static_cast<std::size_t>(close - p - 1)};
    return close + 1;
  }
  if (is_digit(*p) || *p == '-') {
    std::uint64_t magnitude = 0;
    const bool negative = *p == '-';
    const char* stop = digits(p + (negative ? 1 : 0), magnitude);
    if (stop != nullptr && stop > p + (negative ? 1 : 0) && *stop != '.' && *stop != 'e' && *stop != 'E') {
      value.kind = TokenKind::kInteger;
      value.number = negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
      value.text = {p, static_cast<std::size_t>(stop - p)};
      return stop;
    }
    stop = bare_token_end(p, end_);
    value.text = {p, static_cast<std::size_t>(stop - p)};
    if (const auto whole = scaled_decimal(value.text, 0); whole && value.text.find_first_of(".eE") == std::string_view::npos) {
      value.kind = TokenKind::kInteger;
      value.number = *whole;
    } else {
      value.kind = TokenKind::kNumber;
    }
    return stop;
  }
  const char* stop = skip_value(p);
  if (stop == nullptr) return nullptr;
  value.kind = *p == '{' || *p == '[' ? TokenKind::kContainer : TokenKind::kLiteral;
  value.text = {p, static_cast<std::size_t>(stop - p)};
  return stop;
}

// Microseconds, as number or string; p at the first character of the value.
inline const char* EventParser::parse_time(const char* p, RawTime& time) {
  const char* q = *p == '"' ? p + 1 : p;
  const bool negative = *q == '-';
  std::uint64_t whole = 0;
  const char* first = q + (negative ? 1 : 0);
  const char* stop = digits(first, whole);
  if (stop != nullptr && stop > first && whole < 9'000'000'000'000'000u) {
    std::uint64_t fraction = 0;
    int places = 0;
    const char* after = stop;
    if (*after == '.') {
      for (++after; places < 3 && is_digit(*after); ++places) fraction = fraction * 10 + static_cast<std::uint64_t>(*after++ - '0');
      for (int i = places; i < 3; ++i) fraction *= 10;
    }
    if (!is_digit(*after) && *after != 'e' && *after != 'E' && *after != '.' && (*p != '"' || *after == '"')) {
      time.state = TimeState::kValid;
      const auto nanos = static_cast<Nanos>(whole * 1000 + fraction);
      time.nanos = negative ? -nanos : nanos;
      return *p == '"' ? after + 1 : after;
    }
  }
  RawValue value;
  stop = parse_value(p, value);
  if (stop == nullptr) return nullptr;
  const bool numeric = value.kind == TokenKind::kInteger || value.kind == TokenKind::kNumber || value.kind == TokenKind::kString;
  const auto nanos = numeric ? micros_to_nanos(value.text) : std::nullopt;
  time.state = nanos ? TimeState::kValid : TimeState::kInvalid;
  time.nanos = nanos.value_or(0);
  return stop;
}

const char* EventParser::parse_args(const char* p, RawEvent& event) {
  std::uint32_t key = 0;
  for (++p;;) {
    key = next_key(p, kArgsLevel, key);
    if (key >= kEndOfObject) return key == kEndOfObject ? p : nullptr;
    const Key& what = keys_[kArgsLevel][key];
    if (what.field == Field::kArg) {
      RawValue value;
      p = parse_value(p, value);
      if (p == nullptr) return nullptr;
      event.set_arg(what.arg, value);
    } else {
      p = skip_value(p);
      if (p == nullptr) return nullptr;
    }
  }
}

EventParser::Outcome EventParser::parse(const char** at, const char* end, RawEvent& event, Strictness strictness) {
  end_ = end;
  one_line_ = strictness == Strictness::kOneLineStrings;
  ran_out_ = false;
  event.reset();
  const char* p = *at + 1;
  std::uint32_t key = 0;
  for (;;) {
    key = next_key(p, kEventLevel, key);
    if (key == kEndOfObject) {
      if (p > end) return Outcome::kIncomplete;
      *at = p;
      return Outcome::kEvent;
    }
    if (key == kNoKey) return ran_out_ ? Outcome::kIncomplete : Outcome::kDeclined;
    switch (keys_[kEventLevel][key].field) {
      case Field::kPhase:
        if (p[0] == '"' && p[1] != '\\' && p[1] != '"' && p[2] == '"') {
          event.phase = p[1];
          p += 3;
        } else {
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
          event.arg_count = 0;
          p = parse_args(p, event);
          if (p != nullptr) event.args_text = {begin, static_cast<std::size_t>(p - begin)};
        } else {
          p = skip_value(p);
        }
        break;
      case Field::kSkip:
      case Field::kArg: p = skip_value(p); break;
    }
    if (p == nullptr) return ran_out_ ? Outcome::kIncomplete : Outcome::kDeclined;
    if (p >= end) return Outcome::kIncomplete;
  }
}

}  // namespace hta::input
