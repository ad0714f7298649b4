#include "hta/base/human.h"

#include <algorithm>
#include <array>
#include <map>

#include "../figures.h"
#include "../markup.h"
#include "parts.h"

namespace hta::report::page {
namespace {

using result::CellType;
using result::Table;

constexpr std::size_t kSlices = 400;  // of a strip

// Kinds of time on the path, in words and colours; the sixteen of the table would be too many to tell apart.
Tone tone_of(std::string_view bound_by) {
  if (bound_by == "gpu_compute_bound") return Tone::kCompute;
  if (bound_by == "gpu_communication_bound") return Tone::kCommunication;
  if (bound_by == "gpu_memory_bound") return Tone::kMemory;
  if (bound_by == "gpu_other_bound") return Tone::kOther;
  if (bound_by == "launch_overhead" || bound_by == "kernel_gap" || bound_by == "stream_wait" ||
      bound_by == "unexplained")
    return Tone::kIdle;
  return Tone::kHost;
}

std::string in_words(std::string_view bound_by) {
  std::string words(bound_by);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

Figure bounds(const Answers& answers, const Table& table, std::string_view time_column, std::string command) {
  Figure figure;
  figure.id = "critical-path-bounds";
  figure.title = "What the critical path is bound by";
  figure.caption = first_sentence(answers, "critical-path");
  figure.how =
      "The chain of events that explains the window, walked backwards from its end: over launch calls, stream order, "
      "recorded waits and synchronising calls. Its pieces fill the window without gap or overlap, so the shares add "
      "up to 100 %.";
  const Rows rows(table, {"bound_by", time_column});
  Bars bars;
  bars.layout = Bars::Layout::kNamedRows;
  bars.series = {{"", Tone::kAccent, {}}};
  for (std::size_t row = 0; row < rows.size(); ++row) {
    bars.labels.push_back(in_words(rows.text(row, 0)));
    bars.series[0].values.emplace_back(rows.number(row, 1));
  }
  figure.plot = std::move(bars);
  figure.excerpt = {&table, std::move(command)};
  return figure;
}

struct Piece {
  Interval time;
  std::string_view event;
  std::string_view bound_by;
};

// The rank whose window is longest.
std::int64_t longest_rank(const Rows& rows) {
  std::map<std::int64_t, std::int64_t> sums;
  for (std::size_t row = 0; row < rows.size(); ++row) sums[rows.number(row, 0)] += rows.number(row, 2);
  return std::max_element(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

// Pieces as bars, few enough to draw: each of the slices shows the piece with most of it, and equal neighbours join.
void add_pieces(const std::vector<Piece>& pieces, Tracks& tracks) {
  std::map<std::string_view, std::uint32_t> names;
  auto next = pieces.begin();
  const Interval whole = tracks.window;
  for (std::size_t slice = 0; slice < kSlices; ++slice) {
    const auto border = [&](std::size_t i) {
      return whole.begin + static_cast<Nanos>(Int128{whole.length()} * static_cast<std::int64_t>(i) /
                                              static_cast<std::int64_t>(kSlices));
    };
    const Interval here{border(slice), border(slice + 1)};
    const Piece* most = nullptr;
    Nanos most_ns = 0;
    while (next != pieces.end() && next->time.end <= here.begin) ++next;
    for (auto piece = next; piece != pieces.end() && piece->time.begin < here.end; ++piece) {
      const Nanos inside =
          Interval{std::max(here.begin, piece->time.begin), std::min(here.end, piece->time.end)}.length();
      if (inside <= most_ns) continue;
      most = &*piece;
      most_ns = inside;
    }
    if (most == nullptr) continue;
    const std::string_view shown = most->event.empty() ? most->bound_by : most->event;
    const auto [name, fresh] = names.try_emplace(shown, static_cast<std::uint32_t>(tracks.names.size()));
    if (fresh) tracks.names.emplace_back(short_name(shown, 90));
    const std::uint32_t track = tone_of(most->bound_by) == Tone::kHost ? 1 : 0;
    const bool joins = !tracks.items.empty() && tracks.items.back().name == name->second &&
                       tracks.items.back().track == track && tracks.items.back().time.end == here.begin;
    if (joins) tracks.items.back().time.end = here.end;
    else tracks.items.push_back({track, name->second, tone_of(most->bound_by), here});
  }
}

Figure strip(const Table& table) {
  Figure figure;
  figure.id = "critical-path-strip";
  figure.how =
      "The path from left to right: on the upper track where it runs on a GPU or waits for one, on the lower where it "
      "runs on the host. Each of 400 slices shows the event that takes most of it.";
  const Rows rows(table, {"rank", "path_start_us", "on_path_us", "event", "bound_by"});
  const std::int64_t rank = longest_rank(rows);
  std::vector<Piece> pieces;
  std::size_t first_row = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.number(row, 0) != rank) continue;
    if (pieces.empty()) first_row = row;
    const Nanos begin = rows.number(row, 1);
    pieces.push_back({{begin, begin + rows.number(row, 2)}, rows.text(row, 3), rows.text(row, 4)});
  }
  figure.title = "Critical path of rank " + rank_label(rank);
  Tracks tracks;
  tracks.tracks = {"GPU", "host"};
  tracks.window = {pieces.front().time.begin, pieces.back().time.end};
  add_pieces(pieces, tracks);
  std::stable_sort(tracks.items.begin(), tracks.items.end(),
                   [](const Tracks::Item& a, const Tracks::Item& b) { return a.track < b.track; });
  figure.caption = "The path of the rank with the longest window goes through " +
                   counted(static_cast<std::int64_t>(pieces.size()), "piece") + " in " +
                   human_time(tracks.window.length()) + ".";
  figure.plot = std::move(tracks);
  figure.excerpt = {&table, "critical-path --table critical_path" + of_rank(rank), first_row,
                    first_row + pieces.size()};
  return figure;
}

}  // namespace

std::vector<Figure> critical_path_figures(const Answers& answers) {
  std::vector<Figure> out;
  const Table* ranks = answers.table("critical-path", "critical_path_ranks");
  const Table* summary = answers.table("critical-path", "critical_path_summary");
  if (ranks != nullptr && ranks->rows() > 0)
    out.push_back(bounds(answers, *ranks, "mean_us", "critical-path --table critical_path_ranks"));
  else if (summary != nullptr && summary->rows() > 0)
    out.push_back(bounds(answers, *summary, "time_us", "critical-path --table critical_path_summary"));
  if (const Table* path = answers.table("critical-path", "critical_path"); path != nullptr && path->rows() > 0)
    out.push_back(strip(*path));
  return out;
}

}  // namespace hta::report::page
