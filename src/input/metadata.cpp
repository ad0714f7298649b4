#include "metadata.h"

#include <algorithm>
#include <optional>
#include <string>

#include "json_text.h"
#include <rapidjson/document.h>
#include <rapidjson/memorystream.h>

namespace hta::input {
namespace {

using Json = rapidjson::Value;

constexpr unsigned kFlags =
    rapidjson::kParseStopWhenDoneFlag | rapidjson::kParseIterativeFlag | rapidjson::kParseNanAndInfFlag;

const Json* member(const Json& object, const char* key) {
  if (!object.IsObject()) return nullptr;
  const auto at = object.FindMember(key);
  return at == object.MemberEnd() ? nullptr : &at->value;
}

std::optional<std::int64_t> integer(const Json* value) {
  if (value == nullptr) return std::nullopt;
  if (value->IsInt64()) return value->GetInt64();
  if (!value->IsDouble()) return std::nullopt;
  constexpr double kExact = 9'007'199'254'740'992;  // 2^53
  const double number = value->GetDouble();
  if (!(number >= -kExact && number <= kExact) || number != static_cast<double>(static_cast<std::int64_t>(number)))
    return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::string text(const Json* value) {
  if (value == nullptr || !value->IsString()) return {};
  return {value->GetString(), value->GetStringLength()};
}

void read_devices(const Json& list, TraceInfo& info) {
  if (!list.IsArray()) return;
  for (const Json& entry : list.GetArray()) {
    DeviceProperties device;
    device.id = integer(member(entry, "id")).value_or(static_cast<std::int64_t>(info.devices.size()));
    device.name = text(member(entry, "name"));
    device.total_memory_bytes = integer(member(entry, "totalGlobalMem")).value_or(0);
    device.multiprocessors = integer(member(entry, "numSms")).value_or(0);
    const auto major = integer(member(entry, "computeMajor"));
    const auto minor = integer(member(entry, "computeMinor"));
    if (major && minor) device.compute_capability = std::to_string(*major) + "." + std::to_string(*minor);
    info.devices.push_back(std::move(device));
  }
}

void read_distributed(const Json& object, TraceInfo& info) {
  info.rank = integer(member(object, "rank"));
  info.world_size = integer(member(object, "world_size"));
  info.backend = text(member(object, "backend"));
  if (const std::string nccl = text(member(object, "nccl_version")); !nccl.empty())
    info.versions["nccl_version"] = nccl;
}

bool parse(std::string_view json, rapidjson::Document& document) {
  rapidjson::MemoryStream stream(json.data(), json.size());
  document.ParseStream<kFlags, rapidjson::UTF8<>>(stream);
  return !document.HasParseError();
}

// Bare words that JSON does not know, such as N/A, replaced by null.
std::string without_bare_words(std::string_view json) {
  constexpr std::string_view kDelimiters = " \t\r\n,:{}[]\"";
  std::string out;
  for (std::size_t i = 0; i < json.size();) {
    std::size_t end = i + 1;
    if (json[i] == '"') {
      while (end < json.size() && json[end] != '"') end += json[end] == '\\' ? 2U : 1U;
      end = std::min(end + 1, json.size());
      out += json.substr(i, end - i);
    } else if (kDelimiters.find(json[i]) != std::string_view::npos) {
      out += json[i];
    } else {
      end = std::min(json.find_first_of(kDelimiters, i), json.size());
      const std::string_view word = json.substr(i, end - i);
      out += is_valid_json(word) ? word : std::string_view("null");
    }
    i = end;
  }
  return out;
}

}  // namespace

MetadataOutcome read_metadata(std::string_view key, std::string_view json, TraceInfo& info) {
  const bool structure = json.starts_with('{') || json.starts_with('[');
  if (structure && key != "deviceProperties" && key != "distributedInfo") {
    return is_valid_json(json) ? MetadataOutcome::kRead : MetadataOutcome::kUnreadable;
  }
  MetadataOutcome outcome = MetadataOutcome::kRead;
  rapidjson::Document document;
  if (!parse(json, document)) {
    if (!parse(without_bare_words(json), document)) return MetadataOutcome::kUnreadable;
    outcome = MetadataOutcome::kRepaired;
  }
  if (key == "deviceProperties") {
    read_devices(document, info);
  } else if (key == "distributedInfo") {
    read_distributed(document, info);
  } else if (key == "baseTimeNanoseconds" || key == "baseTimeNanosecond") {
    info.base_time_ns = integer(&document);
  } else if (key.ends_with("_version")) {
    std::string version = text(&document);
    if (version.empty() && document.IsInt64()) version = std::to_string(document.GetInt64());
    else if (version.empty() && document.IsNumber()) version = std::string(json);
    info.versions[std::string(key)] = version;
  } else if (key == "record_shapes" || key == "with_stack" || key == "profile_memory" || key == "with_flops" ||
             key == "with_modules") {
    info.capture_flags[std::string(key)] =
        (document.IsBool() && document.GetBool()) || integer(&document).value_or(0) != 0;
  }
  return outcome;
}

}  // namespace hta::input
