#include "chart.h"

#include <algorithm>
#include <array>

namespace hta::report::page {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

std::string_view tone_meaning(Tone tone) {
  switch (tone) {
    case Tone::kCompute: return "computation";
    case Tone::kCommunication: return "communication";
    case Tone::kMemory: return "copies and memsets";
    case Tone::kIdle: return "idle";
    case Tone::kHost: return "host";
    default: return "other";
  }
}

std::vector<LegendEntry> tones_of(const Tracks& tracks) {
  std::array<bool, 12> used{};
  for (const Tracks::Item& item : tracks.items) used[static_cast<std::size_t>(item.tone)] = true;
  std::vector<LegendEntry> out;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) out.push_back({std::string(tone_meaning(static_cast<Tone>(i))), static_cast<Tone>(i)});
  }
  return out;
}

template <class Named>
std::vector<LegendEntry> entries_of(const std::vector<Named>& series) {
  std::vector<LegendEntry> out;
  for (const Named& one : series) {
    if (!one.name.empty()) out.push_back({one.name, one.tone});
  }
  return out;
}

bool any_value(const std::vector<Value>& values) {
  return std::any_of(values.begin(), values.end(), [](const Value& v) { return v && *v != 0; });
}

}  // namespace

std::string_view tone_name(Tone tone) {
  constexpr std::array<std::string_view, 12> kNames{"compute", "comm",    "memory", "other",  "idle",  "host",
                                                    "accent",  "warning", "first",  "second", "third", "fourth"};
  return kNames[static_cast<std::size_t>(tone)];
}

Tone series_tone(std::size_t index) {
  constexpr std::array kTones{Tone::kFirst, Tone::kSecond, Tone::kThird, Tone::kFourth, Tone::kHost, Tone::kWarning};
  return kTones[index % kTones.size()];
}

std::vector<LegendEntry> legend_of(const Plot& plot) {
  return std::visit(Overloaded{[](const Bars& bars) { return entries_of(bars.series); },
                               [](const Lines& lines) { return entries_of(lines.lines); },
                               [](const Heat&) { return std::vector<LegendEntry>(); },
                               [](const Tracks& tracks) { return tones_of(tracks); }},
                    plot);
}

bool has_marks(const Plot& plot) {
  return std::visit(Overloaded{[](const Bars& bars) {
                                 return std::any_of(bars.series.begin(), bars.series.end(),
                                                    [](const Series& series) { return any_value(series.values); });
                               },
                               [](const Lines& lines) {
                                 return std::any_of(lines.lines.begin(), lines.lines.end(),
                                                    [](const Lines::Line& line) { return !line.points.empty(); });
                               },
                               [](const Heat& heat) { return any_value(heat.values); },
                               [](const Tracks& tracks) { return !tracks.items.empty(); }},
                    plot);
}

}  // namespace hta::report::page
