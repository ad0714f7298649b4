#include "hta/model/trace_builder.h"

#include "support/trace_sketch.h"
#include <catch2/catch.hpp>

using namespace hta;
using test::TraceSketch;

namespace {
Event record(TraceBuilder& builder, char phase, std::string_view category, std::optional<std::string_view> name,
             std::optional<Nanos> time, std::optional<Nanos> dur) {
  Event event;
  event.phase = phase;
  event.category = builder.category(builder.strings().intern(category));
  event.has_name = name.has_value();
  if (name) event.name = builder.strings().intern(*name);
  event.time_ns = time;
  event.dur_ns = dur;
  event.pid.number = 1;
  event.tid.number = 1;
  return event;
}
std::uint64_t faults(const Trace& trace, EventFault fault) {
  return trace.quality[fault].count;
}
constexpr Nanos kDay = 86'400 * kNanosPerSecond;
}  // namespace

TEST_CASE("trace: what does not count is counted by kind") {
  TraceSketch sketch;
  TraceBuilder& b = sketch.builder();
  b.add(record(b, 'X', "kernel", std::nullopt, 1, 1));
  b.add(record(b, 'X', "kernel", "", 1, 1));  // the empty name is a name
  b.add(record(b, 'X', "kernel", "k", std::nullopt, 1));
  b.add(record(b, 'X', "kernel", "k", 1, std::nullopt));
  b.add(record(b, 'X', "kernel", "k", 1, -1));
  b.add(record(b, 'X', "kernel", "k", 1, 7 * kDay + 1));
  b.add(record(b, 'X', "kernel", "k", 1, 7 * kDay));
  b.add(record(b, 'X', "kernel", "k", 0, 0));
  b.add(record(b, 'X', "cpu_op", "k", 0, 0));  // only GPU events need times
  b.add(record(b, 'X', "Trace", "PyTorch Profiler (0)", 1, 1));
  b.add(record(b, 'X', "trace", "not the profiler's window", 1, 1));
  b.add(record(b, 'X', "kernel", "k", INT64_MAX, 1));
  const Trace trace = sketch.build();
  CHECK(trace.quality.kept == 4);
  CHECK(faults(trace, EventFault::kNoName) == 1);
  CHECK(faults(trace, EventFault::kNoTime) == 2);
  CHECK(faults(trace, EventFault::kNegativeDuration) == 1);
  CHECK(faults(trace, EventFault::kTooLong) == 1);
  CHECK(faults(trace, EventFault::kZeroTimes) == 1);
  CHECK(faults(trace, EventFault::kProfilerSpan) == 1);
  CHECK(faults(trace, EventFault::kTimeOutOfRange) == 1);
  CHECK(trace.quality.ignored() == 8);
}

TEST_CASE("trace: an end closes the innermost open begin of its thread") {
  TraceSketch sketch;
  TraceBuilder& b = sketch.builder();
  b.add(record(b, 'B', "cpu_op", "outer", 10, std::nullopt));
  b.add(record(b, 'B', "cpu_op", "inner", 20, std::nullopt));
  b.add(record(b, 'E', "cpu_op", std::nullopt, 30, std::nullopt));
  b.add(record(b, 'E', "cpu_op", std::nullopt, 50, std::nullopt));
  b.add(record(b, 'E', "cpu_op", std::nullopt, 60, std::nullopt));
  b.add(record(b, 'B', "cpu_op", "never closed", 70, std::nullopt));
  const Trace trace = sketch.build();
  REQUIRE(trace.host.size() == 2);
  CHECK(trace.name(HostId(0)) == "outer");
  CHECK(trace.host.dur_ns[HostId(0)] == 40);
  CHECK(trace.host.dur_ns[HostId(1)] == 10);
  CHECK(trace.host.parent[HostId(1)] == HostId(0));
  CHECK(faults(trace, EventFault::kUnpairedEnd) == 1);
  CHECK(faults(trace, EventFault::kUnpairedBegin) == 1);
}

TEST_CASE("trace: events are in order of start, then the longer first, then the file") {
  TraceSketch sketch;
  sketch.op("c", 10, 5);
  sketch.op("b", 10, 5);
  sketch.op("a", 10, 9);
  sketch.op("z", 5, 1);
  const Trace trace = sketch.build();
  std::string order;
  for (const HostId i : IdRange<HostId>(trace.host.size())) order += trace.name(i);
  CHECK(order == "zacb");
}

TEST_CASE("trace: of several launch calls with one correlation the earliest is the launch") {
  TraceSketch sketch;
  sketch.call("late", 20, 5, 42);
  sketch.call("early", 10, 5, 42);
  sketch.gpu("k", 30, 10, 42);
  sketch.gpu("graph node", 40, 10, 42);
  sketch.gpu("no correlation", 50, 10, 0);
  sketch.gpu("unknown", 60, 10, 43);
  const Trace trace = sketch.build();
  REQUIRE(trace.gpu.launch[GpuId(0)].valid());
  CHECK(trace.name(trace.gpu.launch[GpuId(0)]) == "early");
  CHECK(trace.launches.gpu_events(trace.gpu.launch[GpuId(0)]).size() == 2);
  CHECK_FALSE(trace.gpu.launch[GpuId(2)].valid());
  CHECK_FALSE(trace.gpu.launch[GpuId(3)].valid());
  CHECK(trace.gpu_events_linked == 2);
}

