#pragma once
// Options of analyses: described by a table, held as typed values.

#include "hta/base/int_ranges.h"
#include "hta/base/nanos.h"
#include "hta/base/result.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hta::analysis {

/// Which run, when two are compared.
enum class Side : std::uint8_t { kOnly, kBase, kTest };

enum class OptionKind : std::uint8_t {
  kFlag,  ///< no value
  kTime,  ///< microseconds with decimals
  kInteger,
  kDecimal,  ///< decimal number, kept in 10^-6
  kText,
  kTextList,      ///< may be repeated
  kRanges,        ///< numbers and ranges such as 0,4-7
  kChoice,        ///< one of `choices`, separated by |
  kChoiceOrFile,  ///< one of `choices`, or else the content of the file that is named
};

/// One option of one analysis. `--help`, parsing, man pages and checks follow from it.
struct OptionSpec {
  std::string_view name;  ///< without the dashes
  OptionKind kind = OptionKind::kFlag;
  std::string_view default_text;  ///< what counts when it is not given; empty = nothing
  std::string_view value_name;    ///< for the help: US, N, FILE, REGEX
  std::string_view help;
  std::string_view choices;

  bool is_choice(std::string_view text) const;
};

/// Both lists, one behind the other.
template <std::size_t A, std::size_t B>
constexpr std::array<OptionSpec, A + B> join(const std::array<OptionSpec, A>& first,
                                             const std::array<OptionSpec, B>& second) {
  std::array<OptionSpec, A + B> out{};
  std::copy(first.begin(), first.end(), out.begin());
  std::copy(second.begin(), second.end(), out.begin() + A);
  return out;
}

/// Values of the options of one run of one command, and what of the common options analyses must know.
class Options {
 public:
  /// Takes one option's text; kUsage if it is no such value. Repeating overwrites, but for lists.
  Status set(const OptionSpec& spec, std::string_view text);
  void set_flag(std::string_view name) { values_[std::string(name)].integer = 1; }

  bool has(std::string_view name) const { return values_.contains(std::string(name)); }
  bool flag(std::string_view name) const;
  Nanos time_ns(std::string_view name) const { return integer(name); }
  /// kInteger, kTime (ns) or kDecimal (10^-6); 0 if it has neither value nor default.
  std::int64_t integer(std::string_view name) const;
  std::string text(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  /// kRanges; everything if it is not given.
  IntRanges ranges(std::string_view name) const;

  Side side = Side::kOnly;  ///< of the rank that is being mapped
  /// Rows per group in tables with `others` rows; 0 = all.
  std::int64_t top = 0;
  bool strict = false;     ///< a verdict that cannot be trusted is a failure
  bool top_given = false;  ///< by the user, not by default
  /// Tables that will be printed; empty = all that are not per event.
  std::vector<std::string> tables;
  bool all_tables = false;  ///< --output-dir: also those with a row per event
  bool wants(std::string_view table) const;
  /// Whether a table with a row per event was asked for.
  bool wants_large(std::string_view table) const;
  std::vector<std::string> paths;  ///< as given by the user, for messages and suggested commands

 private:
  struct Value {
    std::int64_t integer = 0;
    std::string text;
    std::vector<std::string> list;
    IntRanges ranges;
  };
  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace hta::analysis
