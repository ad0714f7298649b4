#include "hta/result/table.h"

#include "hta/base/text.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace hta::result {

int decimals_of(CellType type) {
  switch (type) {
    case CellType::kTime: return 3;
    case CellType::kPercent:
    case CellType::kHundredths: return 2;
    case CellType::kRatio: return 4;
    case CellType::kRate: return 6;
    default: return 0;
  }
}

Table::Table(const TableSpec& spec, std::initializer_list<std::string_view> optional)
    : name_(spec.name), title_(spec.title), rows_per_(spec.rows), map_(spec.map) {
  for (const ColumnSpec& column : spec.columns) {
    const bool wanted = column.presence == Presence::kAlways ||
                        std::find(optional.begin(), optional.end(), column.name) != optional.end();
    if (wanted) columns_.push_back({std::string(column.name), column.type, column.bar, column.fit});
  }
  data_.resize(columns_.size());
}

void Table::add_column(std::string name, CellType type) {
  assert(rows_ == 0);
  columns_.push_back({std::move(name), type, Bar::kNo, Fit::kIfRoom});
  data_.emplace_back();
}

void Table::add(std::span<const Cell> cells) {
  assert(cells.size() == columns_.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    std::int64_t bits = kNull;
    if (cell.kind_ == Cell::Kind::kNumber) {
      assert(columns_[i].type != CellType::kText && columns_[i].type != CellType::kNumberText);
      bits = cell.number_;
    } else if (cell.kind_ == Cell::Kind::kText) {
      assert(columns_[i].type == CellType::kText || columns_[i].type == CellType::kNumberText);
      auto at = text_ids_.find(cell.text_);
      if (at == text_ids_.end()) {
        texts_.emplace_back(cell.text_);
        at = text_ids_.emplace(texts_.back(), static_cast<std::int64_t>(texts_.size()) - 1).first;
      }
      bits = at->second;
    }
    data_[i].push_back(bits);
  }
  ++rows_;
}

std::optional<std::size_t> Table::find_column(std::string_view name) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name == name) return i;
  }
  return std::nullopt;
}

std::string Table::plain(std::size_t row, std::size_t column) const {
  if (is_null(row, column)) return {};
  const CellType type = columns_[column].type;
  if (type == CellType::kText || type == CellType::kNumberText) return std::string(text(row, column));
  if (type == CellType::kRank) return std::to_string(RankKey::from_value(number(row, column)).rank());
  return fixed_point(number(row, column), decimals_of(type));
}

bool Table::has_windows() const {
  for (std::size_t row = 0; row < rows_; ++row) {
    if (window(row)) return true;
  }
  return false;
}

std::optional<int> Table::window(std::size_t row) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].type != CellType::kRank || is_null(row, i)) continue;
    const int window = RankKey::from_value(number(row, i)).window();
    if (window > 0) return window;
  }
  return std::nullopt;
}

void Table::sort(std::size_t column, Direction direction) {
  std::vector<std::size_t> order(rows_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool is_text = columns_[column].type == CellType::kText;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (is_null(a, column) || is_null(b, column)) return !is_null(a, column) && is_null(b, column);
    const bool up = direction == Direction::kAscending;
    if (is_text) return up ? text(a, column) < text(b, column) : text(b, column) < text(a, column);
    return up ? number(a, column) < number(b, column) : number(b, column) < number(a, column);
  });
  for (auto& values : data_) {
    std::vector<std::int64_t> sorted;
    sorted.reserve(values.size());
    for (const std::size_t row : order) sorted.push_back(values[row]);
    values = std::move(sorted);
  }
}

}  // namespace hta::result
