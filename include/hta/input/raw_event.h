#pragma once
// One record as it stands in the file: views into the read buffer, valid until the sink returns.

#include "hta/base/nanos.h"
#include "hta/model/args.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hta::input {

enum class TokenKind : std::uint8_t {
  kAbsent,
  kString,     ///< text without the quotes; `escaped` if it holds a backslash
  kInteger,    ///< `number` is its value
  kNumber,     ///< any other number, as text
  kLiteral,    ///< true, false, null, NaN, N/A, ...
  kContainer,  ///< array or object with its brackets
};

struct RawValue {
  TokenKind kind = TokenKind::kAbsent;
  bool escaped = false;
  std::string_view text;
  std::int64_t number = 0;
};

/// A time field.
enum class TimeState : std::uint8_t { kAbsent, kValid, kInvalid };
struct RawTime {
  TimeState state = TimeState::kAbsent;
  Nanos nanos = 0;
};

struct RawArg {
  ArgKey key{};
  RawValue value;
};

struct RawEvent {
  static constexpr std::size_t kMaxArgs = kArgCount;
  static_assert(kMaxArgs <= 64);

  char phase = 0;
  RawValue category;
  RawValue name;
  RawValue pid;
  RawValue tid;
  RawValue id;
  RawTime time;
  RawTime dur;
  std::string_view text;       ///< the whole record with its braces, as it stands in the file
  std::string_view args_text;  ///< the whole args object with its braces, empty if there is none
  std::array<RawArg, kMaxArgs> args;
  std::size_t arg_count = 0;
  std::uint64_t given_args = 0;  ///< a bit for each key in `args`
  std::uint64_t offset = 0;      ///< of the opening brace, in bytes of the inflated file

  void reset() {
    phase = 0;
    category = name = pid = tid = id = RawValue{};
    time = dur = RawTime{};
    text = args_text = {};
    clear_args();
  }
  void clear_args() {
    arg_count = 0;
    given_args = 0;
  }
  /// Where the value of `key` belongs; the same place if it is given twice, so that the last one counts.
  RawValue& arg(ArgKey key) {
    const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(key);
    if ((given_args & bit) != 0) {
      std::size_t i = 0;
      while (args[i].key != key) ++i;
      return args[i].value;
    }
    given_args |= bit;
    args[arg_count].key = key;
    return args[arg_count++].value;
  }
};

}  // namespace hta::input
