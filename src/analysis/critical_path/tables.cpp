// The answer over all ranks: tables, and what a person reads first.

#include "hta/analysis/critical_path.h"
#include "hta/base/exact.h"
#include "hta/base/text.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "heading.h"
#include "options.h"
#include "overlay.h"
#include "path.h"

namespace hta::analysis {
namespace critical_path {
namespace {

using result::Bar;
using result::ColumnSpec;
using result::if_room;
using result::Presence;
using enum result::CellType;

constexpr std::array kPathColumns{
    ColumnSpec{"order", kInteger},   ColumnSpec{"rank", kRank},     ColumnSpec{"event", kText},
    if_room("category", kText),      if_room("start_us", kTime),    if_room("dur_us", kTime),
    ColumnSpec{"on_path_us", kTime}, ColumnSpec{"bound_by", kText}, if_room("path_start_us", kTime),
    ColumnSpec{"track", kText},      ColumnSpec{"link", kText},
};
constexpr std::array kSummaryColumns{
    ColumnSpec{"rank", kRank},      ColumnSpec{"bound_by", kText},
    ColumnSpec{"time_us", kTime},   ColumnSpec{"pct", kPercent, Presence::kAlways, Bar::kYes},
    ColumnSpec{"pieces", kInteger},
};
constexpr std::array kEventColumns{
    ColumnSpec{"rank", kRank},
    ColumnSpec{"event", kText},
    if_room("category", kText),
    ColumnSpec{"bound_by", kText},
    ColumnSpec{"count", kInteger},
    ColumnSpec{"on_path_us", kTime},
    ColumnSpec{"pct", kPercent, Presence::kAlways, Bar::kYes},
};
constexpr std::array kWindowColumns{
    ColumnSpec{"rank", kRank},   ColumnSpec{"window", kText},    ColumnSpec{"start_us", kTime},
    ColumnSpec{"end_us", kTime}, ColumnSpec{"window_us", kTime}, ColumnSpec{"pieces", kInteger},
    if_room("events", kInteger), if_room("switches", kInteger),  ColumnSpec{"unexplained_us", kTime},
};
constexpr std::array kSlackColumns{
    ColumnSpec{"rank", kRank},     ColumnSpec{"event", kText},        if_room("category", kText),
    ColumnSpec{"count", kInteger}, ColumnSpec{"min_slack_us", kTime}, ColumnSpec{"sum_us", kTime},
};
constexpr std::array kRanksColumns{
    ColumnSpec{"bound_by", kText}, ColumnSpec{"ranks", kInteger},
    ColumnSpec{"mean_us", kTime},  ColumnSpec{"pct", kPercent, Presence::kAlways, Bar::kYes},
    ColumnSpec{"min_us", kTime},   ColumnSpec{"min_rank", kInteger},
    ColumnSpec{"max_us", kTime},   ColumnSpec{"max_rank", kInteger},
};
constexpr std::array kTables{
    result::TableSpec{"critical_path", "The path, piece by piece in order of time", kPathColumns,
                      result::RowsPer::kEvent},
    result::TableSpec{"critical_path_summary", "What the window is bound by", kSummaryColumns},
    result::TableSpec{"critical_path_events", "Events on the path that take most of the window", kEventColumns},
    result::TableSpec{"critical_path_window", "The window of each rank", kWindowColumns},
    result::TableSpec{"critical_path_slack", "How much later events may end before the window does (with --slack)",
                      kSlackColumns},
    result::TableSpec{"critical_path_ranks", "What the windows are bound by, over all ranks", kRanksColumns},
};
constexpr std::array kOwnOptions{
    OptionSpec{"slack", OptionKind::kFlag, "", "", "how much later each event may end before the window does", ""},
    OptionSpec{"overlay", OptionKind::kText, "", "FILE", "write the trace of the rank with the path marked in it", ""},
    OptionSpec{"only-critical", OptionKind::kFlag, "", "", "with --overlay: leave out events that are not on the path",
               ""},
};
constexpr auto kOptions = joined(kWindowOptions, kOwnOptions);

Needs needs(const Options& options) {
  Needs needs = needs_of_path();
  needs.annotations = options.flag("only-critical");
  return needs;
}

Status check(const Options& options) {
  if (options.flag("only-critical") && !options.has("overlay")) {
    return Error{
        ErrorCode::kUsage, "", "--only-critical reduces what --overlay writes; give --overlay FILE with it", {}};
  }
  return check_path_options(options);
}

result::Cell text_or_null(std::string_view text) {
  return text.empty() ? result::Cell(std::nullopt) : result::Cell(text);
}

void add_path(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  if (!options.wants_large("critical_path")) return;
  result::Table table(kTables[0]);
  for (const auto& [context, partial] : ranks) {
    const Nanos shift_ns = context.shift_ns;
    std::int64_t order = 0;
    for (const PathRow& row : partial.path) {
      const bool named = row.event.has_value();
      std::optional<std::int64_t> start_ns;
      std::optional<std::int64_t> dur_ns;
      if (named) {
        start_ns = row.event_time.begin + shift_ns;
        dur_ns = row.event_time.length();
      }
      table.add({++order, context.rank, named ? result::Cell(*row.event) : result::Cell(std::nullopt),
                 text_or_null(row.category), start_ns, dur_ns, row.time.length(), bound_name(row.bound),
                 row.time.begin + shift_ns, text_or_null(row.track), link_name(row.link)});
    }
  }
  document.tables.push_back(std::move(table));
}

void add_summary(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[1]);
  for (const auto& [context, partial] : ranks) {
    for (const Bound bound : largest_first(partial)) {
      const BoundTime& time = partial.bounds[static_cast<std::size_t>(bound)];
      table.add(
          {context.rank, bound_name(bound), time.time_ns, percent(time.time_ns, partial.time.length()), time.pieces});
    }
  }
  document.tables.push_back(std::move(table));
}

bool event_before(const EventTime& a, const EventTime& b) {
  if (a.time_ns != b.time_ns) return a.time_ns > b.time_ns;
  return std::tuple(std::string_view(a.event), std::string_view(a.category), bound_name(a.bound)) <
         std::tuple(std::string_view(b.event), std::string_view(b.category), bound_name(b.bound));
}

void add_events(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  result::Table table(kTables[2]);
  for (const auto& [context, partial] : ranks) {
    const Nanos window_ns = partial.time.length();
    BoundTime others;
    std::int64_t shown = 0;
    for (const EventTime& event : partial.event_times) {
      if (options.top != 0 && shown++ >= options.top) {
        others.time_ns += event.time_ns;
        others.pieces += event.pieces;
        continue;
      }
      table.add({context.rank, text_or_null(event.event), text_or_null(event.category), bound_name(event.bound),
                 event.pieces, event.time_ns, percent(event.time_ns, window_ns)});
    }
    if (others.pieces == 0) continue;
    table.add({context.rank, "others", std::nullopt, std::nullopt, others.pieces, others.time_ns,
               percent(others.time_ns, window_ns)});
  }
  document.tables.push_back(std::move(table));
}

void add_windows(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[3]);
  for (const auto& [context, partial] : ranks) {
    if (partial.error) continue;
    table.add({context.rank, partial.window, partial.time.begin + context.shift_ns, partial.time.end + context.shift_ns,
               partial.time.length(), partial.pieces, partial.events, partial.switches,
               partial.bounds[static_cast<std::size_t>(Bound::kUnexplained)].time_ns});
  }
  document.tables.push_back(std::move(table));
}

void add_slack(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  if (!options.flag("slack") && !options.wants_large("critical_path_slack")) return;
  result::Table table(kTables[4]);
  for (const auto& [context, partial] : ranks) {
    std::sort(partial.slack.begin(), partial.slack.end(), [](const SlackRow& a, const SlackRow& b) {
      return std::tie(a.min_slack_ns, b.sum_ns, a.event, a.category) <
             std::tie(b.min_slack_ns, a.sum_ns, b.event, b.category);
    });
    for (const SlackRow& row : partial.slack) {
      table.add({context.rank, row.event, text_or_null(row.category), row.count, row.min_slack_ns, row.sum_ns});
    }
    if (partial.dropped_edges > 0) {
      document.note("dependencies-dropped",
                    "rank " + std::to_string(context.rank.rank()) + ": " + dropped_edges_text(partial.dropped_edges));
    }
  }
  document.tables.push_back(std::move(table));
}

void add_ranks(std::span<Ranked<Partial>> ranks, result::Document& document) {
  struct OverRanks {
    Bound bound;
    std::int64_t ranks = 0;
    Nanos sum_ns = 0;
    std::pair<Nanos, std::int64_t> low{INT64_MAX, 0};
    std::pair<Nanos, std::int64_t> high{INT64_MIN, 0};
  };
  std::vector<OverRanks> rows;
  std::int64_t windows = 0;
  Nanos windows_ns = 0;
  for (const auto& [context, partial] : ranks) {
    if (!partial.error) ++windows;
    windows_ns += partial.time.length();
  }
  for (std::size_t i = 0; i < kBounds; ++i) {
    OverRanks row{static_cast<Bound>(i)};
    for (const auto& [context, partial] : ranks) {
      if (partial.error) continue;
      const Nanos time_ns = partial.bounds[i].time_ns;
      row.sum_ns += time_ns;
      if (partial.bounds[i].pieces > 0) ++row.ranks;
      if (time_ns < row.low.first) row.low = {time_ns, context.rank.rank()};
      if (time_ns > row.high.first) row.high = {time_ns, context.rank.rank()};
    }
    if (row.ranks > 0) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(), [](const OverRanks& a, const OverRanks& b) {
    return a.sum_ns != b.sum_ns ? a.sum_ns > b.sum_ns : bound_name(a.bound) < bound_name(b.bound);
  });
  result::Table table(kTables[5]);
  for (const OverRanks& row : rows) {
    table.add({bound_name(row.bound), row.ranks, divide_half_even(row.sum_ns, windows), percent(row.sum_ns, windows_ns),
               row.low.first, row.low.second, row.high.first, row.high.second});
  }
  document.tables.push_back(std::move(table));
}

Status add_overlay(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  if (!options.has("overlay")) return {};
  if (ranks.size() > 1) {
    return Error{ErrorCode::kUsage, "", "--overlay writes the trace of one rank; choose it with --rank N", {}};
  }
  auto& [context, partial] = ranks.front();
  result::Overlay overlay;
  overlay.source_path = context.path;
  overlay.target_path = options.text("overlay");
  overlay.damaged = result::DamagedInput::kRefuse;
  overlay.elements = overlay_track(context);
  std::move(partial.overlay.tracks.begin(), partial.overlay.tracks.end(), std::back_inserter(overlay.elements));
  overlay.keep_positions = std::move(partial.overlay.keep_positions);
  document.overlays.push_back(std::move(overlay));
  return {};
}

// Ranks without the window are no failure as long as one has it.
Status check_windows(std::span<Ranked<Partial>> ranks, result::Document& document) {
  const auto bare = [](const Ranked<Partial>& rank) { return rank.partial.error.has_value(); };
  if (std::all_of(ranks.begin(), ranks.end(), bare)) {
    Error error = *ranks.front().partial.error;
    error.path = ranks.front().context.path;
    return error;
  }
  for (const auto& [context, partial] : ranks) {
    if (partial.error)
      document.note("no-window", "rank " + std::to_string(context.rank.rank()) + ": " + partial.error->message);
  }
  return {};
}

}  // namespace

Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  if (Status status = check_windows(ranks, document); !status) return status;
  for (const auto& [context, partial] : ranks) {
    std::sort(partial.event_times.begin(), partial.event_times.end(), event_before);
  }
  add_heading(ranks, document);
  add_path(ranks, options, document);
  add_summary(ranks, document);
  add_events(ranks, options, document);
  add_windows(ranks, document);
  add_slack(ranks, options, document);
  if (ranks.size() > 1) add_ranks(ranks, document);
  document.shown = {"critical_path_summary", "critical_path_events", "critical_path_window"};
  // With many ranks the parts of each are too much to read; --rank N or --table shows them.
  if (ranks.size() > 1) document.shown = {"critical_path_ranks", "critical_path_window"};
  if (options.flag("slack")) document.shown.push_back("critical_path_slack");
  return add_overlay(ranks, options, document);
}

}  // namespace critical_path

constexpr AnalysisSpec kCriticalPath = [] {
  AnalysisSpec spec = make_spec<critical_path::Partial, &critical_path::map, &critical_path::combine>(
      "critical-path", "which chain of events bounds the step?",
      "Starts where the work of the window was done and walks back in time. At every moment it stands on one event; "
      "when "
      "that event could not have started earlier, it moves on to what held it back: the launch call, the event before "
      "on "
      "the stream, an awaited event of another stream, a GPU event that a host call waited for, another thread. Every "
      "nanosecond of the window goes to one event or one named gap, so the parts sum to the window. Without a choice "
      "the "
      "window is the middle step, from the moment the work of the step before was done until its own was; without "
      "steps "
      "it is the whole trace. Every rank is explained on its own.",
      critical_path::kTables, critical_path::kOptions, &critical_path::needs);
  spec.validate = &critical_path::check;
  spec.needs_clock = &critical_path::needs_clock;
  return spec;
}();

}  // namespace hta::analysis
