#include "places.h"

#include "hta/analysis/host_cause.h"
#include "hta/base/exact.h"
#include "hta/base/text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "../idle_gaps.h"

namespace hta::analysis::timeline {
namespace {

constexpr std::size_t kGapsExplained = 24;  // the longest of a device
constexpr std::size_t kGapsTogether = 32;   // in a row, for kKernelGaps

class Search {
 public:
  Search(const Trace& trace, const std::map<std::int64_t, TypeSets>& devices, Nanos kernel_gap_ns)
      : trace_(trace), devices_(devices), kernel_gap_ns_(kernel_gap_ns) {}

  std::vector<Candidate> run() {
    for (const DeviceGaps& device : device_gaps(trace_, kernel_gap_ns_)) {
      gaps_for_host(device);
      short_gaps(device);
      other_gaps(device);
    }
    pageable_copies();
    exposed();
    long_step();
    std::vector<Candidate> out;
    for (std::optional<Candidate>& candidate : best_) {
      if (candidate) out.push_back(std::move(*candidate));
    }
    return out;
  }

 private:
  void offer(Candidate candidate) {
    std::optional<Candidate>& best = best_[static_cast<std::size_t>(candidate.kind)];
    if (!best || candidate.weight_ns > best->weight_ns) best = std::move(candidate);
  }

  // A place that is about an event: the one itself, or the one that ends a gap.
  Candidate about(PlaceKind kind, Interval time, GpuId event) const {
    Candidate out;
    out.kind = kind;
    out.device = trace_.stream_of(event).device;
    out.time = time;
    out.weight_ns = time.length();
    out.event = event;
    if (const LaunchId call = trace_.gpu.launch[event]; call.valid()) out.thread = trace_.launches.thread[call];
    out.step = trace_.gpu.step[event];
    return out;
  }

  void gaps_for_host(const DeviceGaps& device) {
    std::vector<const DeviceGap*> longest;
    for (const DeviceGap& gap : device.gaps) {
      if (gap.kind == GapKind::kHostWait) longest.push_back(&gap);
    }
    const std::size_t count = std::min(kGapsExplained, longest.size());
    std::partial_sort(longest.begin(), longest.begin() + static_cast<std::ptrdiff_t>(count), longest.end(),
                      [](const DeviceGap* a, const DeviceGap* b) {
                        return std::pair(-a->time.length(), a->time.begin) <
                               std::pair(-b->time.length(), b->time.begin);
                      });
    longest.resize(count);
    std::vector<Candidate> candidates;
    for (const DeviceGap* gap : longest) candidates.push_back(about(PlaceKind::kHostWait, gap->time, gap->ended_by));
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate& a, const Candidate& b) { return a.time.begin < b.time.begin; });
    find_host(candidates);
    for (Candidate& candidate : candidates) {
      if (const auto kind = kind_of_wait(candidate.host)) {
        Candidate explained = candidate;
        explained.kind = *kind;
        offer(std::move(explained));
      }
      offer(std::move(candidate));
    }
  }

  // The innermost host event of the launching thread in the middle of each gap. `gaps` by time; one pass over the host.
  void find_host(std::vector<Candidate>& gaps) const {
    const HostEvents& host = trace_.host;
    std::unordered_map<ThreadId, HostId> started_last;
    HostId next(0);
    for (Candidate& gap : gaps) {
      const Nanos middle = gap.time.begin + gap.time.length() / 2;
      for (; next.value() < host.size() && host.start_ns[next] <= middle; next = HostId(next.value() + 1))
        started_last[host.thread[next]] = next;
      const auto at = started_last.find(gap.thread);
      if (at == started_last.end()) continue;
      gap.host = at->second;
      while (gap.host.valid() && host.end_ns(gap.host) <= middle) gap.host = host.parent[gap.host];
    }
  }

  // Whether one of the kinds that say more than kHostWait: by the event itself, else by a region around it.
  std::optional<PlaceKind> kind_of_wait(HostId event) const {
    for (bool innermost = true; event.valid(); event = trace_.host.parent[event], innermost = false) {
      switch (name_hint(trace_.name(event))) {
        case NameHint::kDataLoading: return PlaceKind::kDataLoading;
        case NameHint::kCompilation: return PlaceKind::kCompilation;
        case NameHint::kOptimizer: return PlaceKind::kOptimizer;
        case NameHint::kSynchronisation:
          if (innermost) return PlaceKind::kSynchronisation;
          break;
        case NameHint::kMemoryAllocation:
          if (innermost) return PlaceKind::kAllocation;
          break;
        case NameHint::kCodeLoading:
          if (innermost) return PlaceKind::kCompilation;
          break;
        default: break;
      }
    }
    return std::nullopt;
  }

