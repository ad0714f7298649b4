#include "hta/analysis/memory.h"
#include "hta/base/human.h"
#include "hta/base/text.h"

#include <algorithm>
#include <optional>
#include <string>

namespace hta::analysis {
namespace {

using Sizes = std::array<std::int64_t, kMemoryCategories.size()>;

// Sizes from one time on.
struct Row {
  Nanos time_ns = 0;
  Sizes bytes{};
  std::int64_t total() const {
    std::int64_t sum = 0;
    for (const std::int64_t size : bytes) sum += size;
    return sum;
  }
};

Nanos first_time(std::span<const RankTimeline> ranks) {
  std::optional<Nanos> first;
  for (const RankTimeline& rank : ranks) {
    for (const MemoryTimeline::Entry& entry : rank.timeline.entries) {
      if (entry.time_ns >= 0) first = std::min(first.value_or(entry.time_ns), entry.time_ns);
    }
  }
  return first.value_or(0);
}

// One row for each time, relative to `first_ns`; what was there before the recording makes one row in front, at 0.
std::vector<Row> rows_of(const MemoryTimeline& timeline, Nanos first_ns) {
  std::vector<MemoryTimeline::Entry> entries = timeline.entries;
  const auto time_of = [](const MemoryTimeline::Entry& entry) { return std::max<Nanos>(entry.time_ns, -1); };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const auto& a, const auto& b) { return time_of(a) < time_of(b); });
  std::vector<Row> rows;
  Sizes bytes{};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    bytes[entries[i].category] += entries[i].bytes;
    if (i + 1 < entries.size() && time_of(entries[i + 1]) == time_of(entries[i])) continue;
    rows.push_back({entries[i].time_ns < 0 ? 0 : entries[i].time_ns - first_ns, bytes});
  }
  return rows;
}

// The first row with the largest value.
template <class Value>
const Row& largest(const std::vector<Row>& rows, Value value) {
  return *std::max_element(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return value(a) < value(b); });
}

std::int64_t total_of(const Row& row) {
  return row.total();
}

void add_peak(const RankTimeline& rank, const std::vector<Row>& rows, result::Table& table) {
  const Row& peak = largest(rows, total_of);
  table.add({RankKey(rank.rank, 0), std::nullopt, std::nullopt, peak.total(), peak.time_ns, std::nullopt, std::nullopt,
             std::nullopt, std::nullopt, rows.front().total(), rows.back().total(),
             static_cast<std::int64_t>(rank.timeline.entries.size())});
}

void add_categories(const RankTimeline& rank, const std::vector<Row>& rows, result::Table& table) {
  const Row& peak = largest(rows, total_of);
  for (std::size_t c = 0; c < kMemoryCategories.size(); ++c) {
    const Row& top = largest(rows, [&](const Row& row) { return row.bytes[c]; });
    table.add({RankKey(rank.rank, 0), kMemoryCategories[c], peak.bytes[c], percent(peak.bytes[c], peak.total()),
               top.bytes[c], top.time_ns, rows.back().bytes[c]});
  }
}

void add_rows(const RankTimeline& rank, const std::vector<Row>& rows, result::Table& table) {
  for (const Row& row : rows) {
    std::vector<result::Cell> cells{RankKey(rank.rank, 0), row.time_ns};
    for (const std::int64_t size : row.bytes) cells.emplace_back(size);
    cells.emplace_back(row.total());
    table.add(cells);
  }
}

void say_peak(std::int64_t rank, const std::vector<Row>& rows, result::Document& document) {
  const Row& peak = largest(rows, total_of);
  const auto most =
      static_cast<std::size_t>(std::max_element(peak.bytes.begin(), peak.bytes.end()) - peak.bytes.begin());
  document.heading.push_back("Highest peak: " + human_bytes(peak.total()) + " on rank " + std::to_string(rank) +
                             ", at " + human_time(peak.time_ns) + ", " + human_percent(peak.bytes[most], peak.total()) +
                             " of it " + std::string(kMemoryCategories[most]) + ".");
}

}  // namespace

void tabulate_timelines(std::span<const RankTimeline> ranks, const Options& options, result::Document& document) {
  const auto table_of = [](std::string_view name) { return result::Table(table_spec(kMemory.tables, name)); };
  result::Table peaks = table_of("memory_peak");
  result::Table categories = table_of("memory_categories");
  result::Table timeline = table_of("memory_timeline");
  const Nanos first_ns = first_time(ranks);
  const bool wants_rows = options.wants_large("memory_timeline");
  std::int64_t worst_rank = 0;
  std::vector<Row> worst;
  for (const RankTimeline& rank : ranks) {
    std::vector<Row> rows = rows_of(rank.timeline, first_ns);
    if (rows.empty()) continue;
    add_peak(rank, rows, peaks);
    add_categories(rank, rows, categories);
    if (wants_rows) add_rows(rank, rows, timeline);
    if (worst.empty() || largest(rows, total_of).total() > largest(worst, total_of).total()) {
      worst_rank = rank.rank;
      worst = std::move(rows);
    }
  }
  if (worst.empty()) document.heading.emplace_back("The memory timelines are empty.");
  else say_peak(worst_rank, worst, document);
  document.tables.push_back(std::move(peaks));
  document.tables.push_back(std::move(categories));
  if (wants_rows) document.tables.push_back(std::move(timeline));
  document.shown = {"memory_categories", "memory_peak"};
  // What only traces fill is there, but empty.
  for (const std::string_view name : {"memory_operators", "memory_live_at_peak", "memory_calls"})
    document.tables.push_back(table_of(name));
  if (options.wants_large("memory_curve")) document.tables.push_back(table_of("memory_curve"));
}

}  // namespace hta::analysis
