// Whole files into the model, everything stored: no crash, and the counts add up.
#include "hta/input/load.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "expect.h"

namespace {

using hta::fuzz::expect;

hta::Needs all_needs() {
  hta::Needs needs;
  needs.host_events = needs.python_frames = needs.call_tree = needs.annotations = true;
  needs.sync_records = needs.memory_events = needs.flows = needs.profiler_ranges = true;
  for (std::size_t i = 0; i < hta::kArgCount; ++i) {
    needs.gpu_args.insert(static_cast<hta::ArgKey>(i));
    needs.host_args.insert(static_cast<hta::ArgKey>(i));
  }
  return needs;
}

hta::input::LoadedFile load(std::string_view text, const hta::Needs& needs, hta::input::Workspace& workspace) {
  hta::input::OpenedSource opened;
  opened.source = hta::input::memory_source(text.data(), text.size());
  hta::input::LoadOptions options;
  options.build.needs = needs;
  options.limits.labels = 64;
  options.limits.names = 100'000;
  return hta::input::load_source("fuzz.json", std::move(opened), options, 1, workspace);
}

void expect_consistent(const hta::Trace& trace, const hta::input::LoadedFile& file) {
  expect(trace.quality.kept <= file.records, "more events kept than read");
  expect(trace.gpu.size() <= trace.quality.kept, "more GPU events than events");
  expect(trace.gpu_events_linked <= trace.gpu.size(), "more links than GPU events");
  for (const hta::FaultCount& fault : trace.quality.faults) {
    expect(fault.first_offsets.size() + fault.first_positions.size() <= fault.count, "more places than faults");
  }
  for (const hta::GpuId i : hta::IdRange<hta::GpuId>(trace.gpu.size())) {
    expect(trace.gpu.dur_ns[i] >= 0 && trace.gpu.start_ns[i] >= *trace.first_start_ns &&
               trace.gpu.end_ns(i) <= trace.last_end_ns,
           "a GPU event outside of the trace");
    if (i.value() > 0)
      expect(trace.gpu.start_ns[hta::GpuId(i.value() - 1)] <= trace.gpu.start_ns[i], "GPU events out of order");
    const hta::LaunchId launch = trace.gpu.launch[i];
    if (launch.valid())
      expect(trace.launches.correlation[launch] == trace.gpu.correlation[i] && trace.gpu.correlation[i] >= 1,
             "a wrong link");
  }
  for (const hta::HostId i : hta::IdRange<hta::HostId>(trace.host.size())) {
    const hta::HostId parent = trace.host.parent[i];
    if (parent.valid())
      expect(parent < i && trace.host.thread[parent] == trace.host.thread[i] &&
                 trace.host.end_ns(parent) > trace.host.start_ns[i],
             "a wrong parent");
  }
}

bool damaged(const hta::input::LoadedFile& file) {
  return std::any_of(file.traces.begin(), file.traces.end(),
                     [](const hta::Trace& trace) { return trace.quality.damaged() > 0; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const hta::Needs kAll = all_needs();
  hta::input::Workspace workspace;  // used twice: recycled memory must not show
  const hta::input::LoadedFile full = load(text, kAll, workspace);
  expect((full.status == hta::input::FileStatus::kOk) == full.problem.empty(),
         "a problem without a status, or the reverse");
  for (const hta::Trace& trace : full.traces) expect_consistent(trace, full);
  if (full.traces.empty()) return 0;

  const hta::Trace& first = full.traces.front();
  const hta::input::LoadedFile little = load(text, hta::Needs{}, workspace);
  // Damage inside an argument is only noticed by who reads it, and what follows may depend on that.
  if (damaged(full) || damaged(little)) return 0;
  expect(little.traces.size() == full.traces.size(), "needs decide on the number of ranks");
  const hta::Trace& same = little.traces.front();
  expect(same.quality.kept == first.quality.kept && same.quality.ignored() == first.quality.ignored() &&
             same.quality.suspect() == first.quality.suspect() && same.gpu.size() == first.gpu.size() &&
             same.gpu_events_linked == first.gpu_events_linked && same.steps.size() == first.steps.size() &&
             same.first_start_ns == first.first_start_ns && same.last_end_ns == first.last_end_ns,
         "what counts depends on the needs");
  return 0;
}
