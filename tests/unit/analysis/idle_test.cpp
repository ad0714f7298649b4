#include "hta/analysis/idle.h"

#include "support/trace_sketch.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;
using Rows = std::vector<std::string>;
using Values = std::initializer_list<std::pair<std::string_view, std::string_view>>;

namespace {
Outcome idle_of(const Trace& trace, Values options = {}) {
  return run(analysis::kIdle, {&trace}, options_of(analysis::kIdle, options));
}

Rows causes_of(const Trace& trace) {
  return rows_of(idle_of(trace).document, "gap_causes", {"cause", "idle_us", "pct_of_span", "count"});
}

// Kernels at 0-100 and from 200 on; the second is launched at 180 for 5, on the thread given.
void gap_of_100(TraceSketch& sketch, std::int64_t tid = TraceSketch::kMain) {
  sketch.kernel("first", -20, 5, 0, 100);
  sketch.call("cudaLaunchKernel", 180, 5, 7, tid);
  sketch.gpu("second", 200, 50, 7);
}
}  // namespace

TEST_CASE("idle: a gap before a late launch is host wait") {
  TraceSketch sketch;
  sketch.kernel("a", 0, 5, 10, 10);    // until 20
  sketch.kernel("b", 20, 5, 50, 10);   // launched at the very end of a: not late, and 30 is not below the default
  sketch.kernel("c", 61, 5, 70, 10);   // launched in the gap
  sketch.kernel("d", 75, 5, 109, 10);  // 29, launched in time
  const Trace trace = sketch.build();
  const Outcome outcome = idle_of(trace);
  CHECK(rows_of(outcome.document, "idle") ==
        Rows{"0|0|7|host_wait|10.000|0.1449|1|10.000||10.000|10.000|10.000|10.000|10.000",
             "0|0|7|kernel_wait|29.000|0.4203|1|29.000||29.000|29.000|29.000|29.000|29.000",
             "0|0|7|other|30.000|0.4348|1|30.000||30.000|30.000|30.000|30.000|30.000"});
  CHECK(rows_of(idle_of(trace, {{"kernel-gap", "30.001"}}).document, "idle", {"category", "idle_us", "count"}) ==
        Rows{"host_wait|10.000|1", "kernel_wait|59.000|2", "other|0.000|0"});
}

TEST_CASE("idle: a stream without gaps has three rows and no ratio") {
  TraceSketch sketch;
  sketch.gpu("a", 0, 10);
  sketch.gpu("b", 5, 2);  // inside a: the running end stays at 10
  sketch.gpu("c", 10, 3);
  const Trace trace = sketch.build();
  CHECK(rows_of(idle_of(trace).document, "idle") ==
        Rows{"0|0|7|host_wait|0.000||0|||||||", "0|0|7|kernel_wait|0.000||0|||||||", "0|0|7|other|0.000||0|||||||"});
}

TEST_CASE("idle: the device is idle only where no stream has work, and the smallest stream names a gap") {
  TraceSketch sketch;
  sketch.kernel("a", 0, 1, 10, 10, 7);
  sketch.kernel("b", 2, 1, 15, 25, 20);        // until 40
  sketch.kernel("late", 45, 1, 100, 10, 20);   // ends the gap with the next one, on a larger stream
  sketch.kernel("in time", 30, 1, 100, 5, 7);  // launched before the gap began: it decides
  sketch.gpu("unlinked", 120, 10, 0, 7);       // 10 after the others
  const Trace trace = sketch.build();
  CHECK(rows_of(idle_of(trace).document, "device_idle") ==
        Rows{"0|0|host_wait|0.000|0.00|0", "0|0|kernel_wait|10.000|8.33|1", "0|0|other|60.000|50.00|1"});
}

TEST_CASE("idle: a rank without GPU events has no rows") {
  TraceSketch sketch;
  sketch.op("aten::mm", 0, 10);
  const Trace trace = sketch.build();
  const Outcome outcome = idle_of(trace);
  CHECK(rows_of(outcome.document, "idle").empty());
  CHECK(rows_of(outcome.document, "device_idle").empty());
  CHECK(outcome.document.heading == Rows{"No GPU event was recorded: there is no idle time to explain."});
}

