#include "hta/analysis/options.h"

#include <algorithm>
#include <vector>

#include "clocks.h"

namespace hta::analysis::comm {
namespace {

std::vector<std::string> fields_of(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string> out;
  while (true) {
    const std::size_t comma = line.find(',');
    out.emplace_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return out;
    line.remove_prefix(comma + 1);
  }
}

// Numbers are read as those of options are.
std::optional<std::int64_t> number(OptionKind kind, const std::string& text) {
  Options options;
  OptionSpec spec;
  spec.name = "value";
  spec.kind = kind;
  if (!options.set(spec, text)) return std::nullopt;
  return options.integer("value");
}

Error fault(std::size_t line, std::string_view what) {
  return {ErrorCode::kUsage, "", "--clock: line " + std::to_string(line) + " " + std::string(what), {}};
}

}  // namespace

Result<ClockWish> parse_clock_wish(const std::string& text) {
  ClockWish wish;
  if (text == "auto") return wish;
  wish.use = text == "none" ? ClockWish::Use::kNone : ClockWish::Use::kGiven;
  if (text == "none") return wish;
  std::string_view rest = text;
  std::vector<std::string> names;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = rest.find('\n');
    const std::vector<std::string> fields = fields_of(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (names.empty()) {
      names = fields;
      continue;
    }
    if (fields == std::vector<std::string>{""}) continue;
    const auto field = [&](std::string_view name) {
      const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
      return at < fields.size() ? fields[at] : std::string();
    };
    const auto rank = number(OptionKind::kInteger, field("rank"));
    const auto offset_ns = number(OptionKind::kTime, field("offset_us"));
    if (!rank || !offset_ns) return fault(line, "has no rank and offset_us; write a CSV table with these columns");
    RankClock& clock = wish.given[*rank];
    clock.ahead_ns = *offset_ns;
    clock.method = ClockMethod::kGiven;
    if (field("drift_ppm").empty()) continue;
    const auto drift = number(OptionKind::kDecimal, field("drift_ppm"));
    if (!drift) return fault(line, "has a drift_ppm that is no number");
    clock.drift_ppb = *drift / 1000;
  }
  if (wish.given.empty())
    return fault(1, "should name the columns rank and offset_us, with a line for every rank below");
  return wish;
}

Status check_clock_option(const Options& options) {
  const Result<ClockWish> wish = parse_clock_wish(options.text("clock"));
  return wish ? Status() : Status(wish.error());
}

}  // namespace hta::analysis::comm
