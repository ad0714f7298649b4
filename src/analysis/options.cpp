#include "hta/analysis/options.h"

#include "hta/base/text.h"

#include <algorithm>
#include <cmath>

namespace hta::analysis {
namespace {

// Decimal text times 10^digits; options are short, so plain digits suffice.
std::optional<std::int64_t> scaled(std::string_view text, int digits) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  std::string whole(text.substr(0, point));
  std::string fraction(point == std::string_view::npos ? "" : text.substr(point + 1));
  if (whole.empty() && fraction.empty()) return std::nullopt;
  if (fraction.size() > static_cast<std::size_t>(digits)) return std::nullopt;
  fraction.resize(static_cast<std::size_t>(digits), '0');
  const auto value = parse_integer(whole + fraction);
  if (!value || whole.starts_with('-')) return std::nullopt;
  return negative ? -*value : *value;
}

}  // namespace

bool OptionSpec::is_choice(std::string_view text) const {
  std::string_view rest = choices;
  while (true) {
    const std::size_t bar = rest.find('|');
    if (rest.substr(0, bar) == text) return true;
    if (bar == std::string_view::npos) return false;
    rest.remove_prefix(bar + 1);
  }
}

Status Options::set(const OptionSpec& spec, std::string_view text) {
  Value& value = values_[std::string(spec.name)];
  const auto fail = [&](std::string_view wanted) {
    return Error{ErrorCode::kUsage,
                 "",
                 "--" + std::string(spec.name) + ": '" + std::string(text) + "' is no " + std::string(wanted),
                 {}};
  };
  switch (spec.kind) {
    case OptionKind::kFlag: value.integer = 1; break;
    case OptionKind::kInteger: {
      const auto number = parse_integer(text);
      if (!number) return fail("integer");
      value.integer = *number;
      break;
    }
    case OptionKind::kTime: {
      const auto number = scaled(text, 3);
      if (!number) return fail("time in microseconds (at most three decimals)");
      value.integer = *number;
      break;
    }
    case OptionKind::kDecimal: {
      const auto number = scaled(text, 6);
      if (!number) return fail("decimal number");
      value.integer = *number;
      break;
    }
    case OptionKind::kChoice:
      if (!spec.is_choice(text)) return fail("choice; there are " + std::string(spec.choices));
      break;
    case OptionKind::kRanges: {
      auto ranges = IntRanges::parse(text);
      if (!ranges)
        return Error{ErrorCode::kUsage, "", "--" + std::string(spec.name) + ": " + ranges.error().message, {}};
      value.ranges = std::move(ranges).value();
      break;
    }
    case OptionKind::kText:
    case OptionKind::kChoiceOrFile: break;
    case OptionKind::kTextList: value.list.emplace_back(text); break;
  }
  value.text = std::string(text);
  return {};
}

bool Options::flag(std::string_view name) const {
  return integer(name) != 0;
}

std::int64_t Options::integer(std::string_view name) const {
  const auto at = values_.find(name);
  return at == values_.end() ? 0 : at->second.integer;
}

std::string Options::text(std::string_view name) const {
  const auto at = values_.find(name);
  return at == values_.end() ? std::string() : at->second.text;
}

std::vector<std::string> Options::texts(std::string_view name) const {
  const auto at = values_.find(name);
  return at == values_.end() ? std::vector<std::string>() : at->second.list;
}

IntRanges Options::ranges(std::string_view name) const {
  const auto at = values_.find(name);
  return at == values_.end() ? IntRanges() : at->second.ranges;
}

bool Options::wants(std::string_view table) const {
  return all_tables || tables.empty() || std::find(tables.begin(), tables.end(), table) != tables.end();
}

bool Options::wants_large(std::string_view table) const {
  return all_tables || std::find(tables.begin(), tables.end(), table) != tables.end();
}

}  // namespace hta::analysis
