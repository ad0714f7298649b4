#include "ingest.h"

#include "hta/base/text.h"
#include "hta/input/decimal.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "json_text.h"
#include "metadata.h"
#include <rapidjson/document.h>
#include <rapidjson/memorystream.h>

namespace hta::input {
namespace {

constexpr std::string_view kStepPrefix = "ProfilerStep#";
constexpr std::string_view kOwnCategoryPrefix = "hta_";
constexpr int kRateDigits = 9;
constexpr std::string_view kPhases = "XBEiIMCsftbneSTpFPNODVvRc()";  // all that the trace event format has
constexpr std::uint64_t kMostRecords = std::numeric_limits<std::uint32_t>::max();

// `[TP00-DP01] 83` -> "TP00-DP01", and the rest.
std::string_view label_of(std::string_view pid, std::string_view& rest) {
  if (pid.size() < 3 || pid.front() != '[') return {};
  const std::size_t close = pid.find(']');
  if (close == std::string_view::npos || close == 1) return {};
  rest = pid.substr(close + 1);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  return pid.substr(1, close - 1);
}

// Eight bytes at once, the last ones overlapping those before.
bool is_ascii(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080u;
  const auto word_at = [&](std::size_t i) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, sizeof word);
    return word;
  };
  if (text.size() < 8)
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  std::uint64_t bits = word_at(text.size() - 8);
  for (std::size_t i = 0; i + 8 < text.size(); i += 8) bits |= word_at(i);
  return (bits & kHighBits) == 0;
}

// An object without any member: some writers put one behind their last comma.
bool is_filler(const RawEvent& raw) {
  return raw.name.kind == TokenKind::kAbsent && raw.category.kind == TokenKind::kAbsent &&
         raw.pid.kind == TokenKind::kAbsent && raw.time.state == TimeState::kAbsent &&
         raw.dur.state == TimeState::kAbsent && raw.args_text.empty();
}

std::string_view raw_arg(const RawEvent& raw, ArgKey key) {
  for (std::size_t i = 0; i < raw.arg_count; ++i) {
    if (raw.args[i].key == key) return raw.args[i].value.text;
  }
  return {};
}

}  // namespace

ArgSet wanted_args(const Needs& needs) {
  ArgSet wanted{ArgKey::kDevice, ArgKey::kStream, ArgKey::kCorrelation, ArgKey::kCollectiveName, ArgKey::kTaskType};
  wanted |= needs.gpu_args;
  wanted |= needs.host_args;
  if (needs.sync_records) wanted |= {ArgKey::kWaitOnStream, ArgKey::kWaitOnEventRecordCorrelation};
  if (needs.memory_events) {
    wanted |= {ArgKey::kMemoryBytes, ArgKey::kTotalAllocated, ArgKey::kTotalReserved,
               ArgKey::kDeviceId,    ArgKey::kDeviceType,     ArgKey::kAddress};
  }
  return wanted;
}

Ingest::Ingest(TraceBuilder& first, const BuildOptions& options, const LoadLimits& limits)
    : first_(first), options_(options), limits_(limits) {}

TraceBuilder& Ingest::builder_for(RawValue& pid) {
  std::string_view rest;
  const std::string_view label = pid.kind == TokenKind::kString ? label_of(pid.text, rest) : std::string_view();
  if (label.empty()) {
    ++unlabelled_;
    return first_;
  }
  pid.text = rest;
  const auto [at, fresh] = by_label_.try_emplace(std::string(label), labels_.size());
  if (fresh) {
    labels_.emplace_back(label);
    if (labels_.size() > 1) others_.push_back(std::make_unique<TraceBuilder>(options_));
    if (labels_.size() > limits_.labels)
      passed_limit_ = "holds more than " + std::to_string(limits_.labels) + " ranks by their labels; split it";
  }
  return at->second == 0 ? first_ : *others_[at->second - 1];
}

StringId Ingest::text(TraceBuilder& builder, const RawValue& value) {
  if (!value.escaped) return builder.strings().intern(value.text);
  odd_escapes_ += decode_string(value.text, decoded_);
  return builder.strings().intern(decoded_);
}

