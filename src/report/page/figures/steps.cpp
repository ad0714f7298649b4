#include "hta/base/exact.h"
#include "hta/base/human.h"

#include <algorithm>
#include <map>
#include <set>

#include "../figures.h"
#include "parts.h"

namespace hta::report::page {
namespace {

using result::CellType;
using result::Table;

// For each step number the shortest, the median and the longest duration over the ranks; of one rank its durations.
std::vector<Lines::Line> over_ranks(const Rows& rows) {
  std::map<std::int64_t, std::vector<std::int64_t>> durations;
  std::set<std::int64_t> ranks;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    durations[rows.number(row, 1)].push_back(rows.number(row, 2));
    ranks.insert(rows.number(row, 0));
  }
  if (ranks.size() == 1) {
    Lines::Line line{"duration", Tone::kAccent, {}};
    for (const auto& [step, of_step] : durations) line.points.emplace_back(step, of_step.front());
    return {std::move(line)};
  }
  std::vector<Lines::Line> lines{
      {"longest rank", Tone::kSecond, {}}, {"median rank", Tone::kFirst, {}}, {"shortest rank", Tone::kThird, {}}};
  for (auto& [step, of_step] : durations) {
    std::sort(of_step.begin(), of_step.end());
    lines[0].points.emplace_back(step, of_step.back());
    lines[1].points.emplace_back(step, *quantile(of_step, 1, 2));
    lines[2].points.emplace_back(step, of_step.front());
  }
  return lines;
}

// Steps that stand out, each once: on the rank where it is longest.
std::vector<Lines::Mark> outliers(const Rows& rows) {
  std::map<std::int64_t, std::size_t> worst;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.number(row, 3) == 0) continue;
    const auto [at, fresh] = worst.try_emplace(rows.number(row, 1), row);
    if (!fresh && rows.number(row, 2) > rows.number(at->second, 2)) at->second = row;
  }
  std::vector<Lines::Mark> marks;
  for (const auto& [step, row] : worst) {
    marks.push_back({step, rows.number(row, 2),
                     "Step " + std::to_string(step) + " stands out: " + human_time(rows.number(row, 2)) + " on rank " +
                         rank_label(rows.number(row, 0))});
  }
  return marks;
}

// One step number only: its duration by rank.
Bars one_step(const Rows& rows) {
  Bars bars;
  bars.label_title = "rank";
  bars.series = {{"", Tone::kAccent, {}}};
  for (std::size_t row = 0; row < rows.size(); ++row) {
    bars.labels.push_back(rank_label(rows.number(row, 0)));
    bars.series[0].values.emplace_back(rows.number(row, 2));
  }
  return bars;
}

bool several_steps(const Rows& rows) {
  for (std::size_t row = 1; row < rows.size(); ++row) {
    if (rows.number(row, 1) != rows.number(0, 1)) return true;
  }
  return false;
}

Figure step_times(const Answers& answers, const Table& table) {
  Figure figure;
  figure.id = "step-times";
  figure.title = "Duration of each step";
  figure.caption = first_sentence(answers, "steps");
  figure.how =
      "A step is the window of its ProfilerStep events. It stands out if its duration is over 3.5 robust deviations "
      "(1.4826 times the median absolute deviation), and over 5 %, away from the median of the rank; such steps have "
      "a larger dot.";
  const Rows rows(table, {"rank", "step", "dur_us", "outlier"});
  figure.excerpt = {&table, "steps --table steps"};
  if (!several_steps(rows)) {
    Bars bars = one_step(rows);
    figure.caption += keep_unusual(bars, "rank");
    figure.plot = std::move(bars);
    return figure;
  }
  Lines lines;
  lines.shape = Lines::Shape::kPoints;
  lines.x_unit = CellType::kInteger;
  lines.y_unit = CellType::kTime;
  lines.x_title = "step";
  lines.lines = over_ranks(rows);
  lines.marks = outliers(rows);
  figure.plot = std::move(lines);
  return figure;
}

Tone tone_of(std::string_view shows) {
  if (shows == "compute") return Tone::kCompute;
  if (shows == "communication") return Tone::kCommunication;
  if (shows == "memory") return Tone::kMemory;
  if (shows == "idle") return Tone::kIdle;
  return Tone::kOther;
}

std::map<std::int64_t, std::int64_t> clock_offsets(const Answers& answers) {
  std::map<std::int64_t, std::int64_t> out;
  if (const Table* table = answers.table("stragglers", "clocks")) {
    const Rows rows(*table, {"rank", "offset_us"});
    for (std::size_t row = 0; row < rows.size(); ++row) out[rows.number(row, 0)] = rows.number(row, 1);
  }
  return out;
}

