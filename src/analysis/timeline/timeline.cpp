#include "hta/analysis/timeline.h"

#include "hta/analysis/counter_series.h"
#include "hta/base/exact.h"
#include "hta/base/human.h"

#include <algorithm>
#include <array>

namespace hta::analysis {
namespace timeline {
namespace {

using result::ColumnSpec;
using enum result::CellType;
using result::if_room;
using result::RowsPer;

constexpr std::array kPlaceColumns{
    ColumnSpec{"place", kText},   ColumnSpec{"rank", kRank},         ColumnSpec{"device", kInteger},
    ColumnSpec{"step", kInteger}, ColumnSpec{"start_us", kTime},     ColumnSpec{"dur_us", kTime},
    ColumnSpec{"what", kText},    if_room("window_start_us", kTime), if_room("window_us", kTime),
    if_room("events", kInteger),  if_room("left_out", kInteger),
};
constexpr std::array kEventColumns{
    ColumnSpec{"place", kText},    ColumnSpec{"track_number", kInteger}, ColumnSpec{"track", kText},
    ColumnSpec{"start_us", kTime}, ColumnSpec{"dur_us", kTime},          ColumnSpec{"shows", kText},
    ColumnSpec{"name", kText},
};
constexpr std::array kStripColumns{
    ColumnSpec{"rank", kRank},   ColumnSpec{"step", kInteger}, ColumnSpec{"start_us", kTime},
    ColumnSpec{"dur_us", kTime}, ColumnSpec{"shows", kText},
};
constexpr std::array kActivityColumns{
    ColumnSpec{"rank", kRank},
    ColumnSpec{"start_us", kTime},
    ColumnSpec{"dur_us", kTime},
    ColumnSpec{"compute_pct", kPercent},
    ColumnSpec{"exposed_comm_pct", kPercent},
    ColumnSpec{"exposed_memory_pct", kPercent},
};
constexpr std::array kQueueColumns{
    ColumnSpec{"rank", kRank},  ColumnSpec{"device", kInteger},       ColumnSpec{"stream", kInteger},
    ColumnSpec{"ts_us", kTime}, ColumnSpec{"queue_length", kInteger},
};
constexpr std::array kCopyColumns{
    ColumnSpec{"rank", kRank},  ColumnSpec{"device", kInteger}, ColumnSpec{"name", kText},
    ColumnSpec{"ts_us", kTime}, ColumnSpec{"gbps", kRate},
};
constexpr std::array kMemoryColumns{
    ColumnSpec{"rank", kRank},  ColumnSpec{"device", kInteger}, ColumnSpec{"total", kText},
    ColumnSpec{"ts_us", kTime}, ColumnSpec{"bytes", kBytes},
};
constexpr std::array kTables{
    result::TableSpec{"places", "The worst place of each kind, over all ranks", kPlaceColumns},
    result::TableSpec{"place_events", "What happens around these places", kEventColumns, RowsPer::kEvent},
    result::TableSpec{"step_strips", "The middle step, or the whole trace, of each rank by what runs", kStripColumns,
                      RowsPer::kEvent},
    result::TableSpec{"activity", "Shares of slices of the time of each rank", kActivityColumns, RowsPer::kEvent},
    result::TableSpec{"queue_over_time", "Launch queues over time, the largest length of each slice", kQueueColumns,
                      RowsPer::kEvent},
    result::TableSpec{"copies_over_time", "Copy bandwidth over time, the mean of each slice", kCopyColumns,
                      RowsPer::kEvent},
    result::TableSpec{"memory_over_time", "Allocated and reserved memory over time, the largest of each slice",
                      kMemoryColumns, RowsPer::kEvent},
};
constexpr std::array kOptions{
    OptionSpec{"kernel-gap", OptionKind::kTime, "30", "US",
               "a gap shorter than this, after a launch in time, is one between kernels", ""},
    OptionSpec{"events", OptionKind::kInteger, "160", "N",
               "events around a place, on the GPUs and on the host each; the longest are kept", ""},
};

constexpr std::int64_t kBytesPerRate = 1000;  // 10^-6 GB/s in bytes per second

Needs needs(const Options&) {
  Needs needs;
  needs.host_events = true;
  needs.call_tree = true;
  needs.memory_events = true;
  needs.gpu_args |= bandwidth_args();
  return needs;
}

Status validate(const Options& options) {
  if (options.integer("events") < 1) return Error{ErrorCode::kUsage, "", "--events must be at least 1", {}};
  return {};
}

// The place of each kind that is worst over all ranks.
struct Worst {
  const RankContext* rank;
  const Place* place;
};
std::vector<Worst> worst_of(std::span<Ranked<Partial>> ranks) {
  std::array<Worst, kPlaceKinds> best{};
  for (const auto& [context, partial] : ranks) {
    for (const Place& place : partial.places) {
      Worst& of_kind = best[static_cast<std::size_t>(place.kind)];
      if (of_kind.place == nullptr || place.weight_ns > of_kind.place->weight_ns) of_kind = {&context, &place};
    }
  }
  std::vector<Worst> out;
  for (const Worst& worst : best) {
    if (worst.place != nullptr) out.push_back(worst);
  }
  return out;
}

void add_places(std::span<const Worst> places, result::Document& document) {
  result::Table table(kTables[0]);
  for (const auto& [rank, place] : places) {
    table.add({place_name(place->kind), rank->rank, place->device, place->step, place->time.begin + rank->shift_ns,
               place->time.length(), place->what.empty() ? result::Cell(std::nullopt) : result::Cell(place->what),
               place->window.time.begin + rank->shift_ns, place->window.time.length(),
               static_cast<std::int64_t>(place->window.bars.size()), place->window.left_out});
  }
  document.tables.push_back(std::move(table));
}

void add_events(std::span<const Worst> places, result::Document& document) {
  result::Table table(kTables[1]);
  for (const auto& [rank, place] : places) {
    const Window& window = place->window;
    for (const Bar& bar : window.bars) {
      table.add({place_name(place->kind), static_cast<std::int64_t>(bar.track), window.tracks[bar.track],
                 bar.time.begin + rank->shift_ns, bar.time.length(), shows_name(bar.shows), window.names[bar.name]});
    }
  }
  document.tables.push_back(std::move(table));
}

void add_strips(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[2]);
  for (const auto& [context, partial] : ranks) {
    for (const auto& [time, shows] : partial.strip)
      table.add({context.rank, partial.step, time.begin + context.shift_ns, time.length(), shows_name(shows)});
  }
  document.tables.push_back(std::move(table));
}

void add_activity(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[3]);
  for (const auto& [context, partial] : ranks) {
    const auto slices = static_cast<std::int64_t>(partial.activity.size());
    for (std::int64_t s = 0; s < slices; ++s) {
      const auto border = [&, &partial = partial](std::int64_t i) {
        return partial.span.begin + static_cast<Nanos>(Int128{partial.span.length()} * i / slices);
      };
      const ActivityShare& share = partial.activity[static_cast<std::size_t>(s)];
      table.add({context.rank, border(s) + context.shift_ns, border(s + 1) - border(s), share.compute,
                 share.exposed_comm, share.exposed_memory});
    }
  }
  document.tables.push_back(std::move(table));
}

void add_queues(std::span<Ranked<Partial>> ranks, result::Document& document) {
  result::Table table(kTables[4]);
  for (const auto& [context, partial] : ranks) {
    for (const SampledSeries& series : partial.queues) {
      for (const auto& [time, value] : series.points)
        table.add({context.rank, series.device, series.stream, time + context.shift_ns, value});
    }
  }
  document.tables.push_back(std::move(table));
}

// Series that have a name: copies, memory.
void add_named(std::span<Ranked<Partial>> ranks, std::vector<SampledSeries> Partial::*which,
               const result::TableSpec& spec, std::int64_t divisor, result::Document& document) {
  result::Table table(spec);
  for (const auto& [context, partial] : ranks) {
    for (const SampledSeries& series : partial.*which) {
      for (const auto& [time, value] : series.points)
        table.add(
            {context.rank, series.device, series.name, time + context.shift_ns, divide_half_even(value, divisor)});
    }
  }
  document.tables.push_back(std::move(table));
}

void add_heading(std::span<const Worst> places, result::Document& document) {
  if (places.empty()) {
    document.heading.emplace_back("No GPU events: there are no places to look at.");
    return;
  }
  for (const auto& [rank, place] : places) {
    if (place->kind != PlaceKind::kHostWait && place->kind != PlaceKind::kExposedComm) continue;
    const bool waits = place->kind == PlaceKind::kHostWait;
    document.heading.push_back((waits ? "The longest wait for the host: " : "The longest exposed communication: ") +
                               human_time(place->time.length()) + " on rank " + std::to_string(rank->rank.rank()) +
                               " at " + human_time(place->time.begin + rank->shift_ns) +
                               (place->what.empty() ? "." : (waits ? ", meanwhile: " : ": ") + place->what + "."));
  }
}

}  // namespace

