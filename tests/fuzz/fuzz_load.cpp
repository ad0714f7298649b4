// Any bytes as a trace file, with everything kept: the trace that comes out keeps the laws of the model.

#include "hta/input/load.h"

#include <cstdint>
#include <cstdlib>

using namespace hta;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const Trace& trace) {
  const GpuEvents& gpu = trace.gpu;
  for (const GpuId i : IdRange<GpuId>(gpu.size())) {
    require(gpu.dur_ns[i] >= 0);
    if (i.value() > 0) require(gpu.start_ns[GpuId(i.value() - 1)] <= gpu.start_ns[i]);
    if (gpu.launch[i].valid()) require(gpu.correlation[i] == trace.launches.correlation[gpu.launch[i]]);
    if (gpu.step[i].valid()) require(gpu.step[i].value() < trace.steps.size());
  }
  const HostEvents& host = trace.host;
  for (const HostId i : IdRange<HostId>(host.size())) {
    const HostId parent = host.parent[i];
    if (!parent.valid()) continue;
    require(parent < i);
    require(host.thread[parent] == host.thread[i]);
    require(host.start_ns[parent] <= host.start_ns[i] && host.start_ns[i] < host.end_ns(parent));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  input::OpenedSource opened;
  opened.source = input::memory_source(reinterpret_cast<const char*>(data), size);
  opened.file_bytes = size;
  input::LoadOptions options;
  Needs& needs = options.build.needs;
  needs.host_events = needs.python_frames = needs.call_tree = needs.annotations = true;
  needs.sync_records = needs.memory_events = needs.flows = needs.profiler_ranges = true;
  needs.gpu_args = {ArgKey::kBytes, ArgKey::kMemoryBandwidth, ArgKey::kSeq};
  input::Workspace workspace;
  const input::LoadedFile file =
      input::load_source("fuzz", std::move(opened), options, input::Threads::kOne, workspace);
  for (const Trace& trace : file.traces) check(trace);
  return 0;
}
