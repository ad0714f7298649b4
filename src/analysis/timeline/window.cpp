#include "window.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace hta::analysis::timeline {
namespace {

constexpr Nanos kLeastMargin = 20 * kNanosPerMicro;
constexpr std::size_t kMostStreams = 8;
constexpr std::size_t kMostLevels = 5;
constexpr std::int64_t kTooShortToSee = 1500;  // as a part of the window

Shows shown_as(KernelType type) {
  switch (type) {
    case KernelType::kComputation: return Shows::kComputation;
    case KernelType::kCommunication: return Shows::kCommunication;
    case KernelType::kMemory: return Shows::kMemory;
    default: return Shows::kOther;
  }
}

bool overlap(Interval a, Interval b) {
  return a.begin < b.end && b.begin < a.end;
}

// The first row of a column of times in order that is not before `time`.
template <class RowId>
RowId first_from(const Column<RowId, Nanos>& starts, Nanos time) {
  return RowId(static_cast<std::size_t>(std::lower_bound(starts.begin(), starts.end(), time) - starts.begin()));
}

class WindowMaker {
 public:
  WindowMaker(const Trace& trace, const Candidate& place, std::size_t most, Nanos longest_gpu_ns)
      : trace_(trace), place_(place), most_(most), longest_gpu_ns_(longest_gpu_ns) {
    const Nanos margin = place.kind == PlaceKind::kLongStep ? place.time.length() / 20
                                                            : std::max(kLeastMargin, place.time.length() * 2 / 5);
    out_.time = {place.time.begin - margin, place.time.end + margin};
  }

  Window run() {
    add_host();
    add_device();
    return std::move(out_);
  }

 private:
  // Keeps the longest `most_` of `bars` and appends them in their order.
  void add(std::vector<Bar> bars) {
    if (bars.size() > most_) {
      out_.left_out += static_cast<std::int64_t>(bars.size() - most_);
      std::nth_element(bars.begin(), bars.begin() + static_cast<std::ptrdiff_t>(most_), bars.end(),
                       [](const Bar& a, const Bar& b) {
                         return std::tuple(-a.time.length(), a.track, a.time.begin, a.name) <
                                std::tuple(-b.time.length(), b.track, b.time.begin, b.name);
                       });
      bars.resize(most_);
    }
    std::sort(bars.begin(), bars.end(), [](const Bar& a, const Bar& b) {
      return std::tuple(a.track, a.time, a.name) < std::tuple(b.track, b.time, b.name);
    });
    for (Bar& bar : bars) bar.name = name_index(StringId(bar.name));
    out_.bars.insert(out_.bars.end(), bars.begin(), bars.end());
  }

  std::uint32_t name_index(StringId name) {
    const auto [at, fresh] = names_.try_emplace(name, static_cast<std::uint32_t>(out_.names.size()));
    if (fresh) out_.names.emplace_back(trace_.text(name));
    return at->second;
  }

  void add_device() {
    std::map<Stream, Nanos> busy;
    std::vector<std::pair<GpuId, Stream>> events;
    const GpuId first = first_from(trace_.gpu.start_ns, out_.time.begin - longest_gpu_ns_);
    for (GpuId i = first; i.value() < trace_.gpu.size() && trace_.gpu.start_ns[i] < out_.time.end;
         i = GpuId(i.value() + 1)) {
      const Interval time{trace_.gpu.start_ns[i], trace_.gpu.end_ns(i)};
      if (!overlap(time, out_.time)) continue;
      busy[trace_.stream_of(i)] += time.length();
      events.emplace_back(i, trace_.stream_of(i));
    }
    while (busy.size() > kMostStreams) {
      busy.erase(
          std::min_element(busy.begin(), busy.end(), [](const auto& a, const auto& b) { return a.second < b.second; }));
    }
    std::map<Stream, std::uint16_t> tracks;
    bool several = false;
    for (const auto& [stream, ns] : busy) several |= stream.device != busy.begin()->first.device;
    for (const auto& [stream, ns] : busy) {
      tracks[stream] = static_cast<std::uint16_t>(out_.tracks.size());
      out_.tracks.push_back((several ? "GPU " + std::to_string(stream.device) + " " : "") + "stream " +
                            std::to_string(stream.stream));
    }
    std::vector<Bar> bars;
    for (const auto& [event, stream] : events) {
      const auto track = tracks.find(stream);
      if (track == tracks.end()) {
        ++out_.left_out;
        continue;
      }
      bars.push_back({{trace_.gpu.start_ns[event], trace_.gpu.end_ns(event)},
                      trace_.gpu.name[event].value(),
                      track->second,
                      shown_as(trace_.gpu.type[event])});
    }
    add(std::move(bars));
  }

  // Rows of the thread that overlap the window, those around first.
  std::vector<HostId> host_rows() const {
    const HostEvents& host = trace_.host;
    const HostId first = first_from(host.start_ns, out_.time.begin);
    std::vector<HostId> rows;
    HostId before = first;
    while (before.value() > 0) {
      before = HostId(before.value() - 1);
      if (host.thread[before] != place_.thread) continue;
      for (HostId row = before; row.valid(); row = host.parent[row]) rows.push_back(row);
      break;
    }
    std::reverse(rows.begin(), rows.end());
    for (HostId row = first; row.value() < host.size() && host.start_ns[row] < out_.time.end;
         row = HostId(row.value() + 1)) {
      if (host.thread[row] == place_.thread) rows.push_back(row);
    }
    std::erase_if(rows, [&](HostId row) { return host.end_ns(row) <= out_.time.begin; });
    return rows;
  }

  // Nested events of the thread, but those that cover the whole window and those too short to be seen.
  void add_host() {
    if (!place_.thread.valid() || trace_.host.size() == 0) return;
    struct Open {
      Nanos end_ns;
      std::size_t level;  // of the events inside
    };
    std::vector<Open> open;
    std::vector<Bar> bars;
    std::size_t levels = 0;
    for (const HostId row : host_rows()) {
      const Interval time{trace_.host.start_ns[row], trace_.host.end_ns(row)};
      while (!open.empty() && open.back().end_ns <= time.begin) open.pop_back();
      const std::size_t level = open.empty() ? 0 : open.back().level;
      const bool around = time.begin <= out_.time.begin && time.end >= out_.time.end;
      const bool seen = !around && time.length() * kTooShortToSee >= out_.time.length() && level < kMostLevels;
      open.push_back({time.end, level + (seen ? 1 : 0)});
      if (!seen) continue;
      levels = std::max(levels, level + 1);
      bars.push_back({time, trace_.host.name[row].value(), static_cast<std::uint16_t>(level), Shows::kHost});
    }
    const std::string thread = trace_.track_text(trace_.threads[place_.thread.value()].tid);
    for (std::size_t level = 0; level < levels; ++level) out_.tracks.push_back(level == 0 ? "thread " + thread : "");
    add(std::move(bars));
  }

  const Trace& trace_;
  const Candidate& place_;
  std::size_t most_;
  Nanos longest_gpu_ns_;
  Window out_;
  std::unordered_map<StringId, std::uint32_t> names_;
};

}  // namespace

Windows::Windows(const Trace& trace) : trace_(trace) {
  for (const GpuId i : IdRange<GpuId>(trace.gpu.size()))
    longest_gpu_ns_ = std::max(longest_gpu_ns_, trace.gpu.dur_ns[i]);
}

Window Windows::around(const Candidate& place, std::size_t most) const {
  return WindowMaker(trace_, place, most, longest_gpu_ns_).run();
}

}  // namespace hta::analysis::timeline
