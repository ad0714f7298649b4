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

const Table* Document::find_table(std::string_view name) const {
  for (const Table& table : tables) {
    if (table.name() == name) return &table;
  }
  return nullptr;
}

}  // namespace hta::result
