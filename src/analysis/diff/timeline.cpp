#include "hta/analysis/diff/timeline.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <tuple>

namespace hta::analysis::diff {
namespace {

constexpr Nanos kBeginning = std::numeric_limits<Nanos>::min();
constexpr std::uint32_t kNoOwner = 0;

Component component_of(KernelType type) {
  switch (type) {
    case KernelType::kComputation: return Component::kCompute;
    case KernelType::kCommunication: return Component::kExposedComm;
    default: return Component::kExposedMemory;
  }
}

bool is_idle(Component component) {
  return static_cast<std::size_t>(component) >= kBusyComponents;
}

}  // namespace

// Goes through the events by start, and between two starts through the ends that lie there.
class Timeline::Sweep {
 public:
  Sweep(const Trace& trace, std::span<const std::uint32_t> owner, Nanos kernel_gap_ns, std::vector<Piece>& pieces)
      : trace_(trace), owner_(owner), kernel_gap_ns_(kernel_gap_ns), pieces_(pieces) {}

  void run() {
    const GpuEvents& gpu = trace_.gpu;
    for (const GpuId i : IdRange<GpuId>(gpu.size())) {
      const Nanos start = gpu.start_ns[i];
      if (i.value() == 0) {
        begin_with(i);
      } else if (start > busy_until_) {
        give_until(busy_until_);
        put(busy_until_, cause_of_gap(i), kNoOwner);
        now_ = busy_until_ = start;
      } else {
        give_until(start);
      }
      running_[static_cast<std::size_t>(component_of(gpu.type[i]))].push_back({gpu.end_ns(i), owner_[i.value()]});
      busy_until_ = std::max(busy_until_, gpu.end_ns(i));
    }
    give_until(busy_until_);
    put(busy_until_, Component::kOtherIdle, kNoOwner);
  }

 private:
  struct Running {
    Nanos end;
    std::uint32_t owner;
  };

  void begin_with(GpuId first) {
    put(kBeginning, trace_.gpu.launch[gap_ender(first)].valid() ? Component::kHostWait : Component::kOtherIdle,
        kNoOwner);
    now_ = busy_until_ = trace_.gpu.start_ns[first];
  }

  // Of the events that start together and so end a gap, the one that counts.
  GpuId gap_ender(GpuId first) const {
    const GpuEvents& gpu = trace_.gpu;
    const auto key = [&](GpuId i) { return std::tuple(trace_.stream_of(i), gpu.position[i]); };
    GpuId best = first;
    for (std::size_t next = first.value() + 1; next < gpu.size() && gpu.start_ns[GpuId(next)] == gpu.start_ns[first];
         ++next) {
      if (key(GpuId(next)) < key(best)) best = GpuId(next);
    }
    return best;
  }

  Component cause_of_gap(GpuId first) const {
    const LaunchId launch = trace_.gpu.launch[gap_ender(first)];
    if (launch.valid() && trace_.launches.start_ns[launch] > busy_until_) return Component::kHostWait;
    return trace_.gpu.start_ns[first] - busy_until_ < kernel_gap_ns_ ? Component::kKernelWait : Component::kOtherIdle;
  }

  // Gives the time from now to `until` to those who run. Events queue up by start, so the head of a queue is the first
  // in event order; one behind it that ended meanwhile is dropped when its turn comes.
  void give_until(Nanos until) {
    while (now_ < until) {
      Nanos next = until;
      for (std::size_t c = 0; c < kBusyComponents; ++c) {
        std::deque<Running>& queue = running_[c];
        while (!queue.empty() && queue.front().end <= now_) queue.pop_front();
        if (queue.empty()) continue;
        put(now_, static_cast<Component>(c), queue.front().owner);
        next = std::min(queue.front().end, until);
        break;
      }
      now_ = next;
    }
  }

  void put(Nanos begin, Component component, std::uint32_t owner) {
    if (!pieces_.empty()) {
      const Piece& last = pieces_.back();
      if (last.component == component && last.owner == owner) return;
    }
    pieces_.push_back({begin, component, owner});
  }

  const Trace& trace_;
  std::span<const std::uint32_t> owner_;
  Nanos kernel_gap_ns_;
  std::vector<Piece>& pieces_;
  std::array<std::deque<Running>, kBusyComponents> running_;
  Nanos now_ = 0;
  Nanos busy_until_ = 0;
};

Timeline::Timeline(const Trace& trace, std::span<const std::uint32_t> owner, Nanos kernel_gap_ns) {
  pieces_.reserve(trace.gpu.size() * 2 + 2);
  Sweep(trace, owner, kernel_gap_ns, pieces_).run();
  if (trace.gpu.size() == 0) pieces_.assign(1, {kBeginning, Component::kOtherIdle, kNoOwner});
}

void Timeline::add(Interval window, WindowTimes& times, std::span<Nanos> owned_ns) const {
  if (window.end <= window.begin) return;
  times.step_ns += window.length();
  // The last piece that begins at or before the window.
  auto piece = std::prev(std::upper_bound(pieces_.begin(), pieces_.end(), window.begin,
                                          [](Nanos t, const Piece& p) { return t < p.begin; }));
  for (Nanos from = window.begin; from < window.end; ++piece) {
    const auto next = std::next(piece);
    const Nanos to = next == pieces_.end() ? window.end : std::min(next->begin, window.end);
    times[piece->component] += to - from;
    if (!is_idle(piece->component)) owned_ns[piece->owner] += to - from;
    from = to;
  }
}

}  // namespace hta::analysis::diff
