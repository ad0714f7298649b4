#pragma once
// Named numbers that rules look at, each computed from the tables of one or two analyses.

#include "hta/result/table.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "answers.h"

namespace hta::report {

/// One measured value. Missing (`value` empty) if the traces do not hold what it needs.
struct MeasuredValue {
  result::CellType type = result::CellType::kPercent;
  std::optional<std::int64_t> value;
  std::string subject;               ///< what it was measured on: a kernel, a rank, a line of the program
  std::optional<std::int64_t> rank;  ///< if it was measured on one
};

using Measures = std::map<std::string, MeasuredValue, std::less<>>;

/// All measures. Shares of time are of the summed spans of all devices.
Measures measure(const Answers& answers);

/// The unit that thresholds of a measure are given in.
result::CellType measure_type(std::string_view name);

/// A value as it stands in a sentence: `12.34`, `1.23 ms`, `17`.
std::string measure_text(const MeasuredValue& value);

/// The value, nothing if it is missing or there is no such measure.
std::optional<std::int64_t> value_of(const Measures& measures, std::string_view name);
const std::string& subject_of(const Measures& measures, std::string_view name);

}  // namespace hta::report