TEST_CASE(
    "idle: time before the launch belongs to the innermost event of the launching thread, the rest is launch latency") {
  TraceSketch sketch;
  gap_of_100(sketch);
  sketch.op("aten::mm", 90, 100);          // 100-130 and 150-180 in the gap
  sketch.op("aten::empty", 130, 20);       // inside it
  sketch.op("aten::other", 110, 60, 999);  // another thread says nothing
  const Trace trace = sketch.build();
  CHECK(causes_of(trace) == Rows{"operator|80.000|32.00|1", "launch_latency|20.000|8.00|1"});
  const Outcome outcome = idle_of(trace);
  CHECK(rows_of(outcome.document, "gap_sources", {"cause", "activity", "place", "idle_us", "pct"}) ==
        Rows{"operator|aten::mm||60.000|60.00", "operator|aten::empty|aten::mm|20.000|20.00",
             "launch_latency|cudaLaunchKernel||20.000|20.00"});
  CHECK(rows_of(outcome.document, "gaps",
                {"start_us", "dur_us", "cause", "activity", "covered_pct", "ended_by", "launch_name",
                 "launch_thread"}) == Rows{"120.000|100.000|operator|aten::mm|80.00|second|cudaLaunchKernel|100"});
}

TEST_CASE("idle: a region lends its cause to what happens inside, but for calls that block by themselves") {
  TraceSketch sketch;
  gap_of_100(sketch);
  sketch.annotation("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 100, 60);
  sketch.python("<built-in method poll of select.poll object>", 105, 20);
  sketch.call("cudaHostAlloc", 140, 10);
  sketch.annotation("Optimizer.step#Adam.step", 160, 15);
  sketch.op("aten::add_", 162, 3);
  sketch.call("cudaStreamSynchronize", 170, 5);
  const Trace trace = sketch.build();
  CHECK(causes_of(trace) == Rows{"data_loading|50.000|20.00|1", "launch_latency|20.000|8.00|1",
                                 "memory_allocation|10.000|4.00|1", "optimizer|10.000|4.00|1",
                                 "synchronisation|5.000|2.00|1", "not_recorded|5.000|2.00|1"});
}

TEST_CASE("idle: where the launching thread has nothing, the thread that launched before is asked") {
  TraceSketch sketch;
  gap_of_100(sketch, 200);  // the autograd thread goes on
  sketch.call("cudaStreamSynchronize", 80, 40);
  sketch.op("autograd::engine::evaluate_function: MmBackward0", 150, 60, 200);
  const Trace trace = sketch.build();
  CHECK(causes_of(trace) == Rows{"operator|30.000|12.00|1", "not_recorded|30.000|12.00|1",
                                 "synchronisation|20.000|8.00|1", "launch_latency|20.000|8.00|1"});
  CHECK(rows_of(idle_of(trace).document, "gaps", {"after_sync", "activity", "covered_pct"}) ==
        Rows{"cudaStreamSynchronize|autograd::engine::evaluate_function: MmBackward0|30.00"});
}

TEST_CASE("idle: the frame of the user's program is the place, however deep the time is spent") {
  TraceSketch sketch;
  gap_of_100(sketch);
  sketch.python("train.py(12): main", 0, 300);
  sketch.python("train.py(40): augment", 101, 78);
  sketch.python("/usr/lib/python3.11/site-packages/PIL/Image.py(5): resize", 102, 76);
  const Trace trace = sketch.build();
  CHECK(rows_of(idle_of(trace).document, "gaps", {"cause", "activity", "place", "covered_pct"}) ==
        Rows{"python|/usr/lib/python3.11/site-packages/PIL/Image.py(5): resize|train.py(40): augment|76.00"});
}

TEST_CASE("idle: a gap with nothing recorded says so") {
  TraceSketch sketch;
  gap_of_100(sketch);
  const Trace trace = sketch.build();
  CHECK(causes_of(trace) == Rows{"not_recorded|80.000|32.00|1", "launch_latency|20.000|8.00|1"});
  CHECK(rows_of(idle_of(trace).document, "gaps", {"cause", "activity", "covered_pct"}) == Rows{"not_recorded||80.00"});
}

TEST_CASE("idle: the heading names the cause and the rank that stands out") {
  TraceSketch fine;
  fine.kernel("a", 0, 5, 10, 100);
  fine.kernel("b", 20, 5, 112, 100);
  TraceSketch starved;
  starved.step(2, 0, 300);
  gap_of_100(starved);
  starved.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 100, 80);
  const Trace a = fine.build();
  const Trace b = starved.build();
  const Outcome outcome = run(analysis::kIdle, {&a, &b}, options_of(analysis::kIdle));
  CHECK(outcome.document.heading ==
        Rows{"GPU idle 22.57 % of the time (102.0 µs of 452.0 µs): 22.12 % waiting for the host, 0.44 % between "
             "kernels, 0.00 % waiting for "
             "something else.",
             "Of the idle time the host spent: data loading 78.43 % "
             "(enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__), launch "
             "latency 19.61 % (cudaLaunchKernel).",
             "Rank 1 is idle most: 40.00 % against a median of 0.99 %; mostly data loading 80.00 % "
             "(enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__).",
             "The longest wait for the host: 100.0 µs on rank 1 in step 2, data loading "
             "(enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__)."});
  CHECK(outcome.document.next == Rows{"launch"});
}

