#include "support/scanned.h"

#include "hta/input/decimal.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "json_text.h"
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace hta::test {
namespace {

using Json = rapidjson::Value;

constexpr unsigned kStrict = rapidjson::kParseIterativeFlag;
constexpr unsigned kNumbersAsText = kStrict | rapidjson::kParseNumbersAsStringsFlag;
constexpr std::size_t kDeepest = 200;

ArgSet all_args() {
  ArgSet all;
  for (std::size_t i = 0; i < kArgCount; ++i) all.insert(static_cast<ArgKey>(i));
  return all;
}

std::string compact(const Json& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  value.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

std::size_t depth_of(std::string_view text) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  for (const char c : text) {
    if (c == '{' || c == '[') deepest = std::max(deepest, ++depth);
    if ((c == '}' || c == ']') && depth > 0) --depth;
  }
  return deepest;
}

std::string number_text(std::string_view text) {
  const bool whole = text.find_first_of(".eE") == std::string_view::npos;
  std::string digits(text.substr(text.starts_with('-') ? 1 : 0));
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  const std::string_view most = text.starts_with('-') ? "9223372036854775808" : "9223372036854775807";
  const bool fits = digits.size() < most.size() || (digits.size() == most.size() && digits <= most);
  return (whole && fits ? "i" : "n") + std::string(text);
}

std::string time_text(const input::RawTime& time) {
  switch (time.state) {
    case input::TimeState::kAbsent: return "";
    case input::TimeState::kInvalid: return "invalid";
    case input::TimeState::kValid: return std::to_string(time.nanos);
  }
  return "";
}

// RapidJSON writes the escape of half a surrogate pair as if it were a character, which no UTF-8 has.
std::string without_surrogates(std::string text) {
  for (std::size_t at = text.find('\xED'); at != std::string::npos; at = text.find('\xED', at + 1)) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    if (byte(at + 1) >= 0xA0 && byte(at + 1) <= 0xBF && byte(at + 2) >= 0x80 && byte(at + 2) <= 0xBF)
      text.replace(at, 3, "\uFFFD");
  }
  return text;
}

// What the scanner hands over, copied.
class Recorder final : public input::ScanSink {
 public:
  explicit Recorder(Scanned& into) : into_(into) {}

  void event(const input::RawEvent& raw) override {
    ScannedEvent event;
    event.phase = raw.phase;
    event.category = value(raw.category);
    event.name = value(raw.name);
    event.pid = value(raw.pid);
    event.tid = value(raw.tid);
    event.id = value(raw.id);
    event.time = time_text(raw.time);
    event.dur = time_text(raw.dur);
    for (std::size_t i = 0; i < raw.arg_count; ++i)
      event.args[std::string(arg_spec(raw.args[i].key).name)] = value(raw.args[i].value);
    event.offset = raw.offset;
    event.size = raw.text.size();
    into_.events.push_back(std::move(event));
  }
  void metadata(std::string_view key, std::string_view json) override { into_.metadata.emplace_back(key, json); }
  void fault(EventFault fault, std::uint64_t offset) override { into_.faults.push_back({fault, offset}); }

 private:
  static std::string value(const input::RawValue& raw) {
    switch (raw.kind) {
      case input::TokenKind::kAbsent: return "";
      case input::TokenKind::kInteger: return "i" + std::string(raw.text);
      case input::TokenKind::kNumber: return "n" + std::string(raw.text);
      case input::TokenKind::kLiteral: return "l" + std::string(raw.text);
      case input::TokenKind::kString: {
        std::string decoded(raw.text);
        if (raw.escaped) input::decode_string(raw.text, decoded);
        return "s" + without_surrogates(std::move(decoded));
      }
      case input::TokenKind::kContainer: {
        if (depth_of(raw.text) > kDeepest) return "c" + std::string(raw.text);  // writing recurses
        rapidjson::Document document;
        document.Parse<kNumbersAsText>(raw.text.data(), raw.text.size());
        return "c" + (document.HasParseError() ? std::string(raw.text) : compact(document));
      }
    }
    return "";
  }
  Scanned& into_;
};

// A value of the strict parser: `types` has its type, `texts` the same value with numbers as they stand.
std::string value_of(const Json& types, const Json& texts) {
  if (types.IsNumber()) return number_text({texts.GetString(), texts.GetStringLength()});
  if (types.IsString()) return "s" + without_surrogates({types.GetString(), types.GetStringLength()});
  if (types.IsNull()) return "lnull";
  if (types.IsBool()) return types.GetBool() ? "ltrue" : "lfalse";
  return "c" + compact(texts);
}

std::string time_of(const Json& types, const Json& texts) {
  std::optional<std::int64_t> nanos;
  if (types.IsNumber()) nanos = nanos_by_hand({texts.GetString(), texts.GetStringLength()});
  else if (types.IsString()) nanos = input::micros_to_nanos({types.GetString(), types.GetStringLength()});
  return nanos ? std::to_string(*nanos) : "invalid";
}

ScannedEvent event_of(const Json& types, const Json& texts) {
  ScannedEvent event;
  auto text = texts.MemberBegin();
  for (auto type = types.MemberBegin(); type != types.MemberEnd(); ++type, ++text) {
    const std::string key(type->name.GetString(), type->name.GetStringLength());
    const Json& value = type->value;
    if (key == "ph") event.phase = value.IsString() && value.GetStringLength() == 1 ? value.GetString()[0] : '\0';
    else if (key == "cat") event.category = value_of(value, text->value);
    else if (key == "name") event.name = value_of(value, text->value);
    else if (key == "pid") event.pid = value_of(value, text->value);
    else if (key == "tid") event.tid = value_of(value, text->value);
    else if (key == "id") event.id = value_of(value, text->value);
    else if (key == "ts") event.time = time_of(value, text->value);
    else if (key == "dur") event.dur = time_of(value, text->value);
    else if (key == "args" && value.IsObject()) {
      event.args.clear();
      auto arg_text = text->value.MemberBegin();
      for (auto arg = value.MemberBegin(); arg != value.MemberEnd(); ++arg, ++arg_text) {
        const std::string name(arg->name.GetString(), arg->name.GetStringLength());
        for (std::size_t i = 0; i < kArgCount; ++i) {
          if (arg_spec(static_cast<ArgKey>(i)).name == name) event.args[name] = value_of(arg->value, arg_text->value);
        }
      }
    }
  }
  return event;
}

bool looks_like_a_document(const Json& object) {
  for (const char* key :
       {"traceEvents", "schemaVersion", "deviceProperties", "distributedInfo", "baseTimeNanoseconds", "displayTimeUnit",
        "traceName", "trace_id", "record_shapes", "with_stack", "profile_memory", "with_flops", "with_modules"}) {
    if (object.HasMember(key)) return true;
  }
  return std::any_of(object.MemberBegin(), object.MemberEnd(), [](const auto& member) {
    return std::string_view(member.name.GetString(), member.name.GetStringLength()).ends_with("_version");
  });
}

// The event array, if the document is of a kind in which the scanner must find exactly its objects.
const Json* plain_event_array(const Json& root) {
  const Json* events = nullptr;
  if (root.IsArray()) {
    events = &root;
  } else if (root.IsObject()) {
    int infos = 0;
    for (const auto& member : root.GetObject()) {
      const std::string_view key(member.name.GetString(), member.name.GetStringLength());
      if (key == "traceEvents") {
        if (events != nullptr || !member.value.IsArray()) return nullptr;
        events = &member.value;
      } else if (member.value.IsArray()) {
        for (const Json& element : member.value.GetArray()) {
          if (element.IsObject() && element.HasMember("ph")) return nullptr;  // may be taken for the event array
        }
      }
      if (key == "distributedInfo" && ++infos > 1) return nullptr;
    }
  }
  if (events == nullptr) return nullptr;
  for (const Json& element : events->GetArray()) {
    if (element.IsArray() || (element.IsObject() && looks_like_a_document(element))) return nullptr;
  }
  return events;
}

}  // namespace