std::string_view place_name(PlaceKind kind) {
  constexpr std::array<std::string_view, kPlaceKinds> kNames{
      "host_wait",   "data_loading", "synchronisation", "memory_allocation", "compilation",   "optimizer",
      "kernel_gaps", "other_wait",   "exposed_comm",    "exposed_copy",      "pageable_copy", "long_step"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view shows_name(Shows shows) {
  constexpr std::array<std::string_view, 6> kNames{"compute", "communication", "memory", "other", "idle", "host"};
  return kNames[static_cast<std::size_t>(shows)];
}

Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  const std::vector<Worst> places = worst_of(ranks);
  add_heading(places, document);
  add_places(places, document);
  if (options.wants_large("place_events")) add_events(places, document);
  if (options.wants_large("step_strips")) add_strips(ranks, document);
  if (options.wants_large("activity")) add_activity(ranks, document);
  if (options.wants_large("queue_over_time")) add_queues(ranks, document);
  if (options.wants_large("copies_over_time")) add_named(ranks, &Partial::copies, kTables[5], kBytesPerRate, document);
  if (options.wants_large("memory_over_time")) add_named(ranks, &Partial::memory, kTables[6], 1, document);
  return {};
}

}  // namespace timeline

constexpr AnalysisSpec kTimeline = make_spec<timeline::Partial, &timeline::map, &timeline::combine>(
    "timeline", "what happens around the worst places, and over time?",
    "Finds the worst place of each kind: the longest wait of a device for the host (and the longest while the host "
    "loads data, synchronises or allocates), the stretch of kernels with most time in short gaps, the longest wait "
    "for another stream, the longest exposed communication and copy, and the step farthest over the median. Tables on "
    "request hold the events around them, and activity, queues, copies and memory over time in slices: what hta "
    "report draws.",
    timeline::kTables, timeline::kOptions, &timeline::needs, Runs::kOne, &timeline::validate);

}  // namespace hta::analysis
