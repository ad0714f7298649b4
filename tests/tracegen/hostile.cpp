#include "hostile.h"

#include <fmt/format.h>

namespace tracegen {
namespace {

// Shares of the events, in percent.
constexpr double kExponentPct = 5;
constexpr double kStringTsPct = 1;
constexpr double kMissingDurPct = 1;
constexpr double kNegativeDurPct = 0.1;
constexpr double kMissingArgsPct = 2;
constexpr double kRarePct = 0.5;
constexpr std::size_t kHugeBytes = 5'000'000;
constexpr std::uint64_t kHugeEvent = 10;

const std::string& deep_value() {
  constexpr int kDepth = 40;
  static const std::string kDeep = [] {
    std::string text;
    for (int i = 0; i < kDepth; ++i) text += i % 2 == 0 ? "{\"a\": " : "[1, ";
    text += "null";
    for (int i = kDepth; i-- > 0;) text += i % 2 == 0 ? "}" : "]";
    return text;
  }();
  return kDeep;
}

}  // namespace

Spoiler::Spoiler(const Options& options, int rank) : o_(options), draws_(options.seed, rank, 0) {}

void Spoiler::spoil(EventFields& event) {
  const Hostile& h = o_.hostile;
  const std::uint64_t index = events_++;
  const auto chosen = [&](Tag tag, double pct) { return draws_.chance(tag, index, pct); };
  Field* ts = event.find("ts");
  if (h.exponent_ts && ts != nullptr && chosen(Tag("exponent"), kExponentPct)) {
    // The same number to the nanosecond, written as a mantissa with all its digits.
    const std::string digits = fmt::format("{}", ts->number);
    exponent_ = fmt::format("{}.{}e{}", digits.substr(0, 1), digits.substr(1), static_cast<int>(digits.size()) - 4);
    ts->kind = Field::Kind::kJson;
    ts->text = exponent_;
  }
  if (h.string_ts && ts != nullptr && ts->kind == Field::Kind::kTime && chosen(Tag("string ts"), kStringTsPct)) {
    exponent_ = fmt::format("{}.{:03}", ts->number / 1000, ts->number % 1000);
    ts->kind = Field::Kind::kText;
    ts->text = exponent_;
  }
  if (Field* dur = event.find("dur"); dur != nullptr) {
    if (h.negative_dur && chosen(Tag("negative dur"), kNegativeDurPct)) dur->number = -dur->number - 1000;
    if (h.missing_dur && chosen(Tag("missing dur"), kMissingDurPct)) event.remove("dur");
  }
  if (Field* pid = event.find("pid"); h.string_pid && pid != nullptr && pid->kind == Field::Kind::kInt) {
    pid_ = fmt::format("{}", pid->number);
    pid->kind = Field::Kind::kText;
    pid->text = pid_;
  }
  if (h.missing_args && event.has_args() && chosen(Tag("missing args"), kMissingArgsPct)) event.drop_args();
  if (!event.has_args()) return;
  if (h.deep_arg && chosen(Tag("deep"), kRarePct)) event.json("Nested", deep_value());
  if (h.nul_escape && chosen(Tag("nul"), kRarePct)) event.text("Note", "before\\u0000after");
  if (h.lone_surrogate && chosen(Tag("surrogate"), kRarePct)) event.text("Label", "half \\ud83d of a pair");
  if (h.nan_tokens && chosen(Tag("nan"), kRarePct)) {
    event.json("Efficiency", "NaN").json("Limit", "Infinity").json("Floor", "-Infinity");
  }
  if (h.huge_arg && index == kHugeEvent) {
    huge_.assign(kHugeBytes, 'x');
    event.text("Blob", huge_);
  }
}

}  // namespace tracegen
