#pragma once
// The results that a digest is made of, and ways to read them.

#include "hta/result/document.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace hta::report {

/// The answers, by command and table.
class Answers {
 public:
  explicit Answers(std::span<const result::Document> documents) : documents_(documents) {}
  const result::Table* table(std::string_view command, std::string_view name) const;
  /// Notes of all answers with that code; the same message once.
  std::vector<const result::Note*> notes(std::string_view code) const;
  const result::Document& first() const { return documents_.front(); }
  /// The answer of one command; null if it is not there.
  const result::Document* document(std::string_view command) const;

  /// Sum of a column; with `where`, of the rows whose text column holds that text. Nothing without the table.
  std::optional<std::int64_t> sum(std::string_view command, std::string_view table, std::string_view column,
                                  std::string_view where = {}, std::string_view equals = {}) const;

 private:
  std::span<const result::Document> documents_;
};

/// Some columns of one table, by position in the list of their names. No rows if there is no table, or not all columns.
class Rows {
 public:
  Rows(const result::Table* table, std::initializer_list<std::string_view> columns);
  Rows(const result::Table& table, std::initializer_list<std::string_view> columns) : Rows(&table, columns) {}
  std::size_t size() const { return complete_ ? table_->rows() : 0; }
  bool null(std::size_t row, std::size_t column) const { return table_->is_null(row, columns_[column]); }
  /// 0 and empty for null.
  std::int64_t number(std::size_t row, std::size_t column) const {
    return null(row, column) ? 0 : table_->number(row, columns_[column]);
  }
  std::string_view text(std::size_t row, std::size_t column) const {
    return null(row, column) ? std::string_view() : table_->text(row, columns_[column]);
  }
  std::int64_t rank(std::size_t row, std::size_t column) const {
    return RankKey::from_value(number(row, column)).rank();
  }

 private:
  const result::Table* table_;
  std::vector<std::size_t> columns_;
  bool complete_;
};

}  // namespace hta::report
