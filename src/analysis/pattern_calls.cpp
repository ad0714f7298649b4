#include "pattern_calls.h"

#include <algorithm>
#include <tuple>

namespace hta::analysis {
namespace {

bool is_step_name(std::string_view name) {
  constexpr std::string_view kPrefix = "ProfilerStep#";
  if (!name.starts_with(kPrefix) || name.size() == kPrefix.size()) return false;
  return name.find_first_not_of("0123456789", kPrefix.size()) == std::string_view::npos;
}

// Whether a host event may be a root, looking at each distinct name once.
class RootTest {
 public:
  RootTest(const Trace& trace, const std::optional<std::string>& name_part)
      : trace_(trace), name_part_(name_part), known_(trace.strings.size()) {}

  bool operator()(HostId row) {
    if (!name_part_ && !is_operator(row)) return false;
    std::uint8_t& known = known_[trace_.host.name[row].value()];
    if (known == kUnknown) {
      const std::string_view name = trace_.name(row);
      const bool yes = name_part_ ? name.find(*name_part_) != std::string_view::npos : !is_step_name(name);
      known = yes ? kYes : kNo;
    }
    return known == kYes;
  }

 private:
  enum : std::uint8_t { kUnknown, kYes, kNo };
  bool is_operator(HostId row) const {
    const CategoryId category = trace_.host.category[row];
    return category.valid() && trace_.category(category).kind == CategoryKind::kOperator;
  }

  const Trace& trace_;
  const std::optional<std::string>& name_part_;
  std::vector<std::uint8_t> known_;  // by name
};

struct Entry {
  HostId root;
  GpuId event;
};

// Linked GPU events with the root above their launch, by root, then start, then position.
std::vector<Entry> events_below_roots(const Trace& trace, const std::optional<std::string>& name_part) {
  RootTest may_be_root(trace, name_part);
  std::vector<HostId> root_of(trace.host.size());
  for (const HostId row : IdRange<HostId>(trace.host.size())) {
    const HostId parent = trace.host.parent[row];
    const HostId outer = parent.valid() ? root_of[parent.value()] : HostId();
    root_of[row.value()] = outer.valid() ? outer : may_be_root(row) ? row : HostId();
  }
  const GpuEvents& gpu = trace.gpu;
  std::vector<Entry> entries;
  for (const GpuId event : IdRange<GpuId>(gpu.size())) {
    if (!gpu.launch[event].valid()) continue;
    const HostId call = trace.launches.host[gpu.launch[event]];
    if (call.valid() && root_of[call.value()].valid()) entries.push_back({root_of[call.value()], event});
  }
  std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
    return std::tuple(a.root, gpu.start_ns[a.event], gpu.position[a.event]) <
           std::tuple(b.root, gpu.start_ns[b.event], gpu.position[b.event]);
  });
  return entries;
}

}  // namespace

std::vector<PatternCall> pattern_calls(const Trace& trace, const std::optional<std::string>& name_part,
                                       std::size_t min_events, NameSequences& sequences) {
  const std::vector<Entry> entries = events_below_roots(trace, name_part);
  const GpuEvents& gpu = trace.gpu;
  std::vector<PatternCall> calls;
  for (std::size_t first = 0, next = 0; first < entries.size(); first = next) {
    const HostId root = entries[first].root;
    while (next < entries.size() && entries[next].root == root) ++next;
    if (next - first < min_events) continue;
    PatternCall call;
    call.root = root;
    call.sequence = sequences.extend(NameSequences::kEmpty, trace.host.name[root]);
    call.events = static_cast<std::uint32_t>(next - first);
    call.gpu_extent = {gpu.start_ns[entries[first].event], gpu.end_ns(entries[first].event)};
    for (std::size_t i = first; i < next; ++i) {
      const GpuId event = entries[i].event;
      call.sequence = sequences.extend(call.sequence, gpu.name[event]);
      call.gpu_ns += gpu.dur_ns[event];
      call.gpu_extent.end = std::max(call.gpu_extent.end, gpu.end_ns(event));
    }
    calls.push_back(call);
  }
  return calls;
}

}  // namespace hta::analysis
