#include "heading.h"

#include "hta/base/exact.h"
#include "hta/base/human.h"

#include <algorithm>
#include <array>
#include <string>

#include "path.h"

namespace hta::analysis::critical_path {
namespace {

constexpr std::size_t kPartsNamed = 3;
constexpr int kWorthNamingPct = 5;
constexpr int kDoubtfulPct = 10;

std::string_view phrase(Bound bound) {
  constexpr std::array<std::string_view, kBounds> kPhrases{"GPU computation",
                                                           "GPU communication",
                                                           "GPU copies",
                                                           "other GPU work",
                                                           "kernel launch latency",
                                                           "gaps between kernels",
                                                           "waits between streams",
                                                           "host operators",
                                                           "synchronising calls",
                                                           "runtime calls",
                                                           "data loading",
                                                           "Python or an idle host",
                                                           "time that the trace does not explain"};
  return kPhrases[static_cast<std::size_t>(bound)];
}

using Times = std::array<Nanos, kBounds>;

std::vector<Bound> sorted(const Times& times) {
  std::vector<Bound> bounds;
  for (std::size_t i = 0; i < kBounds; ++i) {
    if (times[i] > 0) bounds.push_back(static_cast<Bound>(i));
  }
  std::sort(bounds.begin(), bounds.end(), [&](Bound a, Bound b) {
    const Nanos of_a = times[static_cast<std::size_t>(a)];
    const Nanos of_b = times[static_cast<std::size_t>(b)];
    return of_a != of_b ? of_a > of_b : bound_name(a) < bound_name(b);
  });
  return bounds;
}

// "GPU computation 56.10 %, host operators 20.00 %": the largest, and others that matter.
std::string parts_text(const Times& times, Nanos window_ns) {
  std::string text;
  std::size_t named = 0;
  for (const Bound bound : sorted(times)) {
    const Nanos time_ns = times[static_cast<std::size_t>(bound)];
    if (named == kPartsNamed || (named > 0 && time_ns * 100 < window_ns * kWorthNamingPct)) break;
    if (named++ > 0) text += ", ";
    text += std::string(phrase(bound)) + " " + human_percent(time_ns, window_ns);
  }
  return text;
}

std::string event_text(const std::string& subject, const EventTime& event, Nanos window_ns) {
  const std::string name = event.event.empty() ? "time without any record" : "'" + std::string(event.event) + "'";
  std::string text = subject + " is " + name + ", bound by " + std::string(phrase(event.bound)) + ": " +
                     human_time(event.time_ns) + ", " + human_percent(event.time_ns, window_ns) + " of the window";
  if (event.pieces > 1) text += ", in " + std::to_string(event.pieces) + " pieces";
  return text + ".";
}

void add_next(const Times& times, Nanos window_ns, result::Document& document) {
  const auto share_over = [&](std::initializer_list<Bound> bounds, int pct) {
    Nanos sum_ns = 0;
    for (const Bound bound : bounds) sum_ns += times[static_cast<std::size_t>(bound)];
    return sum_ns * 100 > window_ns * pct;
  };
  document.next.push_back("whatif");
  if (share_over({Bound::kGpuCommunication}, 10)) document.next.push_back("overlap");
  if (share_over({Bound::kCpu, Bound::kRuntimeCall, Bound::kPythonOrIdle, Bound::kDataLoading, Bound::kSyncWait}, 50)) {
    document.next.push_back("idle");
  } else if (share_over({Bound::kGpuCompute}, 50)) {
    document.next.push_back("breakdown --table kernels");
  }
}

}  // namespace

std::vector<Bound> largest_first(const Partial& partial) {
  Times times{};
  for (std::size_t i = 0; i < kBounds; ++i) times[i] = partial.bounds[i].time_ns;
  return sorted(times);
}

void add_heading(std::span<Ranked<Partial>> ranks, result::Document& document) {
  Times times{};
  Nanos windows_ns = 0;
  std::vector<const Ranked<Partial>*> found;
  for (const Ranked<Partial>& rank : ranks) {
    if (rank.partial.error) continue;
    found.push_back(&rank);
    windows_ns += rank.partial.time.length();
    for (std::size_t i = 0; i < kBounds; ++i) times[i] += rank.partial.bounds[i].time_ns;
  }
  const auto shorter = [](const Ranked<Partial>* a, const Ranked<Partial>* b) {
    return a->partial.time.length() < b->partial.time.length();
  };
  const auto [low, high] = std::minmax_element(found.begin(), found.end(), shorter);
  const Partial& longest = (*high)->partial;
  const std::string parts = parts_text(times, windows_ns);
  const auto rank_text = [](const Ranked<Partial>* rank) { return std::to_string(rank->context.rank.rank()); };
  if (found.size() == 1) {
    document.heading.push_back("Rank " + rank_text(found.front()) + ", " + window_text(longest.window) + ", takes " +
                               human_time(windows_ns) + " and is bound by " + parts + ".");
  } else {
    const bool same = std::all_of(found.begin(), found.end(),
                                  [&](const Ranked<Partial>* rank) { return rank->partial.window == longest.window; });
    document.heading.push_back(std::to_string(found.size()) + " ranks, each on its own" +
                               (same ? " (" + window_text(longest.window) + ")" : "") + ": from " +
                               human_time((*low)->partial.time.length()) + " (rank " + rank_text(*low) + ") to " +
                               human_time(longest.time.length()) + " (rank " + rank_text(*high) +
                               "), together bound by " + parts + ".");
  }
  if (const auto& events = longest.event_times; !events.empty()) {
    const std::string subject =
        found.size() == 1 ? "The largest contributor" : "On rank " + rank_text(*high) + " the largest contributor";
    document.heading.push_back(event_text(subject, events.front(), longest.time.length()));
  }
  const Nanos unexplained_ns = times[static_cast<std::size_t>(Bound::kUnexplained)];
  if (unexplained_ns * 100 > windows_ns * kDoubtfulPct) {
    document.note("path-unexplained",
                  human_percent(unexplained_ns, windows_ns) +
                      " of the window is unexplained: GPU events began long after everything that the trace says they "
                      "waited for");
  }
  add_next(times, windows_ns, document);
}

}  // namespace hta::analysis::critical_path
