#include "counters_report.h"

#include "hta/base/human.h"
#include "hta/base/text.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace hta::analysis::counters {
namespace {

// A bandwidth in the unit that suits it, from 10^-6 GB/s.
std::string rate_text(std::int64_t kilobytes_per_second) {
  constexpr std::int64_t kMega = 1'000;
  constexpr std::int64_t kGiga = 1'000'000;
  constexpr std::int64_t kHundredth = 100;
  if (kilobytes_per_second < kMega) return std::to_string(kilobytes_per_second) + " kB/s";
  if (kilobytes_per_second < kGiga)
    return fixed_point(divide_half_even(kilobytes_per_second, kMega / kHundredth), 2) + " MB/s";
  return fixed_point(divide_half_even(kilobytes_per_second, kGiga / kHundredth), 2) + " GB/s";
}

std::string place_of(const RankContext& context, const Stream& stream) {
  return "rank " + std::to_string(context.rank.rank()) + ", device " + std::to_string(stream.device) + ", stream " +
         std::to_string(stream.stream);
}

void say_queues(std::span<const Ranked<Partial>> ranks, std::int64_t full, result::Document& document) {
  const Queue* fullest = nullptr;  // longest time at the limit
  const Queue* longest = nullptr;  // largest length
  const RankContext* of_fullest = nullptr;
  const RankContext* of_longest = nullptr;
  for (const auto& [context, partial] : ranks) {
    for (const Queue& queue : partial.queues) {
      if (fullest == nullptr || queue.full_ns > fullest->full_ns) {
        fullest = &queue;
        of_fullest = &context;
      }
      if (longest == nullptr || *queue.lengths.max > *longest->lengths.max) {
        longest = &queue;
        of_longest = &context;
      }
    }
  }
  if (fullest == nullptr) {
    document.heading.emplace_back("No GPU event is linked to its launch call: the launch queues cannot be followed.");
    document.note("no-links", "no launch call is linked to a GPU event; record CPU and CUDA activity together");
    return;
  }
  if (fullest->full_ns > 0) {
    const Nanos duration_ns = of_fullest->last_end_ns - of_fullest->first_start_ns;
    document.heading.push_back("Longest time at a full launch queue (" + with_commas(full) + " or more): " +
                               human_time(fullest->full_ns) + ", " + human_percent(fullest->full_ns, duration_ns) +
                               " of the trace, on " + place_of(*of_fullest, fullest->stream) +
                               "; the host is ahead and waits there, so the GPU is what takes the time.");
    document.next.emplace_back("breakdown");
  } else {
    document.heading.push_back("No launch queue was full (" + with_commas(full) + "); the longest held " +
                               human_count(*longest->lengths.max, "launch", "launches") + " on " +
                               place_of(*of_longest, longest->stream) + ".");
    document.next.emplace_back("launch");
  }
}

void say_traffic(std::span<const Ranked<Partial>> ranks, result::Document& document) {
  struct Extremes {
    std::int64_t low = 0;
    std::int64_t high = 0;
    std::int64_t peak = 0;
  };
  std::map<std::string, Extremes> labels;
  for (const auto& [context, partial] : ranks) {
    for (const Traffic& traffic : partial.traffic) {
      if (!traffic.rates.time_mean) continue;
      const auto [at, fresh] =
          labels.try_emplace(traffic.label, Extremes{*traffic.rates.time_mean, *traffic.rates.time_mean, 0});
      at->second.low = std::min(at->second.low, *traffic.rates.time_mean);
      at->second.high = std::max(at->second.high, *traffic.rates.time_mean);
      at->second.peak = std::max(at->second.peak, *traffic.rates.max);
    }
  }
  std::string line;
  for (const auto& [label, rate] : labels) {
    const std::string low = rate_text(rate.low);
    const std::string high = rate_text(rate.high);
    line += (line.empty() ? "Bandwidth while copying: " : "; ") + label + " " + low;
    if (high != low) line += " to " + high + " by device";
    line += " (peak " + rate_text(rate.peak) + ")";
  }
  if (!line.empty()) document.heading.push_back(line + ".");
}

void say_pageable(std::span<const Ranked<Partial>> ranks, result::Document& document) {
  std::int64_t pageable = 0;
  std::int64_t with_host = 0;
  Nanos pageable_ns = 0;
  for (const auto& [context, partial] : ranks) {
    for (const Copies& copies : partial.copies) {
      const std::string_view label = copy_label(copies.name);
      if (label != "Memcpy HtoD" && label != "Memcpy DtoH") continue;
      with_host += copies.dur_ns.count;
      if (copies.name.find("Pageable") == std::string::npos) continue;
      pageable += copies.dur_ns.count;
      pageable_ns += static_cast<Nanos>(copies.dur_ns.sum);
    }
  }
  if (pageable == 0) return;
  document.heading.push_back(
      with_commas(pageable) + " of " + with_commas(with_host) +
      " copies between host and device use pageable memory (" + human_time(pageable_ns) +
      "): pinned memory (pin_memory=True, non_blocking=True) copies faster and does not stop the host.");
}

void say_hardware(std::span<const Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  std::int64_t ranges = 0;
  for (const auto& [context, partial] : ranks) ranges += partial.range_count;
  if (ranges == 0) return;
  document.heading.push_back(with_commas(ranges) + " ranges carry hardware counters" +
                             (options.wants_large("cupti") ? "." : ": --table cupti lists them with their operators."));
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

void add_tracks(const Partial& partial, result::Overlay& overlay) {
  for (const Queue& queue : partial.queues) {
    overlay.counters.push_back({"Queue length, device " + std::to_string(queue.stream.device) + ", stream " +
                                    std::to_string(queue.stream.stream),
                                queue.pid, "launches", 0, queue.points});
  }
  for (const Traffic& traffic : partial.traffic) {
    overlay.counters.push_back({traffic.label + ", device " + std::to_string(traffic.device), traffic.pid, "GB/s",
                                kBandwidthDecimals, traffic.points});
  }
}

}  // namespace

void add_heading(std::span<const Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  say_queues(ranks, options.integer("queue-full"), document);
  say_traffic(ranks, document);
  say_pageable(ranks, document);
  say_hardware(ranks, options, document);
}

Status add_counter_overlays(std::span<const Ranked<Partial>> ranks, const Options& options,
                            result::Document& document) {
  const std::string target = options.text("augment");
  if (!options.has("augment")) return {};
  if (target.empty()) return Error{ErrorCode::kUsage, "", "--augment needs the name of the file to write", {}};
  std::vector<std::string> sources;
  for (const auto& [context, partial] : ranks) {
    if (std::find(sources.begin(), sources.end(), context.path) == sources.end()) sources.push_back(context.path);
  }
  const bool folder = sources.size() > 1 || target.ends_with('/');
  std::set<std::string> targets;
  for (const std::string& source : sources) {
    if (source == "-")
      return Error{
          ErrorCode::kUsage, "", "--augment reads the trace a second time; give a file instead of standard input", {}};
    result::Overlay overlay;
    overlay.source_path = source;
    overlay.target_path = folder ? target + (target.ends_with('/') ? "" : "/") + file_name(source) : target;
    if (!targets.insert(overlay.target_path).second) {
      return Error{
          ErrorCode::kUsage, overlay.target_path, "two inputs have this name; write their traces one by one", {}};
    }
    for (const auto& [context, partial] : ranks) {
      if (context.path == source) add_tracks(partial, overlay);
    }
    document.overlays.push_back(std::move(overlay));
  }
  return {};
}

}  // namespace hta::analysis::counters
