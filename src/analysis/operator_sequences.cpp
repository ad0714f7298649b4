#include "operator_sequences.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "name_sequences.h"

namespace hta::analysis {
namespace {

// The nearest aten:: operator around (or at) every host event.
Column<HostId, HostId> enclosing_aten(const Trace& trace) {
  const HostEvents& host = trace.host;
  enum : std::uint8_t { kUnknown, kYes, kNo };
  std::vector<std::uint8_t> is_aten(trace.strings.size(), kUnknown);
  Column<HostId, HostId> aten;
  aten.reserve(host.size());
  for (const HostId row : IdRange<HostId>(host.size())) {
    std::uint8_t& known = is_aten[host.name[row].value()];
    if (known == kUnknown) known = trace.name(row).starts_with("aten::") ? kYes : kNo;
    const HostId parent = host.parent[row];
    aten.push_back(known == kYes ? row : parent.valid() ? aten[parent] : HostId());
  }
  return aten;
}

struct Totals {
  Summary op_delay_ns;
  Summary runtime_delay_ns;
};

}  // namespace

std::vector<launch::OperatorSequence> operator_sequences(const Trace& trace, std::span<const LaunchPair> pairs) {
  const Column<HostId, HostId> aten = enclosing_aten(trace);
  struct Entry {
    HostId op;
    std::uint32_t pair;
  };
  std::vector<Entry> entries;
  entries.reserve(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const HostId call = trace.launches.host[pairs[i].launch];
    const HostId around = call.valid() ? trace.host.parent[call] : HostId();
    if (around.valid() && aten[around].valid()) entries.push_back({aten[around], static_cast<std::uint32_t>(i)});
  }
  const auto by_op = [](const Entry& a, const Entry& b) { return a.op < b.op; };
  if (!std::is_sorted(entries.begin(), entries.end(), by_op)) std::stable_sort(entries.begin(), entries.end(), by_op);

  NameSequences sequences;  // the operator's name, then its kernels'
  std::unordered_map<NameSequences::Sequence, Totals> totals;
  for (std::size_t first = 0; first < entries.size();) {
    const HostId op = entries[first].op;
    NameSequences::Sequence sequence = sequences.extend(NameSequences::kEmpty, trace.host.name[op]);
    std::size_t next = first;
    for (; next < entries.size() && entries[next].op == op; ++next) {
      sequence = sequences.extend(sequence, trace.gpu.name[pairs[entries[next].pair].event]);
    }
    const LaunchPair& start = pairs[entries[first].pair];
    const Nanos launch_ns = trace.launches.start_ns[start.launch];
    Totals& of = totals[sequence];
    of.op_delay_ns.add(launch_ns - trace.host.start_ns[op]);
    of.runtime_delay_ns.add(trace.gpu.start_ns[start.event] - launch_ns);
    first = next;
  }

  std::vector<launch::OperatorSequence> out;
  for (const auto& [sequence, of] : totals) {
    const std::vector<StringId> names = sequences.names(sequence);
    out.push_back({SharedText(trace.text(names.front())), SharedText(join(trace.strings, names, 1, " -> ")),
                   of.op_delay_ns, of.runtime_delay_ns});
  }
  std::sort(out.begin(), out.end(), [](const launch::OperatorSequence& a, const launch::OperatorSequence& b) {
    if (a.op_delay_ns.count != b.op_delay_ns.count) return a.op_delay_ns.count > b.op_delay_ns.count;
    return std::tie(a.op, a.kernels) < std::tie(b.op, b.kernels);
  });
  return out;
}

}  // namespace hta::analysis