// Ranks to show: those that the others wait for, then evenly from the rest.
std::vector<std::int64_t> ranks_to_show(const Answers& answers, const std::vector<std::int64_t>& all,
                                        std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<std::int64_t> chosen;
  if (const Table* table = answers.table("stragglers", "stragglers")) {
    const Rows rows(*table, {"rank", "verdict"});
    for (std::size_t row = 0; row < rows.size() && chosen.size() < most / 2; ++row) {
      if (rows.text(row, 1) != "none") chosen.push_back(rows.number(row, 0));
    }
  }
  const std::size_t step = all.size() / (most - chosen.size()) + 1;
  for (std::size_t i = 0; i < all.size() && chosen.size() < most; i += step) {
    if (std::find(chosen.begin(), chosen.end(), all[i]) == chosen.end()) chosen.push_back(all[i]);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// How long the ranks with most and with least computation compute.
std::string computing_longest(const Rows& rows) {
  std::map<std::int64_t, Nanos> compute;
  for (std::size_t row = 0; row < rows.size(); ++row)
    compute[rows.number(row, 0)] += rows.text(row, 4) == "compute" ? rows.number(row, 3) : 0;
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [least, most] = std::minmax_element(compute.begin(), compute.end(), less);
  const std::string longest = "Rank " + rank_label(most->first);
  if (least == most) return longest + " computes for about " + human_time(most->second) + ".";
  return longest + " computes longest, about " + human_time(most->second) + ", rank " + rank_label(least->first) +
         " shortest, about " + human_time(least->second) + ".";
}

Figure strips(const Answers& answers, const Table& table) {
  constexpr std::size_t kMostRanks = 16;
  Figure figure;
  figure.id = "step-of-ranks";
  const Rows rows(table, {"rank", "step", "start_us", "dur_us", "shows"});
  const bool stepped = rows.size() > 0 && !rows.null(0, 1);
  figure.title = stepped ? "What the GPUs do in step " + std::to_string(rows.number(0, 1)) : "What the GPUs do";
  figure.how =
      "The step in the middle of those recorded (or the whole trace), cut into 240 slices; each slice shows what "
      "takes most of it: computation, communication that nothing hides, copies, or nothing. Clocks of the ranks are "
      "brought together by their collectives where that works.";
  const auto offsets = clock_offsets(answers);
  std::vector<std::int64_t> ranks;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (ranks.empty() || ranks.back() != rows.number(row, 0)) ranks.push_back(rows.number(row, 0));
  }
  const std::vector<std::int64_t> shown = ranks_to_show(answers, ranks, kMostRanks);
  Tracks tracks;
  for (const std::int64_t rank : shown) tracks.tracks.push_back("rank " + rank_label(rank));
  tracks.names = {"compute", "communication", "memory", "idle"};
  bool any = false;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto at = std::find(shown.begin(), shown.end(), rows.number(row, 0));
    if (at == shown.end()) continue;
    const auto offset = offsets.find(*at);
    const Nanos begin = rows.number(row, 2) - (offset == offsets.end() ? 0 : offset->second);
    const Interval time{begin, begin + rows.number(row, 3)};
    const auto name = std::find(tracks.names.begin(), tracks.names.end(), rows.text(row, 4)) - tracks.names.begin();
    tracks.items.push_back({static_cast<std::uint32_t>(at - shown.begin()), static_cast<std::uint32_t>(name),
                            tone_of(rows.text(row, 4)), time});
    tracks.window =
        any ? Interval{std::min(tracks.window.begin, time.begin), std::max(tracks.window.end, time.end)} : time;
    any = true;
  }
  figure.caption = computing_longest(rows) + " The axis covers " + human_time(tracks.window.length()) + ".";
  if (shown.size() < ranks.size())
    figure.caption += " " + std::to_string(shown.size()) + " of " +
                      counted(static_cast<std::int64_t>(ranks.size()), "rank") +
                      " are shown, those that others wait for among them.";
  figure.plot = std::move(tracks);
  figure.excerpt = {&table, "timeline --table step_strips"};
  return figure;
}

}  // namespace

std::vector<Figure> step_figures(const Answers& answers) {
  std::vector<Figure> out;
  const Table* steps = answers.table("steps", "steps");
  if (steps != nullptr && steps->rows() > 0) out.push_back(step_times(answers, *steps));
  else
    out.push_back(missing(
        "step-times", "Duration of each step",
        "The traces hold no ProfilerStep: call profiler.step() after each step (with a schedule) to see steps."));
  return out;
}

std::optional<Figure> step_of_ranks(const Answers& answers) {
  const Table* table = answers.table("timeline", "step_strips");
  if (table == nullptr || table->rows() == 0) return std::nullopt;
  return strips(answers, *table);
}

}  // namespace hta::report::page
