#include "hta/analysis/overlap.h"

#include <set>

#include "variants.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;

namespace {

// What runs between two neighbouring boundaries, for all pairs of neighbours: quadratic.
struct Sums {
  Nanos comm = 0;
  Nanos compute = 0;
  Nanos both = 0;
};
Sums sums_of(const Trace& trace, std::int64_t device) {
  std::set<Nanos> cuts;
  for (const GpuId i : IdRange<GpuId>(trace.gpu.size())) cuts.insert({trace.gpu.start_ns[i], trace.gpu.end_ns(i)});
  Sums sums;
  for (auto at = cuts.begin(); std::next(at) != cuts.end(); ++at) {
    bool comm = false;
    bool compute = false;
    for (const GpuId i : IdRange<GpuId>(trace.gpu.size())) {
      if (trace.stream_of(i).device != device || trace.gpu.start_ns[i] > *at || trace.gpu.end_ns(i) <= *at) continue;
      comm |= trace.gpu.type[i] == KernelType::kCommunication;
      compute |= trace.gpu.type[i] == KernelType::kComputation;
    }
    const Nanos length = *std::next(at) - *at;
    sums.comm += comm ? length : 0;
    sums.compute += compute ? length : 0;
    sums.both += comm && compute ? length : 0;
  }
  return sums;
}

}  // namespace

TEST_CASE("overlap: the times are those that a look at every instant finds, and bound each other") {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    CAPTURE(seed);
    RandomTraceOptions options;
    options.devices = 1 + static_cast<int>(seed % 2);
    options.overlap_percent = 30;
    const Trace trace = build_trace(random_events(seed, options));
    const analysis::overlap::Partial partial = analysis::overlap::map(trace, options_of(analysis::kOverlap));
    for (const analysis::overlap::DeviceOverlap& device : partial.devices) {
      const Sums sums = sums_of(trace, device.device);
      CHECK(device.hiding.comm_ns == sums.comm);
      CHECK(device.compute_ns == sums.compute);
      CHECK(device.hiding.overlap_ns == sums.both);
      CHECK(device.hiding.overlap_ns <= std::min(device.hiding.comm_ns, device.compute_ns));
      Nanos comm_ns = 0;
      Nanos overlap_ns = 0;
      for (const auto& collective : device.collectives) {
        CHECK(collective.hiding.comm_ns <= device.hiding.comm_ns);
        comm_ns += collective.hiding.comm_ns;
        overlap_ns += collective.hiding.overlap_ns;
      }
      CHECK(comm_ns >= device.hiding.comm_ns);  // kinds that run at once are each counted
      CHECK(overlap_ns >= device.hiding.overlap_ns);
    }
  }
}

TEST_CASE("overlap: other times and another order of the file change nothing") {
  for (std::uint64_t seed = 200; seed < 200 + kSeeds; ++seed) {
    CAPTURE(seed);
    const auto events = random_events(seed);
    const auto expected = answer(analysis::kOverlap, events);
    CHECK(answer(analysis::kOverlap, shifted(events, -999'999)) == expected);
    CHECK(answer(analysis::kOverlap, shuffled(events, seed)) == expected);
  }
}
