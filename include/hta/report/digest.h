#pragma once
// From the answers of several analyses to a verdict: findings by rules, one bottleneck, what to do next.

#include "hta/base/result.h"
#include "hta/result/document.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hta::report {

/// The analyses whose answers a digest is made of, by name; those that do not exist are simply missing.
std::span<const std::string_view> digest_analyses();

enum class Compare : std::uint8_t { kAbove, kBelow };

/// One rule: if the measure passes the threshold, that is a finding. Texts may name measures in braces: `{idle_pct}` is
/// replaced by the value, `{idle_pct:subject}` by what it was measured on.
struct RuleSpec {
  std::string_view id = {};
  std::string_view measure = {};
  Compare compare = Compare::kAbove;
  std::int64_t warning = 0;  ///< in the unit of the measure
  std::optional<std::int64_t> critical = {};
  std::string_view condition_measure = {};  ///< a second measure that must lie above `condition_value`; empty = none
  std::int64_t condition_value = 0;
  std::string_view title = {};
  std::string_view recommendation = {};
  std::string_view next = {};
  std::string_view gain_measure = {};  ///< what fixing it can bring, as a measure; empty = not known
  result::Severity severity =
      result::Severity::kWarning;  ///< beyond `warning`; kInfo for what is worth knowing, but no fault
  std::string_view needs = {};     ///< what the trace must hold, and how to record it: said when the measure is missing
  std::string_view covered_by = {};  ///< a rule that says it better when it names the same rank
};

/// The rules with thresholds that a user may have changed.
class RuleBook {
 public:
  RuleBook();
  /// Thresholds from JSON text: {"rules": [{"id": "...", "warning": 5.0, "critical": 20, "off": false}]}. kUsage if it
  /// has another form or names an unknown rule.
  static Result<RuleBook> from_json(std::string_view text, const std::string& path);
  struct Entry {
    RuleSpec spec;
    bool off = false;
  };
  const std::vector<Entry>& entries() const { return entries_; }
  /// Table `rules` for `hta rules`.
  result::Table table() const;

 private:
  std::vector<Entry> entries_;
};

/// The tables that a digest holds.
std::span<const result::TableSpec> digest_tables();

/// What a digest is made of.
struct DigestInput {
  std::span<const result::Document> answers;  ///< one per analysis, not empty
  std::map<std::string, std::uint64_t> events_by_category;
  std::int64_t top = 0;  ///< kernels to list; 0 = all
};

/// Evaluates the rules over the answers. Inputs and quality are those of the first answer.
result::Document digest(const DigestInput& input, const RuleBook& rules);

}  // namespace hta::report