// Events of one category come in long rows.
CategoryId Ingest::category(TraceBuilder& builder, const RawValue& value) {
  LastCategory& last = last_categories_[value.text.size() % last_categories_.size()];
  if (last.builder != &builder || last.text != value.text || value.escaped) {
    if (last.text != value.text) last.text = value.text;
    last.id = builder.category(text(builder, value));
    last.builder = value.escaped || !is_ascii(value.text) ? nullptr : &builder;  // damage is counted each time
  }
  return last.id;
}

// Damage in texts that are not stored is told all the same.
void Ingest::check_text(const RawValue& value) {
  if (value.escaped) odd_escapes_ += count_odd_escapes(value.text);
  if (!is_ascii(value.text) && !is_valid_utf8(value.text)) ++broken_texts_;
}

TrackName Ingest::track(TraceBuilder& builder, const RawValue& value) {
  if (value.kind == TokenKind::kInteger) return {value.number, {}};
  if (value.kind == TokenKind::kString) {
    if (const auto number = parse_integer(value.text); number && std::to_string(*number) == value.text)
      return {*number, {}};
    return {0, text(builder, value)};
  }
  if (value.kind == TokenKind::kAbsent) return {0, builder.strings().intern("")};
  return {0, builder.strings().intern(value.text)};
}

void Ingest::event(const RawEvent& raw) {
  const std::uint64_t position = records_++;
  if (!passed_limit_.empty()) return;
  if (raw.phase == 0) {
    if (!is_filler(raw)) first_.quality()[EventFault::kNoPhase].add(raw.offset);
    return;
  }
  has_phases_ = true;
  if (raw.category.kind == TokenKind::kString && raw.category.text.starts_with(kOwnCategoryPrefix)) own_output_ = true;
  const bool counted = raw.phase == 'X' || raw.phase == 'B' || raw.phase == 'E';
  const Needs& needs = options_.needs;
  const bool instant = needs.memory_events && (raw.phase == 'i' || raw.phase == 'I');
  const bool flow = needs.flows && (raw.phase == 's' || raw.phase == 'f');
  if (raw.phase == 'M') unnamed_tracks_.metadata(raw);
  if (!counted && !instant && !flow) {
    if (kPhases.find(raw.phase) == std::string_view::npos) first_.quality()[EventFault::kNoPhase].add(raw.offset);
    return;
  }

  RawValue pid = raw.pid;
  TraceBuilder& builder = builder_for(pid);
  Event event;
  event.phase = raw.phase;
  event.position = static_cast<std::uint32_t>(position);
  event.offset = raw.offset;
  const bool unnamed = raw.category.kind == TokenKind::kAbsent && raw.phase == 'X';
  const std::string_view task = unnamed ? raw_arg(raw, ArgKey::kTaskType) : std::string_view();
  if (raw.category.kind == TokenKind::kString) {
    event.category = category(builder, raw.category);
  } else if (unnamed) {
    const std::string_view category = unnamed_tracks_.category(raw, task);
    if (!category.empty()) event.category = builder.category(builder.strings().intern(category));
  }
  const CategoryKind kind = event.category.valid() ? builder.kind(event.category) : CategoryKind::kOtherHost;
  event.has_name = raw.name.kind == TokenKind::kString;
  if (raw.time.state == TimeState::kValid) event.time_ns = raw.time.nanos;
  if (raw.dur.state == TimeState::kValid) event.dur_ns = raw.dur.nanos;
  if (event.has_name) {
    if (builder.stores_names(kind) || raw.name.text.starts_with(kStepPrefix)) {
      event.name = text(builder, raw.name);
    } else {
      check_text(raw.name);
      event.name = builder.name_in_tree(kind);
    }
  }
  if (raw.phase == 'X' && !event.name.valid()) {  // only its times count
    builder.add(event);
    return;
  }
  event.pid = track(builder, pid);
  event.tid = track(builder, raw.tid);
  if (flow) {
    // Ids that are text get numbers that no real id has.
    constexpr std::int64_t kTextIds = -(std::int64_t{1} << 40);
    event.flow_id = raw.id.kind == TokenKind::kInteger
                        ? raw.id.number
                        : kTextIds + static_cast<std::int64_t>(text(builder, raw.id).value());
  }
  take_args(builder, raw);
  if (unnamed && kind == CategoryKind::kGpu) {
    const std::string_view collective = UnnamedTracks::collective(raw.name.text, task);
    if (!collective.empty()) args_.push_back({ArgKey::kCollectiveName, builder.strings().intern(collective).value()});
  }
  event.args = args_;
  if (kind == CategoryKind::kProfilerRange && needs.profiler_ranges) {
    take_counters(builder, raw);
    event.counters = counters_;
  }
  builder.add(event);
  check_limits(builder);
}

