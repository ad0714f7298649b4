#include "launch_heading.h"

#include "hta/base/human.h"
#include "hta/base/text.h"

#include <algorithm>

namespace hta::analysis::launch {
namespace {

constexpr std::size_t kRanksDrawn = 8;

// Names the rank, and the step, in which most launches came late.
std::string where_late(std::span<Ranked<Partial>> ranks) {
  const auto fewer = [](const auto& a, const auto& b) { return a.partial.late.count < b.partial.late.count; };
  const auto& worst = *std::max_element(ranks.begin(), ranks.end(), fewer);
  const LateLaunches& late = worst.partial.late;
  std::string text;
  if (ranks.size() > 1) {
    text = " Most on rank " + std::to_string(worst.context.rank.rank()) + ": " + with_commas(late.count) + " (" +
           human_time(late.wait_ns) + ")";
  }
  const auto& steps = worst.partial.late_by_step;
  const auto step = std::max_element(steps.begin(), steps.end(),
                                     [](const auto& a, const auto& b) { return a.second.count < b.second.count; });
  if (step != steps.end() && step->second.count * 2 > late.count) {
    const bool all = step->second.count == late.count;
    text += (text.empty() ? (all ? " All" : " " + with_commas(step->second.count))
                          : ", " + (all ? "all" : with_commas(step->second.count))) +
            " of them in step " + std::to_string(step->first);
  }
  return text.empty() ? text : text + ".";
}

void say_late(std::span<Ranked<Partial>> ranks, result::Document& document) {
  LateLaunches late;
  Nanos span_ns = 0;
  std::int64_t pairs = 0;
  for (const auto& [context, partial] : ranks) {
    late.count += partial.late.count;
    late.wait_ns += partial.late.wait_ns;
    span_ns += partial.span_ns;
    pairs += partial.pairs;
  }
  if (late.count == 0) {
    document.heading.push_back("No launch came late: the GPU never waited for one.");
    return;
  }
  document.heading.push_back(human_count(late.count, "launch", "launches") + " of " + with_commas(pairs) +
                             " came late: the GPU had run dry and waited " + human_time(late.wait_ns) + ", " +
                             human_percent(late.wait_ns, span_ns) + " of the time." + where_late(ranks));
  if (late.wait_ns * 20 > span_ns) document.next.push_back("idle");
}

void say_classes(std::span<Ranked<Partial>> ranks, result::Document& document) {
  std::int64_t pairs = 0;
  std::int64_t short_kernels = 0;
  std::int64_t runtime_outliers = 0;
  std::int64_t delay_outliers = 0;
  for (const auto& [context, partial] : ranks) {
    pairs += partial.pairs;
    short_kernels += partial.short_kernels;
    runtime_outliers += partial.runtime_outliers;
    delay_outliers += partial.delay_outliers;
  }
  document.heading.push_back("Shorter than the call that launches them: " + human_percent(short_kernels, pairs) +
                             " of the GPU events. Slow launch calls: " + human_percent(runtime_outliers, pairs) +
                             ". Started long after their launch: " + human_percent(delay_outliers, pairs) +
                             (delay_outliers * 2 > pairs ? " (the host runs ahead, which is fine)." : "."));
}

// One line of bars; all lines over the same buckets, so that they can be compared.
void draw(std::string_view label, const DurationHistogram& histogram, std::size_t first, std::size_t end,
          result::Document& document) {
  document.heading.push_back(std::string(label) + " " + sparkline(histogram, first, end));
}

void draw_histograms(std::span<Ranked<Partial>> ranks, result::Document& document) {
  const auto range_text = [](std::size_t first, std::size_t end) {
    return human_time(DurationHistogram::bounds(first).begin) + " to " +
           human_time(DurationHistogram::bounds(end - 1).end) + ":";
  };
  const bool single = ranks.size() == 1;
  DurationHistogram all;
  for (const auto& [context, partial] : ranks) {
    for (std::size_t measure = single ? 0 : kLaunchDelay; measure < kMeasures; ++measure)
      all.merge(partial.histograms[measure]);
  }
  const std::size_t first = all.first_used();
  const std::size_t end = all.end_used();
  if (first == end) return;
  if (single) {
    const auto& histograms = ranks.front().partial.histograms;
    document.heading.push_back("How many take how long, from " + range_text(first, end));
    draw("launch call ", histograms[kCpuDuration], first, end, document);
    draw("GPU event   ", histograms[kGpuDuration], first, end, document);
    draw("launch delay", histograms[kLaunchDelay], first, end, document);
    return;
  }
  document.heading.push_back("Launch delays, how many take how long, from " + range_text(first, end));
  std::size_t width = 0;
  for (const auto& [context, partial] : ranks) width = std::max(width, std::to_string(context.rank.rank()).size());
  for (std::size_t i = 0; i < std::min(ranks.size(), kRanksDrawn); ++i) {
    const std::string rank = std::to_string(ranks[i].context.rank.rank());
    draw("rank " + std::string(width - rank.size(), ' ') + rank, ranks[i].partial.histograms[kLaunchDelay], first, end,
         document);
  }
  if (ranks.size() > kRanksDrawn) {
    document.heading.push_back(
        "(" + human_count(static_cast<std::int64_t>(ranks.size() - kRanksDrawn), "more rank", "more ranks") +
        " in --table histograms)");
  }
}

}  // namespace

void add_heading(std::span<Ranked<Partial>> ranks, result::Document& document) {
  const bool any = std::any_of(ranks.begin(), ranks.end(), [](const auto& rank) { return rank.partial.pairs > 0; });
  if (!any) {
    document.heading.push_back("No GPU event could be linked to a launch call.");
    document.note("no-launches", "no GPU event is linked to a launch; was the host recorded (ProfilerActivity.CPU)?");
    return;
  }
  say_late(ranks, document);
  say_classes(ranks, document);
  draw_histograms(ranks, document);
}

}  // namespace hta::analysis::launch
