#pragma once
// The fast path: one event object, from its opening brace to its closing one, in a single pass over the bytes.
//
// Profilers write the same keys in the same order with the same white space again and again. The parser remembers, for
// each key, the bytes that stood between its value and the value after it (`, "tid": `), a few alternatives each, and
// compares 32 bytes at once: a hit tells the next key, or the end of the object, without looking at single characters.
// A miss takes the general way and is remembered. So every formatting is read, and a regular one fast.
//
// Strings may hold anything but line breaks, numbers may be NaN or N/A, brackets are counted and not matched by kind:
// this parser is meant to be lenient where that cannot hide a loss. What it cannot read it declines, and leaves to
// the slow path (scanner.cpp).

#include "hta/input/raw_event.h"
#include "hta/model/string_table.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace hta::input {

/// Bytes that must be readable, and zero, behind the end of every buffer that is parsed.
inline constexpr std::size_t kPadding = 64;

enum class Strictness : std::uint8_t {
  kOneLineStrings,  ///< a line break inside a string declines the event: a quote is probably missing
  kAnyStrings,      ///< raw control characters are accepted
};

class EventParser {
 public:
  enum class Outcome : std::uint8_t { kEvent, kIncomplete, kDeclined };

  explicit EventParser(const ArgSet& wanted);
  EventParser(const EventParser&) = delete;
  EventParser& operator=(const EventParser&) = delete;

  /// Parses the object whose opening brace is at `*at`. kEvent: `event` is filled and `*at` is behind the closing
  /// brace. kIncomplete: `end` came first. kDeclined: no JSON this parser reads. `*at` is unchanged in both cases.
  Outcome parse(const char** at, const char* end, RawEvent& event, Strictness strictness = Strictness::kOneLineStrings);

 private:
  // What a key says, or what stands instead of one.
  enum class Field : std::uint8_t {
    kSkip,
    kPhase,
    kCategory,
    kName,
    kPid,
    kTid,
    kTime,
    kDur,
    kId,
    kArgs,
    kArg,
    kEndOfObject,
    kNone,  ///< nothing that can be read
  };
  enum Level : std::uint8_t { kEventLevel, kArgsLevel };
  static constexpr std::size_t kMaxKeys = 250;
  static constexpr std::size_t kLongestName = 256;  // longer ones are not remembered
  static constexpr std::size_t kWays = 4;

  struct Key;
  // What once stood between the value of a key and the next value, and the key in it.
  struct Successor {
    static constexpr std::size_t kBytes = 32;
    Successor() { bytes.fill('\xff'); }  // found in no JSON
    std::array<char, kBytes> bytes;
    std::uint32_t low_mask = 0xffff;  // of the bytes that count, in the first half and in the second
    std::uint32_t high_mask = 0xffff;
    std::uint8_t length = 0;
    Field field = Field::kNone;
    Key* key = nullptr;
  };
  struct Key {
    Field field = Field::kSkip;
    ArgKey arg{};
    std::uint8_t next_victim = 0;
    std::array<Successor, kWays> successors;
  };
  struct Keys {
    std::vector<Key> known;  // never moved
    StringTable names;
    std::vector<Key*> by_name;  // by StringId
  };

  static bool same_high(const char* p, const Successor& guess);
  Field next_key(const char*& p, Level level, Key*& at);
  Field read_key(const char*& p, Level level, Key*& at);
  static void remember(const char* from, const char* to, Key& before, Field field, Key* key);
  Key meaning(std::string_view name, Level level) const;
  Key* key_named(std::string_view name, Level level);
  const char* parse_args(const char* p, RawEvent& event);
  const char* parse_value(const char* p, RawValue& value);
  const char* parse_rare_value(const char* p, RawValue& value);
  const char* parse_time(const char* p, RawTime& time);
  const char* parse_rare_time(const char* p, RawTime& time);
  const char* string_end(const char* p, bool& escaped);
  const char* skip_container(const char* p);
  const char* skip_difficult_container(const char* p, std::int64_t depth, bool in_string);
  const char* skip_value(const char* p);

  ArgSet wanted_;
  std::array<Keys, 2> levels_;
  const char* end_ = nullptr;
  bool one_line_ = true;
  bool ran_out_ = false;  // the last failure was the end of the buffer
};

}  // namespace hta::input
