#include "slow_event.h"

#include <string>

#include <rapidjson/document.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "hta/input/decimal.h"

namespace hta::input {
namespace {

constexpr unsigned kFlags = rapidjson::kParseStopWhenDoneFlag | rapidjson::kParseIterativeFlag |
                            rapidjson::kParseNanAndInfFlag | rapidjson::kParseNumbersAsStringsFlag;
using Stream = rapidjson::MemoryStream;

std::string_view view(const rapidjson::Value& value) { return {value.GetString(), value.GetStringLength()}; }

// With numbers read as strings, what was written as a string and what as a number look alike: numbers stand alone.
bool is_number(std::string_view text) {
  return !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')) && scaled_decimal(text, 0).has_value();
}

}  // namespace

struct SlowEventReader::Memory {
  rapidjson::Document document;
  std::vector<std::string> kept;  // texts of containers
};

SlowEventReader::SlowEventReader(const ArgSet& wanted) : wanted_(wanted), memory_(std::make_unique<Memory>()) {}
SlowEventReader::~SlowEventReader() = default;

const char* SlowEventReader::read(const char* begin, const char* end, RawEvent& event) {
  rapidjson::Document& document = memory_->document;
  document = rapidjson::Document();
  memory_->kept.clear();
  Stream stream(begin, static_cast<std::size_t>(end - begin));
  document.ParseStream<kFlags, rapidjson::UTF8<>>(stream);
  if (document.HasParseError() || !document.IsObject()) return nullptr;
  const char* stop = begin + stream.Tell();

  const std::uint64_t offset = event.offset;
  event.reset();
  event.offset = offset;
  memory_->kept.reserve(document.MemberCount() + kArgCount);
  const auto text_of = [&](const rapidjson::Value& value) -> std::string_view {
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    value.Accept(writer);
    return memory_->kept.emplace_back(buffer.GetString(), buffer.GetSize());
  };
  const auto raw = [&](const rapidjson::Value& value) {
    RawValue out;
    if (value.IsString()) {
      out.text = view(value);
      out.kind = TokenKind::kString;
      if (is_number(out.text)) {
        const auto number = scaled_decimal(out.text, 0);
        const bool whole = out.text.find_first_of(".eE") == std::string_view::npos;
        out.kind = whole ? TokenKind::kInteger : TokenKind::kNumber;
        out.number = *number;
      }
    } else if (value.IsObject() || value.IsArray()) {
      out.kind = TokenKind::kContainer;
      out.text = text_of(value);
    } else {
      out.kind = TokenKind::kLiteral;
    }
    return out;
  };
  const auto time = [&](const rapidjson::Value& value) {
    RawTime out;
    const auto nanos = value.IsString() ? micros_to_nanos(view(value)) : std::nullopt;
    out.state = nanos ? TimeState::kValid : TimeState::kInvalid;
    out.nanos = nanos.value_or(0);
    return out;
  };
  for (const auto& member : document.GetObject()) {
    const std::string_view key = view(member.name);
    const rapidjson::Value& value = member.value;
    if (key == "ph") {
      if (value.IsString() && value.GetStringLength() == 1) event.phase = value.GetString()[0];
    } else if (key == "cat") {
      event.category = raw(value);
    } else if (key == "name") {
      event.name = raw(value);
      if (value.IsString()) event.name.kind = TokenKind::kString;
    } else if (key == "pid") {
      event.pid = raw(value);
    } else if (key == "tid") {
      event.tid = raw(value);
    } else if (key == "id") {
      event.id = raw(value);
    } else if (key == "ts") {
      event.time = time(value);
    } else if (key == "dur") {
      event.dur = time(value);
    } else if (key == "args" && value.IsObject()) {
      event.clear_args();
      event.args_text = text_of(value);
      for (const auto& arg : value.GetObject()) {
        for (std::size_t i = 0; i < kArgCount; ++i) {
          const auto known = static_cast<ArgKey>(i);
          if (wanted_.contains(known) && arg_spec(known).name == view(arg.name)) event.arg(known) = raw(arg.value);
        }
      }
    }
  }
  return stop;
}

}  // namespace hta::input
