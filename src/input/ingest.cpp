#include "ingest.h"

#include <algorithm>

#include <rapidjson/document.h>
#include <rapidjson/memorystream.h>

#include "hta/base/text.h"
#include "hta/input/decimal.h"
#include "json_text.h"
#include "metadata.h"

namespace hta::input {
namespace {

constexpr std::string_view kStepPrefix = "ProfilerStep#";
constexpr std::string_view kOwnCategoryPrefix = "hta_";
constexpr std::size_t kRateDigits = 9;

// `[TP00-DP01] 83` -> "TP00-DP01", and the rest.
std::string_view label_of(std::string_view pid, std::string_view& rest) {
  if (pid.size() < 3 || pid.front() != '[') return {};
  const std::size_t close = pid.find(']');
  if (close == std::string_view::npos || close == 1) return {};
  rest = pid.substr(close + 1);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  return pid.substr(1, close - 1);
}

}  // namespace

ArgSet wanted_args(const Needs& needs) {
  ArgSet wanted{ArgKey::kDevice, ArgKey::kStream, ArgKey::kCorrelation, ArgKey::kCollectiveName};
  wanted |= needs.gpu_args;
  wanted |= needs.host_args;
  if (needs.sync_records) wanted |= {ArgKey::kWaitOnStream, ArgKey::kWaitOnEventRecordCorrelation};
  if (needs.memory_events) {
    wanted |= {ArgKey::kMemoryBytes, ArgKey::kTotalAllocated, ArgKey::kTotalReserved, ArgKey::kDeviceId, ArgKey::kDeviceType,
               ArgKey::kAddress};
  }
  return wanted;
}

Ingest::Ingest(TraceBuilder& first, const BuildOptions& options) : first_(first), options_(options) {}

TraceBuilder& Ingest::builder_for(RawValue& pid) {
  std::string_view rest;
  const std::string_view label = label_of(pid.text, rest);
  if (label.empty()) return first_;
  const auto [at, fresh] = by_label_.try_emplace(std::string(label), labelled_.size());
  if (fresh) labelled_.push_back({std::string(label), TraceBuilder(options_)});
  pid.text = rest;
  return labelled_[at->second].builder;
}

StringId Ingest::text(TraceBuilder& builder, const RawValue& value) {
  if (!value.escaped) return builder.strings().intern(value.text);
  odd_escapes_ += decode_string(value.text, decoded_);
  return builder.strings().intern(decoded_);
}

TrackName Ingest::track(TraceBuilder& builder, const RawValue& value) {
  if (value.kind == TokenKind::kInteger) return {value.number, {}};
  if (value.kind == TokenKind::kString) {
    if (const auto number = parse_integer(value.text); number && std::to_string(*number) == value.text) return {*number, {}};
    return {0, text(builder, value)};
  }
  if (value.kind == TokenKind::kAbsent) return {0, builder.strings().intern("")};
  return {0, builder.strings().intern(value.text)};
}

void Ingest::event(const RawEvent& raw) {
  const std::uint32_t position = position_++;
  if (raw.phase == 0) return;
  has_phases_ = true;
  if (raw.category.kind == TokenKind::kString && raw.category.text.starts_with(kOwnCategoryPrefix)) own_output_ = true;
  const bool counted = raw.phase == 'X' || raw.phase == 'B' || raw.phase == 'E';
  const Needs& needs = options_.needs;
  const bool instant = needs.memory_events && (raw.phase == 'i' || raw.phase == 'I');
  const bool flow = needs.flows && (raw.phase == 's' || raw.phase == 'f');
  if (!counted && !instant && !flow) return;

  RawValue pid = raw.pid;
  TraceBuilder& builder = pid.kind == TokenKind::kString ? builder_for(pid) : first_;
  Event event;
  event.phase = raw.phase;
  event.position = position;
  event.offset = raw.offset;
  if (raw.category.kind == TokenKind::kString) {
    event.category = builder.category(text(builder, raw.category));
  }
  const CategoryKind kind = event.category.valid() ? builder.kind(event.category) : CategoryKind::kOtherHost;
  if (raw.name.kind == TokenKind::kString) {
    event.has_name = true;
    if (builder.stores_names(kind) || raw.name.text.starts_with(kStepPrefix)) event.name = text(builder, raw.name);
  }
  if (raw.time.state == TimeState::kValid) event.time_ns = raw.time.nanos;
  if (raw.dur.state == TimeState::kValid) event.dur_ns = raw.dur.nanos;
  event.pid = track(builder, pid);
  event.tid = track(builder, raw.tid);
  if (flow) event.flow_id = raw.id.kind == TokenKind::kInteger ? raw.id.number : static_cast<std::int64_t>(text(builder, raw.id).value()) - (std::int64_t{1} << 40);

  args_.clear();
  for (std::size_t i = 0; i < raw.arg_count; ++i) {
    const RawArg& arg = raw.args[i];
    switch (arg_spec(arg.key).type) {
      case ArgType::kInteger:
        if (arg.value.kind == TokenKind::kInteger) {
          args_.push_back({arg.key, arg.value.number});
        } else if (arg.value.kind == TokenKind::kString && arg.key != ArgKey::kCorrelation) {
          if (const auto number = parse_integer(arg.value.text)) args_.push_back({arg.key, *number});
        }
        break;
      case ArgType::kRate:
        if (arg.value.kind == TokenKind::kInteger || arg.value.kind == TokenKind::kNumber) {
          if (const auto rate = scaled_decimal(arg.value.text, kRateDigits)) args_.push_back({arg.key, *rate});
        }
        break;
      case ArgType::kText: args_.push_back({arg.key, text(builder, arg.value).value()}); break;
    }
  }
  event.args = args_;
  if (kind == CategoryKind::kProfilerRange && needs.profiler_ranges) {
    counters(builder, raw);
    event.counters = counters_;
  }
  builder.add(event);
}

// Hardware counters have names of their own: all numeric arguments of the range.
void Ingest::counters(TraceBuilder& builder, const RawEvent& raw) {
  counters_.clear();
  rapidjson::Document document;
  rapidjson::MemoryStream stream(raw.args_text.data(), raw.args_text.size());
  document.ParseStream<rapidjson::kParseStopWhenDoneFlag | rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag,
                       rapidjson::UTF8<>>(stream);
  if (document.HasParseError() || !document.IsObject()) return;
  for (const auto& member : document.GetObject()) {
    if (!member.value.IsString()) continue;
    const std::string_view value(member.value.GetString(), member.value.GetStringLength());
    if (!scaled_decimal(value, 0)) continue;
    const std::string_view name(member.name.GetString(), member.name.GetStringLength());
    counters_.emplace_back(builder.strings().intern(name), builder.strings().intern(value));
  }
}

void Ingest::metadata(std::string_view key, std::string_view json) {
  if (key == "schema" && json.starts_with("\"hta/")) own_output_ = true;
  if (key == "nodes") foreign_schema_ = true;
  if (read_metadata(key, json, info_) == MetadataOutcome::kUnreadable) ++unreadable_metadata_;
}

void Ingest::fault(EventFault fault, std::uint64_t offset) { first_.quality()[fault].add(offset); }

std::uint64_t Ingest::repaired_texts() const {
  std::uint64_t sum = first_.strings().repaired();
  for (const Labelled& labelled : labelled_) sum += const_cast<Labelled&>(labelled).builder.strings().repaired();
  return sum;
}

std::vector<Trace> Ingest::finish(std::vector<std::string>& labels) {
  std::vector<Trace> traces;
  if (labelled_.size() == 1) labelled_.front().builder.quality().faults = first_.quality().faults;
  if (labelled_.empty()) {
    traces.push_back(first_.finish());
  } else {
    std::sort(labelled_.begin(), labelled_.end(),
              [](const Labelled& a, const Labelled& b) { return natural_less(a.label, b.label); });
    for (Labelled& labelled : labelled_) {
      if (&labelled == &labelled_.front()) {
        // Damage of the file is told once, with its first rank.
        for (std::size_t i = 0; i < labelled.builder.quality().faults.size(); ++i) {
          const FaultCount& seen = first_.quality().faults[i];
          FaultCount& into = labelled.builder.quality().faults[i];
          if (labelled_.size() > 1) into.count += seen.count;
        }
      }
      traces.push_back(labelled.builder.finish());
      if (labelled_.size() > 1) labels.push_back(labelled.label);
    }
    (void)first_.finish();
  }
  for (Trace& trace : traces) trace.info = info_;
  return traces;
}

}  // namespace hta::input
