#include "hta/base/exact.h"
#include "hta/base/human.h"

#include <algorithm>
#include <string_view>

#include "meter.h"

namespace hta::report {
namespace {

// Of the calls that launch work, those whose GPU events were not recorded. Events whose link was lost are none of them,
// and what is missing behind a cut says nothing about the rest.
std::optional<std::int64_t> lost_kernels_pct(const Answers& answers) {
  const result::Quality& quality = answers.first().quality;
  const auto not_linked = static_cast<std::int64_t>(quality.gpu_events - quality.gpu_events_linked);
  const Rows rows(answers.table("launch", "launch_summary"), {"launches", "bare_launches"});
  std::int64_t launches = 0;
  std::int64_t bare = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.null(row, 1)) continue;
    launches += rows.number(row, 0) + rows.number(row, 1);
    bare += rows.number(row, 1);
  }
  return percent(std::max<std::int64_t>(0, bare - not_linked), launches);
}

void measure_completeness(Meter& meter) {
  const Answers& answers = meter.answers();
  const std::int64_t cut =
      std::max(std::ssize(answers.notes("truncated")), std::ssize(answers.notes("gzip-truncated")));
  meter.put("truncated_files", cut, human_count(cut, "file", "files"));
  const std::int64_t bare = std::ssize(answers.notes("step-incomplete"));
  meter.put("incomplete_steps", bare, human_count(bare, "rank", "ranks"));
  const std::int64_t graphs = std::ssize(answers.notes("graph-launches-bare"));
  meter.put("lost_graphs", graphs, human_count(graphs, "rank", "ranks"));
  meter.put("lost_kernels_pct", cut > 0 ? std::optional<std::int64_t>(0) : lost_kernels_pct(answers));
}

// "ranks 1-7 of 8 are missing; statistics cover ..." up to the semicolon.
void measure_presence(Meter& meter) {
  const auto notes = meter.answers().notes("rank-missing");
  std::string subject;
  if (!notes.empty()) {
    const std::string_view message = notes.front()->message;
    subject = message.substr(0, message.find(';'));
  }
  meter.put("missing_ranks", notes.empty() ? 0 : 1, subject);
}

// The device that was nearest to its limit.
void measure_memory(Meter& meter) {
  const Rows rows(meter.answers().table("memory", "memory_peak"),
                  {"rank", "device", "peak_allocated_bytes", "capacity_bytes"});
  std::optional<std::int64_t> fullest;
  std::string subject;
  std::optional<std::int64_t> rank;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto full = percent(rows.number(row, 2), rows.number(row, 3));
    if (!full || (fullest && *full <= *fullest)) continue;
    fullest = full;
    rank = rows.rank(row, 0);
    subject = human_bytes(rows.number(row, 2)) + " of " + human_bytes(rows.number(row, 3)) + " on device " +
              std::to_string(rows.number(row, 1)) + " of rank " + std::to_string(*rank);
  }
  meter.put("memory_peak_pct", fullest, subject, rank);
}

}  // namespace

void measure_capture(Meter& meter) {
  const result::Quality& quality = meter.answers().first().quality;
  meter.put("damaged_events", static_cast<std::int64_t>(quality.damaged));
  const auto gpu_events = static_cast<std::int64_t>(quality.gpu_events);
  const auto linked = static_cast<std::int64_t>(quality.gpu_events_linked);
  // Without any link no launches were recorded at all, which is no fault of the recording.
  meter.put("not_linked_pct", linked > 0 ? percent(gpu_events - linked, gpu_events) : std::nullopt);
  measure_completeness(meter);
  measure_presence(meter);
  measure_memory(meter);
}

}  // namespace hta::report