  // The stretch of consecutive gaps with the most time in short ones.
  void short_gaps(const DeviceGaps& device) {
    const auto& gaps = device.gaps;
    const auto weight = [&](std::size_t i) {
      return gaps[i].kind == GapKind::kKernelWait ? gaps[i].time.length() : Nanos{0};
    };
    Nanos sum_ns = 0;
    for (std::size_t end = 0; end < gaps.size(); ++end) {
      sum_ns += weight(end);
      if (end >= kGapsTogether) sum_ns -= weight(end - kGapsTogether);
      if (sum_ns == 0) continue;
      const std::size_t first = end + 1 < kGapsTogether ? 0 : end + 1 - kGapsTogether;
      Candidate candidate =
          about(PlaceKind::kKernelGaps, {gaps[first].time.begin, gaps[end].time.end}, gaps[end].ended_by);
      candidate.weight_ns = sum_ns;
      offer(std::move(candidate));
    }
  }

  void other_gaps(const DeviceGaps& device) {
    for (const DeviceGap& gap : device.gaps) {
      if (gap.kind == GapKind::kOther) offer(about(PlaceKind::kOtherWait, gap.time, gap.ended_by));
    }
  }

  void exposed() {
    for (const auto& [device, sets] : devices_) {
      const IntervalSet& compute = sets[KernelType::kComputation];
      const IntervalSet& communication = sets[KernelType::kCommunication];
      longest_part(PlaceKind::kExposedComm, device, IntervalSet::subtract(communication, compute));
      const IntervalSet hidden = IntervalSet::unite(compute, communication);
      longest_part(PlaceKind::kExposedCopy, device, IntervalSet::subtract(other_copies_[device], hidden));
    }
  }

  void longest_part(PlaceKind kind, std::int64_t device, const IntervalSet& set) {
    const auto& parts = set.parts();
    const auto longest = std::max_element(parts.begin(), parts.end(),
                                          [](const Interval& a, const Interval& b) { return a.length() < b.length(); });
    if (longest == parts.end()) return;
    const KernelType type = kind == PlaceKind::kExposedComm ? KernelType::kCommunication : KernelType::kMemory;
    offer(about(kind, *longest, event_in(device, type, *longest)));
  }

  // The event of the type that covers most of `time`.
  GpuId event_in(std::int64_t device, KernelType type, Interval time) const {
    GpuId best;
    Nanos covered_ns = 0;
    for (const GpuId i : IdRange<GpuId>(trace_.gpu.size())) {
      if (trace_.gpu.start_ns[i] >= time.end) break;
      if (trace_.gpu.type[i] != type || trace_.stream_of(i).device != device) continue;
      const Nanos here =
          Interval{std::max(time.begin, trace_.gpu.start_ns[i]), std::min(time.end, trace_.gpu.end_ns(i))}.length();
      if (here > covered_ns) {
        best = i;
        covered_ns = here;
      }
    }
    return best;
  }

  void pageable_copies() {
    std::unordered_map<StringId, bool> pageable;
    for (const GpuId i : IdRange<GpuId>(trace_.gpu.size())) {
      if (trace_.gpu.type[i] != KernelType::kMemory) continue;
      const auto [at, fresh] = pageable.try_emplace(trace_.gpu.name[i], false);
      if (fresh) at->second = contains_ignoring_case(trace_.name(i), "pageable");
      if (!at->second) {
        other_copies_[trace_.stream_of(i).device].append({trace_.gpu.start_ns[i], trace_.gpu.end_ns(i)});
        continue;
      }
      offer(about(PlaceKind::kPageableCopy, {trace_.gpu.start_ns[i], trace_.gpu.end_ns(i)}, i));
    }
  }

  // By how much a step is longer without its exposed communication: with it a step is also long on ranks that only
  // waited for another one.
  void long_step() {
    const TypeSets sets = rank_type_sets(trace_);
    std::vector<Nanos> own;
    for (const Step& step : trace_.steps)
      own.push_back(step.dur_ns() - time_parts(mask_times(sets, {step.start_ns, step.end_ns})).exposed_comm_ns);
    if (own.size() < 3) return;
    std::vector<Nanos> sorted = own;
    const Nanos median_ns = divide_half_even(*median_times_2(sorted), 2);
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Step& step = trace_.steps[i];
      if (own[i] <= median_ns) continue;
      Candidate candidate;
      candidate.kind = PlaceKind::kLongStep;
      candidate.time = {step.start_ns, step.end_ns};
      candidate.weight_ns = own[i] - median_ns;
      candidate.thread = thread_of(step);
      candidate.step = StepId(i);
      offer(std::move(candidate));
    }
  }

  ThreadId thread_of(const Step& step) const {
    const auto event = std::find_if(trace_.step_events.begin(), trace_.step_events.end(),
                                    [&](const StepEvent& e) { return e.number == step.number; });
    return event == trace_.step_events.end() ? ThreadId() : event->thread;
  }

  const Trace& trace_;
  const std::map<std::int64_t, TypeSets>& devices_;
  Nanos kernel_gap_ns_;
  std::map<std::int64_t, IntervalSet> other_copies_;  // by device: when copies run that are not pageable
  std::array<std::optional<Candidate>, kPlaceKinds> best_;
};

}  // namespace

std::vector<Candidate> worst_places(const Trace& trace, const std::map<std::int64_t, TypeSets>& devices,
                                    Nanos kernel_gap_ns) {
  return Search(trace, devices, kernel_gap_ns).run();
}

}  // namespace hta::analysis::timeline
