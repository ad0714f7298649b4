#include "hta/result/document.h"

namespace hta::result {

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kInfo: return "info";
    case Severity::kWarning: return "warning";
    case Severity::kCritical: return "critical";
  }
  return "info";
}

std::string_view gate_outcome_name(GateOutcome outcome) {
  switch (outcome) {
    case GateOutcome::kPass: return "pass";
    case GateOutcome::kNoise: return "noise";
    case GateOutcome::kFail: return "fail";
    case GateOutcome::kInsufficient: return "insufficient";
  }
  return "";
}

const Table* Document::find_table(std::string_view name) const {
  for (const Table& table : tables) {
    if (table.name() == name) return &table;
  }
  return nullptr;
}

}  // namespace hta::result
