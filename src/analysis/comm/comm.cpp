#include "hta/analysis/comm.h"

#include "hta/base/exact.h"
#include "hta/base/human.h"
#include "hta/base/text.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>

#include "bandwidth.h"
#include "sharing.h"
#include "tables.h"
#include "waits.h"

namespace hta::analysis {
namespace comm {
namespace {

using result::Bar;
using result::Cell;
using result::ColumnSpec;
using result::if_room;
using result::Presence;
using enum result::CellType;

constexpr std::array kCommColumns{
    ColumnSpec{"group", kText},
    ColumnSpec{"collective", kText},
    ColumnSpec{"size_class", kText},
    ColumnSpec{"count", kInteger},
    ColumnSpec{"time_us", kTime},
    ColumnSpec{"wait_us", kTime},
    ColumnSpec{"transfer_us", kTime},
    ColumnSpec{"wait_pct", kPercent, Presence::kAlways, Bar::kYes},
    if_room("exposed_us", kTime),
    if_room("exposed_wait_us", kTime),
    if_room("algbw_gbps", kRate),
    if_room("busbw_gbps", kRate),
    if_room("busbw_at_duration_gbps", kRate),
    if_room("transfer_p50_us", kTime),
    if_room("transfer_p99_us", kTime),
};
constexpr std::array kOutlierColumns{
    ColumnSpec{"group", kText},       ColumnSpec{"collective", kText}, ColumnSpec{"size_class", kText},
    ColumnSpec{"seq", kInteger},      ColumnSpec{"step", kInteger},    ColumnSpec{"start_us", kTime},
    ColumnSpec{"transfer_us", kTime}, ColumnSpec{"median_us", kTime},  ColumnSpec{"ratio", kRatio},
};
constexpr std::array kMatchColumns{
    ColumnSpec{"group", kText},         if_room("size", kInteger),
    ColumnSpec{"loaded", kInteger},     ColumnSpec{"instances", kInteger},
    ColumnSpec{"matched", kInteger},    ColumnSpec{"partial", kInteger},
    ColumnSpec{"unmatched", kInteger},  if_room("alone", kInteger),
    if_room("size_mismatch", kInteger), if_room("dtype_mismatch", kInteger),
    if_room("type_mismatch", kInteger), if_room("out_of_order", kInteger),
    if_room("method", kText),
};
constexpr std::array kSharedColumns{
    ColumnSpec{"group", kText},         ColumnSpec{"other_group", kText},    if_room("ranks", kInteger),
    ColumnSpec{"overlap_us", kTime},    ColumnSpec{"overlap_pct", kPercent}, ColumnSpec{"other_overlap_pct", kPercent},
    ColumnSpec{"together_gbps", kRate},
};
constexpr std::array kTables{
    result::TableSpec{"comm", "Collectives by group, operation and size", kCommColumns},
    result::TableSpec{"comm_outliers", "Collectives whose transfer took unusually long", kOutlierColumns},
    result::TableSpec{"comm_match", "How collectives were matched across ranks", kMatchColumns},
    result::TableSpec{"comm_shared", "Transfers of different groups at the same time", kSharedColumns},
    kClockTable,
};
constexpr std::array kOptions{kClockOption};

// Powers of two; small messages share a class because their time does not depend on the size.
constexpr std::int64_t kSmall = std::int64_t{64} << 10;

std::string bytes_text(std::int64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) bytes /= 1024, ++unit;
  return std::to_string(bytes) + " " + std::string(kUnits[unit]);
}

// Lower bound of the class; -1 if the size is not known.
std::int64_t class_of(const std::optional<Volume>& volume) {
  if (!volume) return -1;
  std::int64_t bound = kSmall;
  if (volume->message_bytes < bound) return 0;
  while (volume->message_bytes / 2 >= bound) bound *= 2;
  return bound;
}

std::string class_text(std::int64_t bound) {
  if (bound < 0) return "not recorded";
  return bound == 0 ? "under " + bytes_text(kSmall) : bytes_text(bound) + " to " + bytes_text(bound * 2);
}

struct ClassKey {
  std::uint32_t group;
  std::string_view kind;
  std::int64_t size_class;
  auto operator<=>(const ClassKey&) const = default;
};

struct ClassSums {
  std::int64_t count = 0;
  Nanos time_ns = 0;
  Nanos exposed_ns = 0;
  Nanos exposed_wait_ns = 0;  // of exposed_ns: what waiting for the last rank explains
  Nanos compared_ns = 0;      // of time_ns: in instances seen on two ranks or more
  Nanos transfer_ns = 0;      // over the ranks
  bool has_volume = false;
  Int128 message_bytes = 0;
  Int128 bus_bytes = 0;
  Nanos shortest_ns = 0;  // one transfer per instance
  Int128 bus_bytes_of_ranks = 0;
  std::vector<std::pair<Nanos, std::uint32_t>> transfers;  // and the instance
};

using Classes = std::map<ClassKey, ClassSums>;

Classes sum_up(Ranks ranks, const Matching& matching) {
  Classes classes;
  for (std::uint32_t i = 0; i < matching.instances.size(); ++i) {
    const Instance& instance = matching.instances[i];
    const std::span<const Member> members = matching.of(instance);
    const Signature& what = signature(ranks, members.front());
    std::optional<Volume> largest;
    Nanos shortest_ns = INT64_MAX;
    for (const Member m : members) {
      const auto volume = volume_of(at(ranks, m), signature(ranks, m), matching.groups[instance.group]);
      if (volume && (!largest || volume->message_bytes > largest->message_bytes)) largest = volume;
      shortest_ns = std::min(shortest_ns, at(ranks, m).dur_ns);
    }
    ClassSums& sums = classes[{instance.group, what.kind, class_of(largest)}];
    ++sums.count;
    for (const Member m : members) {
      const Collective& c = at(ranks, m);
      sums.time_ns += c.dur_ns;
      sums.exposed_ns += c.exposed_ns;
      if (instance.count > 1) {
        sums.compared_ns += c.dur_ns;
        sums.exposed_wait_ns += std::min(c.exposed_ns, c.dur_ns - shortest_ns);
      }
      if (largest) sums.bus_bytes_of_ranks += largest->bus_bytes;
    }
    if (instance.count > 1) sums.transfer_ns += shortest_ns * instance.count;
    if (largest) {
      sums.has_volume = true;
      sums.message_bytes += largest->message_bytes;
      sums.bus_bytes += largest->bus_bytes;
    }
    sums.shortest_ns += shortest_ns;
    sums.transfers.emplace_back(shortest_ns, i);
  }
  for (auto& [key, sums] : classes) std::sort(sums.transfers.begin(), sums.transfers.end());
  return classes;
}

std::vector<Nanos> transfer_times(const ClassSums& sums) {
  std::vector<Nanos> out;
  for (const auto& [time_ns, instance] : sums.transfers) out.push_back(time_ns);
  return out;
}

void add_classes(const Matching& matching, const Classes& classes, result::Document& document) {
  result::Table table(kTables[0]);
  for (const auto& [key, sums] : classes) {
    const bool compared = sums.compared_ns > 0;
    const Nanos wait_ns = sums.compared_ns - sums.transfer_ns;
    const std::vector<Nanos> times = transfer_times(sums);
    const bool moves = sums.has_volume && sums.message_bytes > 0;
    // Bandwidth at the transfer time only where waiting is known and taken out.
    const auto rate = [&](bool known, Int128 bytes, Int128 time_ns) {
      return moves && known ? rate_of(bytes, time_ns) : std::nullopt;
    };
    table.add({matching.groups[key.group].label(), key.kind, class_text(key.size_class), sums.count, sums.time_ns,
               compared ? Cell(wait_ns) : Cell(std::nullopt), compared ? Cell(sums.transfer_ns) : Cell(std::nullopt),
               compared ? Cell(percent(wait_ns, sums.compared_ns)) : Cell(std::nullopt), sums.exposed_ns,
               compared ? Cell(sums.exposed_wait_ns) : Cell(std::nullopt),
               rate(compared, sums.message_bytes, sums.shortest_ns), rate(compared, sums.bus_bytes, sums.shortest_ns),
               rate(true, sums.bus_bytes_of_ranks, sums.time_ns),
               compared ? Cell(quantile(times, 1, 2)) : Cell(std::nullopt),
               compared ? Cell(quantile(times, 99, 100)) : Cell(std::nullopt)});
  }
  document.tables.push_back(std::move(table));
}

// Over half again the median of at least eight of the class, and over six deviations.
void add_outliers(Ranks ranks, const Matching& matching, const Clocks& clocks, const Classes& classes,
                  result::Document& document) {
  result::Table table(kTables[1]);
  for (const auto& [key, sums] : classes) {
    if (sums.transfers.size() < 8) continue;
    const std::vector<Nanos> times = transfer_times(sums);
    const Nanos median_ns = *quantile(times, 1, 2);
    std::vector<Nanos> distances;
    for (const Nanos time_ns : times) distances.push_back(std::abs(time_ns - median_ns));
    const Nanos twice_mad_ns = *median_times_2(distances);
    for (const auto& [time_ns, i] : sums.transfers) {
      if (matching.instances[i].count < 2 || time_ns * 2 <= median_ns * 3 ||
          (time_ns - median_ns) * 10'000 <= twice_mad_ns * 44'478)
        continue;
      const Member first = matching.of(matching.instances[i]).front();
      const Collective& c = at(ranks, first);
      table.add({matching.groups[key.group].label(), key.kind, class_text(key.size_class),
                 c.seq < 0 ? Cell(std::nullopt) : Cell(c.seq), c.step == kNoStep ? Cell(std::nullopt) : Cell(c.step),
                 clocks.start_ns(first), time_ns, median_ns, ratio4(time_ns, median_ns)});
    }
  }
  document.tables.push_back(std::move(table));
}

void add_match(const Matching& matching, result::Document& document) {
  result::Table table(kTables[2]);
  struct Counts {
    std::array<std::int64_t, 4> states{};
    std::int64_t all = 0, sizes = 0, dtypes = 0, kinds = 0;
    MatchMethod method = MatchMethod::kCommsId;
  };
  std::map<std::uint32_t, Counts> groups;
  for (const Instance& instance : matching.instances) {
    Counts& counts = groups[instance.group];
    ++counts.all;
    ++counts.states[static_cast<std::size_t>(instance.state)];
    counts.sizes += instance.sizes_differ ? 1 : 0;
    counts.dtypes += instance.dtypes_differ ? 1 : 0;
    counts.kinds += instance.kinds_differ ? 1 : 0;
    counts.method = std::max(counts.method, instance.method);
  }
  std::int64_t mismatched = 0;
  for (const auto& [g, counts] : groups) {
    const auto of = [&counts = counts](MatchState state) { return counts.states[static_cast<std::size_t>(state)]; };
    const std::int64_t size = matching.groups[g].size;
    table.add({matching.groups[g].label(), size > 0 ? Cell(size) : Cell(std::nullopt), matching.loaded[g], counts.all,
               of(MatchState::kMatched), of(MatchState::kPartial), of(MatchState::kUnmatched), of(MatchState::kAlone),
               counts.sizes, counts.dtypes, counts.kinds, matching.out_of_order[g], match_method_name(counts.method)});
    mismatched += counts.sizes + counts.dtypes + counts.kinds;
  }
  document.tables.push_back(std::move(table));
  if (mismatched > 0) {
    document.note("collective-mismatch",
                  with_commas(mismatched) +
                      " matched collectives differ between ranks in size, data type or operation (table comm_match)");
  }
}

void add_heading(Ranks ranks, const Matching& matching, const Classes& classes, result::Document& document) {
  Nanos time_ns = 0;
  Nanos compared_ns = 0;
  Nanos transfer_ns = 0;
  for (const auto& [key, sums] : classes) {
    time_ns += sums.time_ns;
    compared_ns += sums.compared_ns;
    transfer_ns += sums.transfer_ns;
  }
  if (classes.empty()) {
    document.heading.emplace_back("No communication kernel was recorded.");
    document.note("no-collectives", "there are no communication kernels in these traces", result::Severity::kInfo);
    return;
  }
  const std::string collectives = with_commas(static_cast<std::int64_t>(matching.instances.size())) + " collectives";
  if (compared_ns == 0) {
    document.heading.push_back(collectives + " take " + human_time(time_ns) +
                               " of GPU time. No two ranks share one, so waiting and transfer cannot be told apart.");
    return;
  }
  document.heading.push_back(collectives + " over " + std::to_string(ranks.size()) + " ranks take " +
                             human_time(time_ns) +
                             " of GPU time: " + human_percent(compared_ns - transfer_ns, compared_ns) +
                             " of it is waiting for the last rank, " + human_time(transfer_ns) + " is transfer.");
  const auto worst = std::max_element(classes.begin(), classes.end(), [](const auto& a, const auto& b) {
    return a.second.compared_ns - a.second.transfer_ns < b.second.compared_ns - b.second.transfer_ns;
  });
  const ClassSums& sums = worst->second;
  document.heading.push_back("Most waiting: " + std::string(worst->first.kind) + " in " +
                             matching.groups[worst->first.group].label() + ", " +
                             human_time(sums.compared_ns - sums.transfer_ns) + " in " +
                             human_count(sums.count, "collective", "collectives") + ".");
  document.next.emplace_back((compared_ns - transfer_ns) * 4 > compared_ns ? "stragglers" : "overlap");
}

}  // namespace

Status combine_comm(std::span<Ranked<RankComm>> ranks, const Options& options, result::Document& document) {
  const std::vector<Ranked<RankComm>> view(ranks.begin(), ranks.end());
  const Matching matching = match(view);
  const Result<ClockWish> wish = parse_clock_wish(options.text("clock"));
  if (!wish) return wish.error();
  const Clocks clocks = align_clocks(view, matching, wish.value());
  const Classes classes = sum_up(view, matching);
  add_heading(view, matching, classes, document);
  add_classes(matching, classes, document);
  add_outliers(view, matching, clocks, classes, document);
  add_match(matching, document);
  if (const std::string sentence = add_sharing(view, matching, kTables[3], document); !sentence.empty())
    document.heading.push_back(sentence);
  add_clocks(view, clocks, wish.value(), kClockTable, document);
  document.shown = {"comm"};
  for (const std::string_view name : {"comm_shared", "comm_outliers", "comm_match"}) {
    if (document.find_table(name)->rows() > 0) document.shown.emplace_back(name);
  }
  if (clocks.any_ahead() && view.size() <= kMostClocksShown) document.shown.emplace_back("clocks");
  return {};
}

}  // namespace comm

constexpr AnalysisSpec kComm = make_spec<comm::RankComm, &comm::collect, &comm::combine_comm>(
    "comm", "how long do collectives wait, how long do they transfer, and how fast?",
    "Finds the same collective on every rank, by the communicator's id, by process group and sequence number, or by "
    "aligning the sequences of operations. The shortest duration over the ranks is the transfer, the rest of each "
    "rank's "
    "duration is waiting for the last one to arrive. Bandwidths are in GB/s (10^9 bytes): algbw is message size over "
    "time, "
    "busbw what crosses the links of a rank over time, comparable with nccl-tests; at the transfer time it shows what "
    "the "
    "fabric does, at the kernels' duration what the job gets of it. With reductions inside the network busbw may "
    "exceed "
    "the speed of the links.",
    comm::kTables, comm::kOptions, &comm::collective_needs, Runs::kOne, &comm::check_clock_option);

}  // namespace hta::analysis