void Ingest::take_args(TraceBuilder& builder, const RawEvent& raw) {
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
}

// Hardware counters have names of their own: all numeric arguments of the range.
void Ingest::take_counters(TraceBuilder& builder, const RawEvent& raw) {
  counters_.clear();
  rapidjson::Document document;
  rapidjson::MemoryStream stream(raw.args_text.data(), raw.args_text.size());
  document.ParseStream<rapidjson::kParseStopWhenDoneFlag | rapidjson::kParseIterativeFlag |
                           rapidjson::kParseNumbersAsStringsFlag,
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

void Ingest::check_limits(const TraceBuilder& builder) {
  if (builder.strings().size() > limits_.names) {
    passed_limit_ = "holds more than " + with_commas(static_cast<std::int64_t>(limits_.names)) +
                    " different texts in one rank; raise --max-names if that is right";
  }
  if (records_ >= kMostRecords)
    passed_limit_ = "holds more than " + with_commas(static_cast<std::int64_t>(kMostRecords)) + " records; split it";
}

void Ingest::metadata(std::string_view key, std::string_view json) {
  if (key == "schema" && json.starts_with("\"hta/")) own_output_ = true;
  if (key == "nodes") foreign_schema_ = true;
  switch (read_metadata(key, json, info_)) {
    case MetadataOutcome::kRead: break;
    case MetadataOutcome::kRepaired: ++repaired_metadata_; break;
    case MetadataOutcome::kUnreadable: ++unreadable_metadata_; break;
  }
}

void Ingest::fault(EventFault fault, std::uint64_t offset) {
  first_.quality()[fault].add(offset);
}

std::uint64_t Ingest::repaired_texts() const {
  std::uint64_t sum = broken_texts_ + first_.strings().repaired();
  for (const auto& builder : others_) sum += builder->strings().repaired();
  return sum;
}

bool Ingest::self_contained() const {
  return labels_.empty() && passed_limit_.empty() && !unnamed_tracks_.asked() && first_.self_contained();
}

void Ingest::append(Ingest&& later) {
  first_.append(std::move(later.first_), static_cast<std::uint32_t>(records_));
  unnamed_tracks_.append(later.unnamed_tracks_);
  records_ += later.records_;
  unlabelled_ += later.unlabelled_;
  odd_escapes_ += later.odd_escapes_;
  broken_texts_ += later.broken_texts_;
  own_output_ |= later.own_output_;
  has_phases_ |= later.has_phases_;
  check_limits(first_);
}

void Ingest::trim() {
  first_.trim();
  for (const auto& builder : others_) builder->trim();
}

std::vector<Trace> Ingest::finish(std::vector<std::string>& labels) {
  std::vector<std::size_t> order(std::max<std::size_t>(1, labels_.size()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return a != b && natural_less(labels_[a], labels_[b]); });
  std::vector<Trace> traces;
  for (const std::size_t i : order) {
    traces.push_back(i == 0 ? first_.finish() : others_[i - 1]->finish());
    traces.back().info = info_;
    if (labels_.size() > 1) labels.push_back(labels_[i]);
  }
  return traces;
}

}  // namespace hta::input
