#pragma once
// Typed tables. Every number is an exact integer in the unit of its column; text is pooled. No floating point.

#include "hta/base/rank_key.h"
#include "hta/base/shared_text.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hta::result {

/// What a cell's 64 bits mean.
enum class CellType : std::uint8_t {
  kText,     ///< pooled text
  kInteger,  ///< plain number: counts, ids, ordinals
  kRank,     ///< RankKey::value(); printed as the rank, and its window in a trailing column `window` where there is one
  kTime,     ///< nanoseconds, printed as microseconds with three decimals
  kPercent,  ///< hundredths of a per cent
  kRatio,    ///< ten-thousandths: shares, queue statistics, probabilities
  kHundredths,  ///< hundredths: counts per step
  kRate,        ///< 10^-6 of the unit: GB/s
  kBytes,       ///< bytes
  kNumberText,  ///< a number that stands in the trace as text (hardware counters): printed as it is
};

enum class Presence : std::uint8_t { kAlways, kOptional };
enum class Bar : std::uint8_t { kNo, kYes };         ///< whether a terminal shows a small bar beside the value
enum class Fit : std::uint8_t { kAlways, kIfRoom };  ///< whether a narrow terminal may leave the column out

struct ColumnSpec {
  std::string_view name;
  CellType type = CellType::kText;
  Presence presence = Presence::kAlways;
  Bar bar = Bar::kNo;
  Fit fit = Fit::kAlways;
};

/// A column that a narrow terminal may leave out.
constexpr ColumnSpec if_room(std::string_view name, CellType type) {
  return {name, type, Presence::kAlways, Bar::kNo, Fit::kIfRoom};
}

enum class RowsPer : std::uint8_t { kGroup, kEvent };  ///< kEvent: as many rows as events; left out unless asked for

/// Columns by which people see a table as a map: a line per value of `row`, and a shade per value of `column` for
/// `value`, a percentage. No row of the table stands for 0.
struct MapSpec {
  std::string_view row;
  std::string_view column;
  std::string_view value;
};

/// The contract of one table: its name and columns never change meaning.
struct TableSpec {
  std::string_view name;
  std::string_view title;  ///< what it shows, for headings and help
  std::span<const ColumnSpec> columns;
  RowsPer rows = RowsPer::kGroup;
  std::optional<MapSpec> map = std::nullopt;
};

/// A value to put into a row; which type it is, the column says.
class Cell {
 public:
  Cell(std::nullopt_t) {}                                                // NOLINT(google-explicit-constructor)
  Cell(std::int64_t value) : number_(value), kind_(Kind::kNumber) {}     // NOLINT(google-explicit-constructor)
  Cell(int value) : Cell(std::int64_t{value}) {}                         // NOLINT(google-explicit-constructor)
  Cell(std::uint64_t value) : Cell(static_cast<std::int64_t>(value)) {}  // NOLINT(google-explicit-constructor)
  Cell(std::optional<std::int64_t> value)                                // NOLINT(google-explicit-constructor)
      : number_(value.value_or(0)), kind_(value ? Kind::kNumber : Kind::kNull) {}
  Cell(std::string_view text) : text_(text), kind_(Kind::kText) {}  // NOLINT(google-explicit-constructor)
  Cell(const char* text) : Cell(std::string_view(text)) {}          // NOLINT(google-explicit-constructor)
  Cell(const std::string& text) : Cell(std::string_view(text)) {}   // NOLINT(google-explicit-constructor)
  Cell(const SharedText& text) : Cell(text.view()) {}               // NOLINT(google-explicit-constructor)
  Cell(RankKey rank) : Cell(rank.value()) {}                        // NOLINT(google-explicit-constructor)

 private:
  friend class Table;
  enum class Kind : std::uint8_t { kNull, kNumber, kText };
  std::int64_t number_ = 0;
  std::string_view text_;
  Kind kind_ = Kind::kNull;
};

enum class Direction : std::uint8_t { kAscending, kDescending };

/// Rows by columns. Append-only; rows keep the order in which they were added unless sorted.
class Table {
 public:
  struct Column {
    std::string name;
    CellType type;
    Bar bar = Bar::kNo;
    Fit fit = Fit::kAlways;
  };

  /// A table of `spec` with its columns that are always present and the named optional ones, in the order of the spec.
  explicit Table(const TableSpec& spec, std::initializer_list<std::string_view> optional = {});
  Table(Table&&) = default;
  Table& operator=(Table&&) = default;
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  ~Table() = default;
  /// Further columns behind those of the spec (one per hardware counter). Before the first row.
  void add_column(std::string name, CellType type);

  /// One cell per column (asserted). Text is copied.
  void add(std::initializer_list<Cell> cells) { add(std::span<const Cell>(cells.begin(), cells.size())); }
  void add(std::span<const Cell> cells);

  const std::string& name() const { return name_; }
  const std::string& title() const { return title_; }
  RowsPer rows_per() const { return rows_per_; }
  const std::optional<MapSpec>& map() const { return map_; }
  const std::vector<Column>& columns() const { return columns_; }
  std::size_t rows() const { return rows_; }
  bool is_null(std::size_t row, std::size_t column) const { return data_[column][row] == kNull; }
  /// The 64 bits of a number cell; must not be null or text.
  std::int64_t number(std::size_t row, std::size_t column) const { return data_[column][row]; }
  std::string_view text(std::size_t row, std::size_t column) const {
    return texts_[static_cast<std::size_t>(data_[column][row])];
  }
  std::optional<std::size_t> find_column(std::string_view name) const;

  /// The cell as it stands in CSV: decimals of its type, no thousands separators, empty for null, text as it is.
  std::string plain(std::size_t row, std::size_t column) const;

  /// Whether any row names a capture window (then a column `window` follows the others).
  bool has_windows() const;
  /// The window of a row (1, 2, ...), nothing if its rank has only one.
  std::optional<int> window(std::size_t row) const;

  /// Stable sort by one column; nulls last.
  void sort(std::size_t column, Direction direction);

 private:
  static constexpr std::int64_t kNull = INT64_MIN;

  std::string name_;
  std::string title_;
  RowsPer rows_per_;
  std::optional<MapSpec> map_;
  std::vector<Column> columns_;
  std::vector<std::vector<std::int64_t>> data_;                  // by column
  std::deque<std::string> texts_;                                // each once; they do not move
  std::unordered_map<std::string_view, std::int64_t> text_ids_;  // of texts_
  std::size_t rows_ = 0;
};

/// Decimals behind the point of a number of this type.
int decimals_of(CellType type);

}  // namespace hta::result
