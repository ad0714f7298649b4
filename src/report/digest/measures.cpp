#include "measures.h"

#include "hta/base/exact.h"
#include "hta/base/human.h"
#include "hta/base/text.h"

#include <utility>

#include "meter.h"

namespace hta::report {

using result::CellType;

Meter::Meter(const Answers& answers)
    : answers_(answers), span_ns_(answers.sum("breakdown", "temporal", "span_us").value_or(0)) {}

void Meter::put(std::string name, std::optional<std::int64_t> value, std::string subject,
                std::optional<std::int64_t> rank) {
  const CellType type = measure_type(name);
  measures_[std::move(name)] = {type, value, std::move(subject), rank};
}

void Meter::share(std::string name, std::optional<std::int64_t> part_ns, std::string subject,
                  std::optional<std::int64_t> rank) {
  put(std::move(name), part_ns && span_ns_ > 0 ? percent(*part_ns, span_ns_) : std::nullopt, std::move(subject), rank);
}

std::string Meter::share_text(std::int64_t part_ns) const {
  return measure_text({CellType::kPercent, percent(part_ns, span_ns_), {}, {}});
}

Measures measure(const Answers& answers) {
  Meter meter(answers);
  measure_time(meter);
  measure_idle(meter);
  measure_communication(meter);
  measure_balance(meter);
  measure_capture(meter);
  return std::move(meter).take();
}

CellType measure_type(std::string_view name) {
  if (name.ends_with("_pct")) return CellType::kPercent;
  if (name.ends_with("_us")) return CellType::kTime;
  return CellType::kInteger;
}

std::string measure_text(const MeasuredValue& value) {
  if (!value.value) return "–";
  if (value.type == CellType::kTime) return human_time(*value.value);
  if (value.type == CellType::kInteger) return with_commas(*value.value);
  return fixed_point(*value.value, result::decimals_of(value.type));
}

std::optional<std::int64_t> value_of(const Measures& measures, std::string_view name) {
  const auto at = measures.find(name);
  return at == measures.end() ? std::nullopt : at->second.value;
}

const std::string& subject_of(const Measures& measures, std::string_view name) {
  static const std::string kNone;
  const auto at = measures.find(name);
  return at == measures.end() ? kNone : at->second.subject;
}

}  // namespace hta::report
