#include "hta/report/people_rows.h"

#include "hta/base/exact.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace hta::report {
namespace {

using result::CellType;
using result::Table;
using Rows = std::vector<std::size_t>;

constexpr std::int64_t kHalfPoint = 50;  // of a percentage, in hundredths
constexpr Int128 kUnit = 10'000;         // of scores

bool is_measure(CellType type) {
  switch (type) {
    case CellType::kTime:
    case CellType::kPercent:
    case CellType::kRatio:
    case CellType::kHundredths:
    case CellType::kRate:
    case CellType::kBytes: return true;
    case CellType::kText:
    case CellType::kInteger:
    case CellType::kRank:
    case CellType::kNumberText: return false;
  }
  return false;
}

std::map<std::vector<std::string_view>, Rows> by_kind(const Table& table) {
  std::map<std::vector<std::string_view>, Rows> kinds;
  std::vector<std::string_view> key;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    key.clear();
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
      if (table.columns()[c].type == CellType::kText)
        key.push_back(table.is_null(row, c) ? std::string_view() : table.text(row, c));
    }
    kinds[key].push_back(row);
  }
  return kinds;
}

std::int64_t median(std::vector<std::int64_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Spread {
  std::int64_t median = 0;
  std::int64_t usual = 0;  // median absolute deviation
};

// Nothing if no row has a value.
std::optional<Spread> spread_of(const Table& table, const Rows& rows, std::size_t column) {
  std::vector<std::int64_t> values;
  for (const std::size_t row : rows) {
    if (!table.is_null(row, column)) values.push_back(table.number(row, column));
  }
  if (values.empty()) return std::nullopt;
  Spread spread;
  spread.median = median(values);
  for (std::int64_t& value : values) value = std::abs(value - spread.median);
  spread.usual = median(values);
  return spread;
}

// Puts the largest distance of each row of one kind into `scores`, in units of 1 / kUnit of the usual spread.
void score(const Table& table, const Rows& rows, std::vector<Int128>& scores) {
  std::vector<std::optional<Spread>> spreads(table.columns().size());
  std::int64_t longest = 0;
  for (std::size_t c = 0; c < spreads.size(); ++c) {
    if (!is_measure(table.columns()[c].type)) continue;
    spreads[c] = spread_of(table, rows, c);
    if (spreads[c] && table.columns()[c].type == CellType::kTime) longest = std::max(longest, spreads[c]->median);
  }
  for (std::size_t c = 0; c < spreads.size(); ++c) {
    if (!spreads[c]) continue;
    const CellType type = table.columns()[c].type;
    const std::int64_t least = type == CellType::kTime      ? longest / 200
                               : type == CellType::kPercent ? kHalfPoint
                                                            : std::abs(spreads[c]->median) / 100;
    const Int128 unit = std::max<std::int64_t>({spreads[c]->usual, least, 1});
    for (const std::size_t row : rows) {
      if (table.is_null(row, c)) continue;
      const Int128 distance = Int128{table.number(row, c)} - spreads[c]->median;
      scores[row] = std::max(scores[row], (distance < 0 ? -distance : distance) * kUnit / unit);
    }
  }
}

}  // namespace

Rows telling_rows(const Table& table, std::size_t most) {
  Rows rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const bool of_ranks = std::any_of(table.columns().begin(), table.columns().end(),
                                    [](const Table::Column& column) { return column.type == CellType::kRank; });
  if (rows.size() <= most || !of_ranks) return rows;
  std::vector<Int128> scores(rows.size());
  auto kinds = by_kind(table);
  if (kinds.size() * 2 > rows.size()) kinds = {{{}, rows}};  // texts that name single rows (paths) make no kinds
  for (const auto& [kind, of_kind] : kinds) {
    score(table, of_kind, scores);
    const Int128 rarity = Int128{rows.size()} * kUnit / Int128{kinds.size() * of_kind.size()};
    for (const std::size_t row : of_kind) scores[row] += rarity;
  }
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  rows.resize(most);
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace hta::report