std::string describe(const ScannedEvent& e) {
  std::string text = std::string(1, e.phase == 0 ? '-' : e.phase) + " cat=" + e.category + " name=" + e.name +
                     " pid=" + e.pid + " tid=" + e.tid + " id=" + e.id + " ts=" + e.time + " dur=" + e.dur;
  for (const auto& [key, value] : e.args) text += " " + key + "=" + value;
  return text;
}

ChunkSizes whole_text() {
  return [] { return static_cast<std::size_t>(-1); };
}
ChunkSizes chunks_of(std::size_t bytes) {
  return [bytes] { return bytes; };
}

Scanned scan(std::string_view text, const ChunkSizes& sizes, const input::ScanLimits& limits) {
  constexpr std::size_t kZeros = 64;
  Scanned out;
  Recorder recorder(out);
  input::Scanner scanner(all_args(), recorder, limits);
  std::size_t given = 0;  // bytes of `text` that the scanner has seen
  std::size_t kept = 0;   // of these, how many it wants again
  for (;;) {
    const std::size_t fresh = std::min(sizes(), text.size() - given);
    const bool last = given + fresh == text.size();
    const std::size_t size = kept + fresh;
    const std::unique_ptr<char[]> buffer(new char[size + kZeros]());
    if (size > 0) std::memcpy(buffer.get(), text.data() + given - kept, size);
    given += fresh;
    const char* stop =
        scanner.scan(buffer.get(), buffer.get() + size, last ? input::MoreBytes::kNo : input::MoreBytes::kYes);
    if (last) break;
    kept = static_cast<std::size_t>(buffer.get() + size - stop);
  }
  out.report = scanner.report();
  return out;
}

