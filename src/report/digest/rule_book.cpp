#include "hta/base/text.h"
#include "hta/report/digest.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "measures.h"
#include "rules.h"
#include <nlohmann/json.hpp>

namespace hta::report {
namespace {

using result::CellType;
using result::ColumnSpec;

constexpr std::array kColumns{
    ColumnSpec{"id", CellType::kText},
    ColumnSpec{"measure", CellType::kText},
    ColumnSpec{"compare", CellType::kText},
    ColumnSpec{"warning", CellType::kNumberText},
    ColumnSpec{"critical", CellType::kNumberText},
    ColumnSpec{"also", CellType::kText},
    ColumnSpec{"off", CellType::kInteger},
    ColumnSpec{"recommendation", CellType::kText},
};
constexpr result::TableSpec kRuleTable{"rules", "Rules that summary and report apply", kColumns};

std::string number_text(std::string_view measure, std::int64_t value) {
  return fixed_point(value, result::decimals_of(measure_type(measure)));
}

Error wrong(const std::string& path, std::string message) {
  return {ErrorCode::kUsage, path, std::move(message), {}};
}

}  // namespace

RuleBook::RuleBook() {
  for (const RuleSpec& rule : default_rules()) entries_.push_back({rule, false});
}

Result<RuleBook> RuleBook::from_json(std::string_view text, const std::string& path) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("rules") || !json["rules"].is_array()) {
    return wrong(
        path, R"(is no list of rules; write {"rules": [{"id": "host-bound", "warning": 15}]}, hta rules lists them)");
  }
  RuleBook book;
  std::vector<std::string_view> ids;
  for (const Entry& entry : book.entries_) ids.push_back(entry.spec.id);
  for (const auto& item : json["rules"]) {
    if (!item.is_object() || !item.contains("id") || !item["id"].is_string()) return wrong(path, "a rule needs an id");
    const std::string id = item["id"];
    const auto entry =
        std::find_if(book.entries_.begin(), book.entries_.end(), [&](const Entry& e) { return e.spec.id == id; });
    if (entry == book.entries_.end()) {
      const auto guess = nearest(id, ids);
      return wrong(path, "there is no rule '" + id + "'" +
                             (guess ? "; did you mean " + *guess + "?" : "; hta rules lists them"));
    }
    // Thresholds are written in the unit of the measure; kept as integers in its smallest decimal.
    std::int64_t scale = 1;
    for (int i = 0; i < result::decimals_of(measure_type(entry->spec.measure)); ++i) scale *= 10;
    for (const auto& [key, value] : item.items()) {
      if (key == "id") continue;
      if (key == "off" && value.is_boolean()) entry->off = value;
      else if (key == "warning" && value.is_number())
        entry->spec.warning = std::llround(value.get<double>() * static_cast<double>(scale));
      else if (key == "critical" && value.is_number())
        entry->spec.critical = std::llround(value.get<double>() * static_cast<double>(scale));
      else
        return wrong(path, "rule '" + id + "': '" + key +
                               "' is not known, or has the wrong type; there are warning, critical, off");
    }
  }
  return book;
}

result::Table RuleBook::table() const {
  result::Table table(kRuleTable);
  for (const Entry& entry : entries_) {
    const RuleSpec& rule = entry.spec;
    const std::string also =
        rule.condition_measure.empty()
            ? std::string()
            : std::string(rule.condition_measure) + " > " + number_text(rule.condition_measure, rule.condition_value);
    table.add({rule.id, rule.measure, rule.compare == Compare::kAbove ? ">" : "<",
               number_text(rule.measure, rule.warning),
               rule.critical ? result::Cell(number_text(rule.measure, *rule.critical)) : result::Cell(std::nullopt),
               also.empty() ? result::Cell(std::nullopt) : result::Cell(also), entry.off ? 1 : 0, rule.recommendation});
  }
  return table;
}

}  // namespace hta::report
