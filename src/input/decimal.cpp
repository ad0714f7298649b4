#include "hta/input/decimal.h"

#include <limits>

namespace hta::input {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// More digits than this behind the leading ones cannot matter: 19 decide an int64, the rest only whether a half is
// exact.
constexpr int kMaxExponent = 1'000'000;

}  // namespace

std::optional<std::int64_t> scaled_decimal(std::string_view text, int digits) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  const bool negative = !text.empty() && text.front() == '-';
  if (negative || (!text.empty() && text.front() == '+')) text.remove_prefix(1);

  // Split into mantissa digits with a decimal point, and exponent.
  std::size_t i = 0;
  std::int64_t point = 0;  // digits before the point
  bool seen_point = false;
  bool seen_digit = false;
  for (; i < text.size(); ++i) {
    if (is_digit(text[i])) {
      seen_digit = true;
      if (!seen_point) ++point;
    } else if (text[i] == '.' && !seen_point) {
      seen_point = true;
    } else {
      break;
    }
  }
  if (!seen_digit) return std::nullopt;
  const std::string_view mantissa = text.substr(0, i);
  std::int64_t exponent = 0;
  if (i < text.size()) {
    if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
    ++i;
    const bool minus = i < text.size() && text[i] == '-';
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    if (i == text.size()) return std::nullopt;
    for (; i < text.size(); ++i) {
      if (!is_digit(text[i])) return std::nullopt;
      if (exponent < kMaxExponent) exponent = exponent * 10 + (text[i] - '0');
    }
    if (minus) exponent = -exponent;
  }

  // Digits in front of this place are the integer part of the result, the others decide the rounding.
  const std::int64_t places = point + exponent + digits;
  Int128 value = 0;
  std::int64_t index = 0;
  int half = 0;  // sign of (rest - 1/2): compared digit by digit
  bool rest_started = false;
  bool rest_nonzero = false;
  const Int128 limit = Int128{std::numeric_limits<std::int64_t>::max()} + (negative ? 1 : 0);
  for (const char c : mantissa) {
    if (c == '.') continue;
    const int digit = c - '0';
    if (index < places) {
      value = value * 10 + digit;
      if (value > limit) return std::nullopt;
    } else if (index == places) {
      rest_started = true;
      half = digit > 5 ? 1 : digit < 5 ? -1 : 0;
      rest_nonzero = digit != 0;
    } else if (digit != 0) {
      if (half == 0 && rest_started) half = 1;
      rest_nonzero = true;
    }
    ++index;
  }
  for (; index < places; ++index) {
    if (value == 0) break;
    value *= 10;
    if (value > limit) return std::nullopt;
  }
  // With places < 0 the first digit dropped is not the tenth's one: the rest is below a half.
  if (places < 0) half = -1;
  if (rest_nonzero && (half > 0 || (half == 0 && rest_started && (value & 1) != 0))) ++value;
  if (value > limit) return std::nullopt;
  return static_cast<std::int64_t>(negative ? -value : value);
}

}  // namespace hta::input
