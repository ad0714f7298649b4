// Gate expressions: from text to Gate.

#include "hta/analysis/diff/gates.h"
#include "hta/base/text.h"

#include <algorithm>
#include <array>

namespace hta::analysis::diff {
namespace {

constexpr int kMostDigits = 18;
constexpr int kMostDecimals = 9;

std::size_t first_text(std::string_view text, std::size_t from) {
  return std::min(text.find_first_not_of(' ', from), text.size());
}

// Cuts an expression and says where it goes wrong.
class GateParser {
 public:
  GateParser(std::string_view text, GateScale scale) : text_(text), scale_(scale) {}

  Result<Gate> run() {
    gate_.text = std::string(text_);
    // Names of kernels may hold < and >, so the last one is the comparison.
    const std::size_t op = text_.find_last_of("<>");
    if (op == std::string_view::npos) return fail(text_.size(), "a comparison is missing: >, >=, < or <=, and a limit");
    if (Status status = metric(text_.substr(0, op)); !status) return status.error();
    const bool or_equal = text_.substr(op + 1).starts_with('=');
    using enum Gate::Operator;
    if (text_[op] == '>') gate_.comparison = or_equal ? kGreaterEqual : kGreater;
    else gate_.comparison = or_equal ? kLessEqual : kLess;
    gate_.limit = text_.substr(op, or_equal ? 2 : 1);
    if (Status status = limit(op + (or_equal ? 2 : 1)); !status) return status.error();
    return gate_;
  }

 private:
  Error fail(std::size_t at, std::string_view what) const {
    const auto is_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    const auto column = std::count_if(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), is_character) + 1;
    return {ErrorCode::kUsage,
            "",
            "gate '" + std::string(text_) + "', column " + std::to_string(column) + ": " + std::string(what),
            {}};
  }

  Status metric(std::string_view before) {
    const std::size_t begin = first_text(before, 0);
    const std::string_view word = before.substr(begin, before.find_last_not_of(' ') + 1 - begin);
    if (word.empty()) return fail(begin, "the metric is missing before the comparison");
    using Prefix = std::pair<std::string_view, Subject>;
    for (const auto& [prefix, subject] :
         {Prefix{"kernel:", Subject::kKernel}, Prefix{"op:", Subject::kOp}, Prefix{"count:", Subject::kCount}}) {
      if (!word.starts_with(prefix)) continue;
      gate_.subject = subject;
      gate_.glob = word.substr(first_text(word, prefix.size()));
      if (gate_.glob.empty()) return fail(begin + prefix.size(), "a name is missing; * matches every one");
      return {};
    }
    std::array<std::string_view, kMetrics> names;
    for (std::size_t m = 0; m < kMetrics; ++m) names[m] = metric_name(static_cast<Metric>(m));
    const auto at = std::find(names.begin(), names.end(), word);
    if (at != names.end()) {
      gate_.metric = static_cast<Metric>(at - names.begin());
      return {};
    }
    std::string message = "there is no metric '" + std::string(word) + "'";
    if (const auto guess = nearest(word, names)) return fail(begin, message + "; did you mean " + *guess + "?");
    message += "; there are kernel:NAME, op:NAME, count:NAME";
    for (const std::string_view name : names) message += ", " + std::string(name);
    return fail(begin, message);
  }

  Status limit(std::size_t at) {
    at = first_text(text_, at);
    const std::size_t number_at = at;
    const bool negative = at < text_.size() && text_[at] == '-';
    if (negative) ++at;
    std::string digits;
    bool point = false;
    for (; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == '.' && !point) {
        point = true;
      } else if (c >= '0' && c <= '9') {
        digits += c;
        gate_.decimals += point ? 1 : 0;
      } else {
        break;
      }
    }
    if (digits.empty()) return fail(number_at, "a number is missing after the comparison");
    if (digits.size() > kMostDigits || gate_.decimals > kMostDecimals)
      return fail(number_at, "the number has too many digits");
    gate_.number = *parse_integer(digits) * (negative ? -1 : 1);
    gate_.limit += text_.substr(number_at, at - number_at);
    return unit(at);
  }

  Status unit(std::size_t at) {
    at = first_text(text_, at);
    const std::string_view word = text_.substr(at, text_.find_last_not_of(' ') + 1 - at);
    gate_.limit += word;
    const bool counts = gate_.subject == Subject::kCount;
    if (word.empty()) {
      if (counts) return {};
      return fail(at, "a unit is missing: %, ns, us, ms or s");
    }
    if (word == "%") {
      if (counts && scale_ == GateScale::kValue)
        return fail(at, "calls have no share of the step time; give a plain number");
      gate_.unit = Gate::Unit::kPercent;
      return {};
    }
    using Named = std::pair<std::string_view, Nanos>;
    for (const auto& [name, nanos] :
         {Named{"ns", 1}, Named{"us", kNanosPerMicro}, Named{"ms", kNanosPerMilli}, Named{"s", kNanosPerSecond}}) {
      if (word != name) continue;
      if (counts) return fail(at, "calls are counted without a unit");
      gate_.unit = Gate::Unit::kTime;
      gate_.unit_ns = nanos;
      return {};
    }
    return fail(at, "'" + std::string(word) + "' is no unit; there are %, ns, us, ms and s");
  }

  std::string_view text_;
  GateScale scale_;
  Gate gate_;
};

}  // namespace

Result<Gate> parse_gate(std::string_view text, GateScale scale) {
  return GateParser(text, scale).run();
}

bool glob_matches(std::string_view pattern, std::string_view text) {
  // Greedy with one point to come back to: the last * can always take one more character.
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  const auto next_character = [&](std::size_t at) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    return at;
  };
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      t = next_character(t);
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace hta::analysis::diff