TEST_CASE("idle: --gaps limits single gaps over all ranks") {
  TraceSketch sketch;
  sketch.kernel("a", 0, 1, 5, 5);
  sketch.kernel("b", 15, 1, 30, 5);  // 20
  sketch.kernel("c", 50, 1, 65, 5);  // 30
  sketch.kernel("d", 75, 1, 80, 5);  // 10
  const Trace trace = sketch.build();
  CHECK(rows_of(idle_of(trace, {{"gaps", "2"}}).document, "gaps", {"dur_us", "ended_by"}) ==
        Rows{"30.000|c", "20.000|b"});
  CHECK(rows_of(idle_of(trace, {{"gaps", "0"}}).document, "gaps").size() == 3);
  CHECK(idle_of(trace, {{"gaps", "-1"}}).status.error().text() == "--gaps must not be negative");
}

TEST_CASE("idle: gaps before events whose launch call is not known are kept apart among the causes") {
  TraceSketch sketch;
  sketch.kernel("a", 0, 1, 10, 10);
  sketch.kernel("b", 3, 1, 30, 10);  // 10 after a, launched in time
  sketch.gpu("c", 45, 10);           // 5 after b
  sketch.gpu("d", 100, 10);          // 45 after c
  const Trace trace = sketch.build();
  CHECK(rows_of(idle_of(trace).document, "gap_causes", {"cause", "idle_us", "count", "after_sync_us"}) ==
        Rows{"kernel_wait|10.000|1|", "not_linked|50.000|2|"});
  CHECK(rows_of(idle_of(trace).document, "device_idle", {"category", "idle_us"}) ==
        Rows{"host_wait|0.000", "kernel_wait|15.000", "other|45.000"});
}

TEST_CASE("idle: what follows a synchronising call is told by cause, also if the call ends as the gap begins") {
  const auto after_sync = [](std::int64_t sync_end_us) {
    TraceSketch sketch;
    sketch.kernel("first", -20, 5, 0, 100);
    sketch.call("cudaStreamSynchronize", 10, sync_end_us - 10);
    sketch.op("aten::add", 120, 60);
    sketch.kernel("second", 180, 5, 200, 50);
    const Trace trace = sketch.build();
    return rows_of(idle_of(trace).document, "gap_causes", {"cause", "idle_us", "after_sync_us"});
  };
  CHECK(after_sync(110) == Rows{"operator|60.000|60.000", "launch_latency|20.000|20.000",
                                "synchronisation|10.000|10.000", "not_recorded|10.000|10.000"});
  CHECK(after_sync(100) ==
        Rows{"operator|60.000|60.000", "launch_latency|20.000|20.000", "not_recorded|20.000|20.000"});
  CHECK(after_sync(99) == Rows{"operator|60.000|0.000", "launch_latency|20.000|0.000", "not_recorded|20.000|0.000"});
}