std::optional<std::vector<ScannedEvent>> strict_events(std::string_view text) {
  if (depth_of(text) > kDeepest) return std::nullopt;  // the reference recurses
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  rapidjson::Document types;
  rapidjson::Document texts;
  types.Parse<kStrict>(text.data(), text.size());
  texts.Parse<kNumbersAsText>(text.data(), text.size());
  if (types.HasParseError() || texts.HasParseError()) return std::nullopt;
  const Json* events = plain_event_array(types);
  if (events == nullptr) return std::nullopt;
  const Json* event_texts = plain_event_array(texts);
  std::vector<ScannedEvent> out;
  for (rapidjson::SizeType i = 0; i < events->Size(); ++i) {
    if ((*events)[i].IsObject()) out.push_back(event_of((*events)[i], (*event_texts)[i]));
  }
  return out;
}

std::optional<std::int64_t> nanos_by_hand(std::string_view number) {
  const bool negative = number.starts_with('-');
  if (negative) number.remove_prefix(1);
  const std::size_t e = number.find_first_of("eE");
  const std::string_view mantissa = number.substr(0, e);
  long exponent = 3;
  if (e != std::string_view::npos) {
    std::string_view digits = number.substr(e + 1);
    const bool down = digits.starts_with('-');
    if (down || digits.starts_with('+')) digits.remove_prefix(1);
    while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
    const long size = digits.size() > 6 ? 1'000'000 : std::stol(std::string(digits));
    exponent += down ? -size : size;
  }
  const std::size_t point = mantissa.find('.');
  std::string digits(mantissa.substr(0, point));
  if (point != std::string_view::npos) {
    digits += mantissa.substr(point + 1);
    exponent -= static_cast<long>(mantissa.size() - point - 1);
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return 0;
  // Now the value is `digits` as an integer, times 10^exponent.
  std::string kept;
  std::string dropped;
  if (exponent >= 0) {
    if (exponent + static_cast<long>(digits.size()) > 19) return std::nullopt;
    kept = digits + std::string(static_cast<std::size_t>(exponent), '0');
  } else {
    const auto cut = static_cast<std::size_t>(-exponent);
    if (cut > digits.size()) return 0;  // below a half
    kept = digits.substr(0, digits.size() - cut);
    dropped = digits.substr(digits.size() - cut);
  }
  if (kept.size() > 19) return std::nullopt;
  std::uint64_t value = kept.empty() ? 0 : std::stoull(kept);
  const std::string half = "5" + std::string(dropped.empty() ? 0 : dropped.size() - 1, '0');
  if (!dropped.empty() && (dropped > half || (dropped == half && value % 2 == 1))) ++value;
  if (value > static_cast<std::uint64_t>(INT64_MAX) + (negative ? 1U : 0U)) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - value : value);
}

}  // namespace hta::test
