#pragma once
// Named numbers that rules look at, each computed from the tables of one or two analyses.

#include "hta/result/document.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hta::report {

/// One measured value. Missing (`value` empty) if the traces do not hold what it needs.
struct MeasuredValue {
  result::CellType type = result::CellType::kPercent;
  std::optional<std::int64_t> value;
  std::string subject;  ///< what it was measured on: a kernel, a rank, a line of the program
};

/// The answers, by command and table.
class Answers {
 public:
  explicit Answers(std::span<const result::Document> documents) : documents_(documents) {}
  const result::Table* table(std::string_view command, std::string_view name) const;
  bool noted(std::string_view code) const;
  const result::Document& first() const { return documents_.front(); }
  /// The answer of one command; null if it is not there.
  const result::Document* document(std::string_view command) const;

  /// Sum of a column; with `where`, of the rows whose text column holds that text. Nothing without the table.
  std::optional<std::int64_t> sum(std::string_view command, std::string_view table, std::string_view column,
                                  std::string_view where = {}, std::string_view equals = {}) const;

 private:
  std::span<const result::Document> documents_;
};

using Measures = std::map<std::string, MeasuredValue, std::less<>>;

/// All measures. Shares of time are of the summed spans of all devices.
Measures measure(const Answers& answers);

/// The unit that thresholds of a measure are given in.
result::CellType measure_type(std::string_view name);

/// A value as it stands in a sentence: `12.34`, `1.23 ms`, `17`.
std::string measure_text(const MeasuredValue& value);

}  // namespace hta::report
