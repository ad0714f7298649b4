#pragma once

#include "hta/result/table.h"

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace hta::report {

/// Cells of one table by the position of their column in a list of names. A table without one of the columns has no
/// rows.
class Rows {
 public:
  Rows(const result::Table& table, std::initializer_list<std::string_view> columns) : table_(table) {
    for (const std::string_view column : columns) {
      const auto at = table.find_column(column);
      complete_ &= at.has_value();
      columns_.push_back(at.value_or(0));
    }
  }
  bool complete() const { return complete_; }
  std::size_t size() const { return complete_ ? table_.rows() : 0; }
  bool null(std::size_t row, std::size_t column) const { return table_.is_null(row, columns_[column]); }
  std::int64_t number(std::size_t row, std::size_t column) const {
    return null(row, column) ? 0 : table_.number(row, columns_[column]);
  }
  std::string_view text(std::size_t row, std::size_t column) const {
    return null(row, column) ? std::string_view() : table_.text(row, columns_[column]);
  }

 private:
  const result::Table& table_;
  std::vector<std::size_t> columns_;
  bool complete_ = true;
};

}  // namespace hta::report
