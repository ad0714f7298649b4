#include "hta/base/text.h"
#include "hta/report/render.h"
#include "hta/version.h"

#include <algorithm>
#include <cmath>

#include <rapidjson/writer.h>

namespace hta::report {
namespace {

using result::CellType;

struct OutStream {
  using Ch = char;
  Out& out;
  void Put(char c) { out.put(c); }  // NOLINT(readability-identifier-naming): interface of RapidJSON
  void Flush() {}                   // NOLINT(readability-identifier-naming)
};
using Writer = rapidjson::Writer<OutStream>;

constexpr std::int64_t kExactInDouble = std::int64_t{1} << 53;

void key(Writer& json, std::string_view name) {
  json.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
}
void text(Writer& json, std::string_view value) {
  json.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}
void member(Writer& json, std::string_view name, std::string_view value) {
  key(json, name);
  text(json, value);
}
void member(Writer& json, std::string_view name, std::uint64_t value) {
  key(json, name);
  json.Uint64(value);
}

// Decimals are written as text, so no digit is lost or invented.
void number(Writer& json, CellType type, std::int64_t value) {
  const int decimals = result::decimals_of(type);
  if (decimals == 0) {
    if (type == CellType::kRank) value = RankKey::from_value(value).rank();
    // What does not fit a double would be changed by most readers.
    if (value > kExactInDouble || value < -kExactInDouble) text(json, std::to_string(value));
    else json.Int64(value);
    return;
  }
  std::string digits = fixed_point(value, decimals);
  while (digits.back() == '0') digits.pop_back();
  if (digits.back() == '.') digits += '0';
  json.RawValue(digits.data(), digits.size(), rapidjson::kNumberType);
}

void measure(Writer& json, const result::Measure& value) {
  key(json, value.name);
  if (value.type == CellType::kText) text(json, value.text);
  else number(json, value.type, value.number);
}

void measures(Writer& json, std::string_view name, const std::vector<result::Measure>& values) {
  key(json, name);
  json.StartObject();
  for (const result::Measure& value : values) measure(json, value);
  json.EndObject();
}

std::string_view type_name(CellType type) {
  switch (type) {
    case CellType::kText: return "string";
    case CellType::kInteger:
    case CellType::kRank:
    case CellType::kBytes: return "int";
    case CellType::kNumberText: return "number";
    default: return "float";
  }
}

std::string_view unit_name(CellType type) {
  switch (type) {
    case CellType::kTime: return "us";
    case CellType::kPercent: return "%";
    case CellType::kRate: return "GB/s";
    case CellType::kBytes: return "bytes";
    default: return {};
  }
}

void column(Writer& json, std::string_view name, CellType type) {
  json.StartObject();
  member(json, "name", name);
  member(json, "type", type_name(type));
  if (const std::string_view unit = unit_name(type); !unit.empty()) member(json, "unit", unit);
  json.EndObject();
}

void table(Writer& json, const result::Table& table) {
  const bool windows = table.has_windows();
  key(json, table.name());
  json.StartObject();
  key(json, "columns");
  json.StartArray();
  for (const auto& c : table.columns()) column(json, c.name, c.type);
  if (windows) column(json, "window", CellType::kInteger);
  json.EndArray();
  key(json, "rows");
  json.StartArray();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    json.StartArray();
    for (std::size_t i = 0; i < table.columns().size(); ++i) {
      const CellType type = table.columns()[i].type;
      if (table.is_null(row, i)) {
        json.Null();
      } else if (type == CellType::kText) {
        text(json, table.text(row, i));
      } else if (type == CellType::kNumberText) {
        const std::string_view digits = table.text(row, i);
        json.RawValue(digits.data(), digits.size(), rapidjson::kNumberType);
      } else {
        number(json, type, table.number(row, i));
      }
    }
    if (windows) {
      if (const auto window = table.window(row)) json.Int(*window);
      else json.Null();
    }
    json.EndArray();
  }
  json.EndArray();
  json.EndObject();
}

void inputs(Writer& json, const result::Document& document) {
  key(json, "inputs");
  json.StartArray();
  for (const result::Input& input : document.inputs) {
    json.StartObject();
    member(json, "path", input.path);
    if (!input.label.empty()) member(json, "label", input.label);
    if (!input.run.empty()) member(json, "run", input.run);
    key(json, "rank");
    if (input.rank) json.Int64(*input.rank);
    else json.Null();
    if (input.rank) member(json, "rank_source", input.rank_source);
    if (input.window) {
      key(json, "window");
      json.Int(*input.window);
    }
    member(json, "status", input.status);
    member(json, "events", input.events);
    member(json, "gpu_events", input.gpu_events);
    json.EndObject();
  }
  json.EndArray();
}

void quality(Writer& json, const result::Quality& q) {
  key(json, "quality");
  json.StartObject();
  member(json, "events", q.events);
  member(json, "damaged", q.damaged);
  member(json, "ignored", q.ignored);
  member(json, "suspect", q.suspect);
  key(json, "gpu_events_linked_pct");
  if (q.gpu_events == 0) {
    json.Null();
  } else {
    // Rounded down: 100 means all of them.
    number(json, CellType::kPercent, static_cast<std::int64_t>(q.gpu_events_linked * 10'000 / q.gpu_events));
  }
  json.EndObject();
}

void finding(Writer& json, const result::Finding& f) {
  json.StartObject();
  member(json, "id", f.id);
  member(json, "severity", result::severity_name(f.severity));
  member(json, "title", f.title);
  measures(json, "evidence", f.evidence);
  measures(json, "threshold", f.threshold);
  member(json, "recommendation", f.recommendation);
  member(json, "next", f.next);
  if (f.gain) {
    key(json, "gain");
    json.StartObject();
    measure(json, *f.gain);
    member(json, "method", f.gain_method);
    json.EndObject();
  }
  json.EndObject();
}

}  // namespace

void render_json(const result::Document& document, const std::vector<std::string>& tables, Out& out) {
  OutStream stream{out};
  Writer json(stream);
  json.StartObject();
  member(json, "schema", "hta/1");
  key(json, "tool");
  json.StartObject();
  member(json, "name", "hta");
  member(json, "version", kVersion);
  json.EndObject();
  member(json, "command", document.command);
  inputs(json, document);
  quality(json, document.quality);
  if (document.summary) {
    key(json, "summary");
    json.StartObject();
    member(json, "main_finding", document.summary->main_finding);
    member(json, "bottleneck", document.summary->bottleneck);
    measures(json, "evidence", document.summary->evidence);
    json.EndObject();
  }
  key(json, "findings");
  json.StartArray();
  for (const result::Finding& f : document.findings) finding(json, f);
  json.EndArray();
  key(json, "tables");
  json.StartObject();
  for (const result::Table& t : document.tables) {
    if (!tables.empty() && std::find(tables.begin(), tables.end(), t.name()) == tables.end()) continue;
    table(json, t);
  }
  json.EndObject();
  key(json, "notes");
  json.StartArray();
  for (const result::Note& note : document.notes) {
    json.StartObject();
    member(json, "code", note.code);
    member(json, "severity", result::severity_name(note.severity));
    member(json, "message", note.message);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  out.put('\n');
}

}  // namespace hta::report
