#include "hta/base/human.h"

#include <algorithm>
#include <array>
#include <map>

#include "../figures.h"
#include "../markup.h"
#include "parts.h"

namespace hta::report::page {
namespace {

using result::Table;

// Which place shows what a rule found, and what to say about it.
struct PlaceOfRule {
  std::string_view rule;
  std::string_view place;
  std::string_view words;
  std::string_view lead;  ///< to the event that it is about
};
constexpr std::string_view kRanks = "ranks";  // no place, but all ranks side by side
constexpr std::array kPlacesOfRules{
    PlaceOfRule{"straggler", kRanks, "", ""},
    PlaceOfRule{"uneven-compute", kRanks, "", ""},
    PlaceOfRule{"input-stall", "data_loading", "The longest wait for data", "while the host is in"},
    PlaceOfRule{"exposed-communication", "exposed_comm", "The longest exposed communication", "by"},
    PlaceOfRule{"low-overlap", "exposed_comm", "The longest exposed communication", "by"},
    PlaceOfRule{"host-bound", "host_wait", "The longest wait for the host", "while the host is in"},
    PlaceOfRule{"launch-bound", "kernel_gaps", "The stretch with most time in short gaps", "up to"},
    PlaceOfRule{"short-kernels", "kernel_gaps", "The stretch with most time in short gaps", "up to"},
    PlaceOfRule{"dependency-stall", "other_wait", "The longest wait for another stream", "in front of"},
    PlaceOfRule{"sync-calls", "synchronisation", "The longest wait in a synchronising call", "while the host is in"},
    PlaceOfRule{"allocator", "memory_allocation", "The longest wait for an allocation", "while the host is in"},
    PlaceOfRule{"compilation", "compilation", "The longest wait for compiling or loading code", "while the host is in"},
    PlaceOfRule{"optimizer", "optimizer", "The longest wait for the optimizer", "while the host is in"},
    PlaceOfRule{"one-long-gap", "host_wait", "The longest wait for the host", "while the host is in"},
    PlaceOfRule{"slow-link", "exposed_comm", "The longest exposed communication", "by"},
    PlaceOfRule{"exposed-copies", "exposed_copy", "The longest exposed copy", "by"},
    PlaceOfRule{"pageable-copies", "pageable_copy", "The longest pageable copy", "by"},
    PlaceOfRule{"outlier-steps", "long_step", "The step that lost most time by itself", ""},
};

Tone tone_of(std::string_view shows) {
  if (shows == "compute") return Tone::kCompute;
  if (shows == "communication") return Tone::kCommunication;
  if (shows == "memory") return Tone::kMemory;
  if (shows == "host") return Tone::kHost;
  return Tone::kOther;
}

// Rows of a place, which follow each other.
Excerpt events_of(const Table& events, std::string_view place) {
  const Rows rows(events, {"place"});
  Excerpt excerpt{&events, "timeline --table place_events"};
  while (excerpt.first_row < rows.size() && rows.text(excerpt.first_row, 0) != place) ++excerpt.first_row;
  excerpt.end_row = excerpt.first_row;
  while (excerpt.end_row < rows.size() && rows.text(excerpt.end_row, 0) == place) ++excerpt.end_row;
  return excerpt;
}

Tracks tracks_of(const Table& events, std::string_view place, Interval window, Interval marked) {
  const Rows rows(events, {"place", "track_number", "track", "start_us", "dur_us", "shows", "name"});
  Tracks tracks;
  tracks.window = window;
  tracks.marked = marked;
  std::map<std::string_view, std::uint32_t> names;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.text(row, 0) != place) continue;
    const auto track = static_cast<std::uint32_t>(rows.number(row, 1));
    if (tracks.tracks.size() <= track) tracks.tracks.resize(track + 1);
    tracks.tracks[track] = std::string(rows.text(row, 2));
    const auto [name, fresh] = names.try_emplace(rows.text(row, 6), static_cast<std::uint32_t>(tracks.names.size()));
    if (fresh) tracks.names.push_back(short_name(rows.text(row, 6), 120));
    const Interval time{rows.number(row, 3), rows.number(row, 3) + rows.number(row, 4)};
    tracks.items.push_back({track, name->second, tone_of(rows.text(row, 5)), time});
  }
  return tracks;
}

std::optional<Figure> window_figure(const Table& places, const Table& events, const PlaceOfRule& of) {
  const Rows rows(places,
                  {"place", "rank", "step", "start_us", "dur_us", "what", "window_start_us", "window_us", "left_out"});
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.text(row, 0) != of.place) continue;
    Figure figure;
    figure.id = "window-" + std::string(of.rule);
    figure.title = std::string(of.words);
    figure.caption = human_time(rows.number(row, 4)) + " on rank " + rank_label(rows.number(row, 1));
    if (!rows.null(row, 2)) figure.caption += " in step " + std::to_string(rows.number(row, 2));
    figure.caption += ", " + human_time(rows.number(row, 3)) + " after the start of the run";
    if (!rows.text(row, 5).empty())
      figure.caption += ", " + std::string(of.lead) + " " + short_name(rows.text(row, 5), 90);
    figure.caption += ".";
    if (rows.number(row, 8) > 0)
      figure.caption += " The " + counted(rows.number(row, 8), "shortest event") + " around it are left out.";
    const Interval window{rows.number(row, 6), rows.number(row, 6) + rows.number(row, 7)};
    const Interval marked{rows.number(row, 3), rows.number(row, 3) + rows.number(row, 4)};
    figure.plot = tracks_of(events, of.place, window, marked);
    if (!has_marks(*figure.plot)) break;
    figure.excerpt = events_of(events, of.place);
    figure.how =
        "Events of the rank around the place, which is shaded: host events of the launching thread by how they are "
        "nested, then GPU events by stream. The axis counts from the beginning of the window.";
    return figure;
  }
  return std::nullopt;
}

}  // namespace

std::vector<FindingFigures> place_figures(const PageInput& input, const Answers& answers) {
  std::vector<FindingFigures> out;
  const Table* places = answers.table("timeline", "places");
  const Table* events = answers.table("timeline", "place_events");
  if (places == nullptr || events == nullptr) return out;
  std::vector<std::string_view> drawn;  // places, and kRanks
  const auto add = [&](std::string_view place, std::string_view finding, std::optional<Figure> figure) {
    if (!figure) return;
    drawn.push_back(place);
    out.push_back({std::string(finding), {std::move(*figure)}});
  };
  for (const result::Finding& finding : input.summary->findings) {
    const auto of = std::find_if(kPlacesOfRules.begin(), kPlacesOfRules.end(),
                                 [&](const PlaceOfRule& p) { return p.rule == finding.id; });
    if (of == kPlacesOfRules.end() || std::find(drawn.begin(), drawn.end(), of->place) != drawn.end()) continue;
    add(of->place, finding.id, of->place == kRanks ? step_of_ranks(answers) : window_figure(*places, *events, *of));
  }
  return out;
}

}  // namespace hta::report::page
