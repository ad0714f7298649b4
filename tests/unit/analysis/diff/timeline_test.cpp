#include "hta/analysis/diff/timeline.h"

#include "support/trace_sketch.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::analysis::diff;
using namespace hta::test;

namespace {

// Microseconds of a window, by component, and what each owner has of it (owner = position among the GPU events).
struct Parts {
  std::vector<Nanos> components;
  std::vector<Nanos> owned;
};

Parts parts_of(const Trace& trace, std::int64_t begin_us, std::int64_t end_us) {
  std::vector<std::uint32_t> owner;
  for (const GpuId i : IdRange<GpuId>(trace.gpu.size())) owner.push_back(i.value());
  std::vector<Nanos> owned(trace.gpu.size() + 1);
  WindowTimes times;
  Timeline(trace, owner, 30 * kNanosPerMicro).add({TraceSketch::us(begin_us), TraceSketch::us(end_us)}, times, owned);
  CHECK(times.step_ns == TraceSketch::us(end_us - begin_us));
  Parts out;
  for (const Nanos part : times.component_ns) out.components.push_back(part / kNanosPerMicro);
  for (const Nanos part : owned) out.owned.push_back(part / kNanosPerMicro);
  out.owned.resize(trace.gpu.size());
  return out;
}
using Micros = std::vector<Nanos>;

}  // namespace

TEST_CASE("timeline: computation hides communication, communication hides copies") {
  TraceSketch sketch;
  sketch.gpu("gemm", 20, 50);                                 // 20-70
  sketch.gpu("ncclDevKernel_AllReduce", 60, 40, 0, 20);       // 60-100, 30 exposed
  sketch.gpu("Memcpy HtoD", 90, 20, 0, 16, 0, "gpu_memcpy");  // 90-110, 10 exposed
  const Trace trace = sketch.build();
  const Parts parts = parts_of(trace, 20, 110);
  CHECK(parts.components == Micros{50, 30, 10, 0, 0, 0});
  CHECK(parts.owned == Micros{50, 30, 10});
}

TEST_CASE("timeline: of kernels that run together the first in event order owns the time") {
  TraceSketch sketch;
  sketch.gpu("long", 0, 50, 0, 7);
  sketch.gpu("second", 10, 20, 0, 8);  // inside: owns nothing
  sketch.gpu("third", 40, 30, 0, 9);   // 50-70
  const Trace trace = sketch.build();
  CHECK(parts_of(trace, 0, 70).owned == Micros{50, 0, 20});
  // Clipped: the window sees what lies in it.
  CHECK(parts_of(trace, 45, 60).owned == Micros{5, 0, 10});
}

TEST_CASE("timeline: other devices of the rank count as busy too") {
  TraceSketch sketch;
  sketch.gpu("a", 0, 10, 0, 7, 0);
  sketch.gpu("b", 10, 10, 0, 7, 1);
  CHECK(parts_of(sketch.build(), 0, 20).components == Micros{20, 0, 0, 0, 0, 0});
}

TEST_CASE("timeline: a gap is judged by the event that ends it, uncut") {
  TraceSketch sketch;
  sketch.kernel("a", 0, 5, 10, 10);    // 10-20
  sketch.kernel("b", 25, 5, 60, 10);   // 20-60: launched during the gap
  sketch.kernel("c", 50, 5, 90, 10);   // 70-90: launched in time, under 30 µs
  sketch.kernel("d", 55, 5, 130, 10);  // 100-130: launched in time, 30 µs
  const Trace trace = sketch.build();
  CHECK(parts_of(trace, 10, 140).components == Micros{40, 0, 0, 40, 20, 30});
  // Five microseconds of the long gap are no kernel wait.
  CHECK(parts_of(trace, 100, 105).components == Micros{0, 0, 0, 0, 0, 5});
}

TEST_CASE("timeline: a zero-length event splits a gap") {
  TraceSketch sketch;
  sketch.kernel("a", 0, 5, 0, 10);     // 0-10
  sketch.kernel("mark", 2, 1, 60, 0);  // 10-60: other
  sketch.kernel("b", 3, 1, 80, 10);    // 60-80: kernel wait, since the gap began at 60
  CHECK(parts_of(sketch.build(), 0, 90).components == Micros{20, 0, 0, 0, 20, 50});
}

TEST_CASE("timeline: of events that end a gap together the smallest device and stream counts") {
  TraceSketch sketch;
  sketch.gpu("a", 0, 10);
  sketch.kernel("late", 15, 1, 50, 20, 9);
  sketch.gpu("unlinked", 50, 5, 0, 7);  // stream 7 before 9: no launch, 40 µs
  CHECK(parts_of(sketch.build(), 0, 70).components == Micros{30, 0, 0, 0, 0, 40});
}

TEST_CASE(
    "timeline: before the first event the host is waited for if that has a launch; after the last one it is other") {
  TraceSketch linked;
  linked.kernel("a", 40, 5, 50, 10);
  CHECK(parts_of(linked.build(), 0, 100).components == Micros{10, 0, 0, 50, 0, 40});
  TraceSketch unlinked;
  unlinked.gpu("a", 50, 10);
  CHECK(parts_of(unlinked.build(), 0, 100).components == Micros{10, 0, 0, 0, 0, 90});
  TraceSketch empty;
  empty.op("aten::mm", 0, 10);
  CHECK(parts_of(empty.build(), 0, 100).components == Micros{0, 0, 0, 0, 0, 100});
}