TEST_CASE("trace: correlations far apart link as well") {
  TraceSketch sketch;
  sketch.call("a", 0, 1, 1);
  sketch.call("b", 2, 1, std::int64_t{1} << 60);
  sketch.gpu("k", 5, 1, std::int64_t{1} << 60);
  const Trace trace = sketch.build();
  CHECK(trace.name(trace.gpu.launch[GpuId(0)]) == "b");
}

TEST_CASE("trace: a GPU event belongs to the step of its launch") {
  TraceSketch sketch;
  sketch.step(7, 0, 100);
  sketch.step(8, 100, 100);
  sketch.kernel("k", 90, 5, 120, 10);
  sketch.gpu("unlinked", 130, 10);
  sketch.gpu("after all", 500, 10);
  const Trace trace = sketch.build();
  CHECK(trace.step(trace.gpu.step[GpuId(0)]).number == 7);
  CHECK(trace.step(trace.gpu.step[GpuId(1)]).number == 8);
  CHECK_FALSE(trace.gpu.step[GpuId(2)].valid());
}

TEST_CASE("trace: step events of one number are one window; device copies and other names are no steps") {
  TraceSketch sketch;
  sketch.step(3, 10, 10);
  sketch.op("ProfilerStep#3", 40, 5);
  sketch.annotation("ProfilerStep#3a", 0, 5);
  sketch.event("gpu_user_annotation", "ProfilerStep#4", 0, 100, 0, 7);
  const Trace trace = sketch.build();
  REQUIRE(trace.steps.size() == 1);
  CHECK(trace.steps[0].start_ns == 10'000);
  CHECK(trace.steps[0].end_ns == 45'000);
  CHECK(trace.step_at(9'999) == StepId());
  CHECK(trace.step_at(44'999) == StepId(0));
  CHECK(trace.step_at(45'000) == StepId());
}

TEST_CASE("trace: a child that outlives its parent ends with it, for nesting only") {
  TraceSketch sketch;
  sketch.op("parent", 0, 10);
  sketch.op("child", 5, 20);
  sketch.op("next", 12, 3);
  const Trace trace = sketch.build();
  CHECK(trace.host.parent[HostId(1)] == HostId(0));
  CHECK_FALSE(trace.host.parent[HostId(2)].valid());
  CHECK(trace.host.dur_ns[HostId(1)] == 20'000);
}

TEST_CASE("trace: suspects are kept and counted") {
  TraceSketch sketch;
  sketch.call("launch", 100, 10, 5);
  sketch.gpu("before its launch", 90, 10, 5);
  sketch.gpu("endless", 200, 2'000'000);
  const Trace trace = sketch.build();
  CHECK(trace.gpu.size() == 2);
  CHECK(faults(trace, EventFault::kStartsBeforeLaunch) == 1);
  CHECK(faults(trace, EventFault::kDominatesRank) == 1);
}

TEST_CASE("trace: the filter keeps GPU events by device, stream, step and name") {
  BuildOptions options;
  options.needs = test::every_need();
  options.filter.streams = *IntRanges::parse("7");
  options.filter.name = std::make_shared<const std::regex>("gemm");
  TraceBuilder builder(options);
  const auto add = [&](std::string_view name, Nanos start, std::int64_t stream) {
    Event event = record(builder, 'X', "kernel", name, start, 5);
    const ArgValue args[] = {{ArgKey::kStream, stream}, {ArgKey::kBytes, start}};
    event.args = args;
    builder.add(event);
  };
  add("relu", 1, 7);
  add("gemm", 2, 20);
  add("gemm", 3, 7);
  const Trace trace = builder.finish();
  REQUIRE(trace.gpu.size() == 1);
  CHECK(trace.gpu.start_ns[GpuId(0)] == 3);
  CHECK(trace.gpu_args[ArgKey::kBytes].find(GpuId(0)) == 3);
  CHECK(trace.quality.kept == 3);
}

TEST_CASE("trace: a last step without most of its kernels is incomplete") {
  TraceSketch sketch;
  sketch.step(1, 0, 100);
  sketch.step(2, 100, 100);
  for (int i = 0; i < 5; ++i) sketch.kernel("k", i * 10, 5, i * 10 + 6, 3);
  for (int i = 0; i < 4; ++i) sketch.kernel("k", 100 + i * 10, 5, 106 + i * 10, 3);
  sketch.call("cudaLaunchKernel", 150, 5, 9);
  sketch.call("cudaStreamIsCapturing", 160, 5, 10);  // never launches anything: does not count
  const Trace trace = sketch.build();
  REQUIRE(trace.incomplete_steps.size() == 1);
  CHECK(trace.step(trace.incomplete_steps[0]).number == 2);
}

TEST_CASE("trace: a builder that took back a trace starts empty") {
  TraceSketch sketch;
  sketch.kernel("k", 0, 5, 10, 5);
  Trace first = sketch.build();
  sketch.builder().recycle(std::move(first));
  sketch.gpu("other", 0, 1);
  const Trace second = sketch.build();
  CHECK(second.gpu.size() == 1);
  CHECK(second.launches.size() == 0);
  CHECK(second.name(GpuId(0)) == "other");
  CHECK(second.quality.kept == 1);
}
