#include "answers.h"

#include <algorithm>

namespace hta::report {

using result::Table;

const result::Document* Answers::document(std::string_view command) const {
  const auto at = std::find_if(documents_.begin(), documents_.end(),
                               [&](const result::Document& document) { return document.command == command; });
  return at == documents_.end() ? nullptr : &*at;
}

const Table* Answers::table(std::string_view command, std::string_view name) const {
  const result::Document* found = document(command);
  return found == nullptr ? nullptr : found->find_table(name);
}

std::vector<const result::Note*> Answers::notes(std::string_view code) const {
  std::vector<const result::Note*> found;
  for (const result::Document& document : documents_) {
    for (const result::Note& note : document.notes) {
      const bool known = std::any_of(found.begin(), found.end(),
                                     [&](const result::Note* other) { return other->message == note.message; });
      if (note.code == code && !known) found.push_back(&note);
    }
  }
  return found;
}

std::optional<std::int64_t> Answers::sum(std::string_view command, std::string_view name, std::string_view column,
                                         std::string_view where, std::string_view equals) const {
  const Table* found = table(command, name);
  if (found == nullptr) return std::nullopt;
  const auto value = found->find_column(column);
  const bool filtered = !where.empty();
  const auto filter = found->find_column(where);
  if (!value || (filtered && !filter)) return std::nullopt;
  const std::size_t by = filter.value_or(0);
  std::int64_t total = 0;
  for (std::size_t row = 0; row < found->rows(); ++row) {
    if (filtered && (found->is_null(row, by) || found->text(row, by) != equals)) continue;
    if (!found->is_null(row, *value)) total += found->number(row, *value);
  }
  return total;
}

Rows::Rows(const Table* table, std::initializer_list<std::string_view> columns)
    : table_(table), complete_(table != nullptr) {
  for (const std::string_view column : columns) {
    const auto at = complete_ ? table->find_column(column) : std::nullopt;
    complete_ = complete_ && at.has_value();
    columns_.push_back(at.value_or(0));
  }
}

}  // namespace hta::report
