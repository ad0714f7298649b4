#include "slow_event.h"

#include "hta/input/decimal.h"

#include <string>

#include "text_scan.h"
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

namespace hta::input {
namespace {

constexpr unsigned kFlags =
    rapidjson::kParseStopWhenDoneFlag | rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;

RawValue value_of(std::string_view text) {
  RawValue value;
  value.text = text;
  const char first = text.front();
  if (first == '"') {
    value.kind = TokenKind::kString;
    value.text = text.substr(1, text.size() - 2);
    value.escaped = value.text.find('\\') != std::string_view::npos;
  } else if (first == '{' || first == '[') {
    value.kind = TokenKind::kContainer;
  } else if (first == '-' || (first >= '0' && first <= '9')) {
    const auto whole = text.find_first_of(".eE") == std::string_view::npos ? scaled_decimal(text, 0) : std::nullopt;
    value.kind = whole ? TokenKind::kInteger : TokenKind::kNumber;
    value.number = whole.value_or(0);
  } else {
    value.kind = TokenKind::kLiteral;
  }
  return value;
}

RawTime time_of(const RawValue& value) {
  const bool numeric =
      value.kind == TokenKind::kInteger || value.kind == TokenKind::kNumber || value.kind == TokenKind::kString;
  const auto nanos = numeric ? micros_to_nanos(value.text) : std::nullopt;
  return {nanos ? TimeState::kValid : TimeState::kInvalid, nanos.value_or(0)};
}

// The phase is one character, perhaps written as an escape.
char phase_of(std::string_view decoded) {
  return decoded.size() == 1 ? decoded.front() : '\0';
}

// Takes the members of an event and of its args as raw text; RapidJSON only says where they are and that all is valid.
class Members : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Members> {
 public:
  Members(const char* begin, const char* end, const rapidjson::MemoryStream& stream, const ArgSet& wanted,
          RawEvent& event)
      : begin_(begin), end_(end), stream_(stream), wanted_(wanted), event_(event) {}

  bool Default() { return value(); }  // null, true, false
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return value(); }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    if (depth_ == 1 && key_ == "ph") event_.phase = phase_of({text, size});
    return value();
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (!at_member()) return true;
    (depth_ == 1 ? key_ : arg_).assign(text, size);
    if (depth_ == 1 && key_ == "ph") event_.phase = 0;
    const char* colon = skip_json_space(here(), end_);
    value_begin_ = colon < end_ ? skip_json_space(colon + 1, end_) : end_;
    return true;
  }
  bool StartObject() {
    if (depth_ == 1 && key_ == "args") {
      in_args_ = true;
      args_begin_ = value_begin_;
      event_.clear_args();
    }
    ++depth_;
    return true;
  }
  bool StartArray() {
    ++depth_;
    return true;
  }
  bool EndObject(rapidjson::SizeType) {
    --depth_;
    if (depth_ == 1 && in_args_) {
      in_args_ = false;
      event_.args_text = {args_begin_, static_cast<std::size_t>(here() + 1 - args_begin_)};
      return true;
    }
    return closed();
  }
  bool EndArray(rapidjson::SizeType) {
    --depth_;
    return closed();
  }

 private:
  const char* here() const { return begin_ + stream_.Tell(); }
  bool at_member() const { return depth_ == 1 || (depth_ == 2 && in_args_); }
  bool value() { return !at_member() || take(here()); }
  // RapidJSON calls before it takes the closing bracket.
  bool closed() { return !at_member() || take(here() + 1); }
  bool take(const char* value_end) {
    const RawValue raw = value_of({value_begin_, static_cast<std::size_t>(value_end - value_begin_)});
    if (depth_ == 2) {
      for (std::size_t i = 0; i < kArgCount; ++i) {
        const auto known = static_cast<ArgKey>(i);
        if (wanted_.contains(known) && arg_spec(known).name == arg_) event_.arg(known) = raw;
      }
    } else if (key_ == "cat") {
      event_.category = raw;
    } else if (key_ == "name") {
      event_.name = raw;
    } else if (key_ == "pid") {
      event_.pid = raw;
    } else if (key_ == "tid") {
      event_.tid = raw;
    } else if (key_ == "id") {
      event_.id = raw;
    } else if (key_ == "ts") {
      event_.time = time_of(raw);
    } else if (key_ == "dur") {
      event_.dur = time_of(raw);
    }
    return true;
  }

  const char* begin_;
  const char* end_;
  const rapidjson::MemoryStream& stream_;
  const ArgSet& wanted_;
  RawEvent& event_;
  std::string key_;
  std::string arg_;
  const char* value_begin_ = nullptr;
  const char* args_begin_ = nullptr;
  int depth_ = 0;
  bool in_args_ = false;
};

}  // namespace

SlowEventReader::Outcome SlowEventReader::read(const char* begin, const char* end, RawEvent& event) const {
  event.reset();
  rapidjson::MemoryStream stream(begin, static_cast<std::size_t>(end - begin));
  Members members(begin, end, stream, wanted_, event);
  rapidjson::Reader reader;
  const bool valid = !reader.Parse<kFlags>(stream, members).IsError();
  return {valid ? begin + stream.Tell() : nullptr, stream.Tell()};
}

}  // namespace hta::input
