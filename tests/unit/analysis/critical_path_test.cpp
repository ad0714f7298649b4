#include "hta/analysis/critical_path.h"

#include "support/trace_sketch.h"
#include <catch2/catch.hpp>

namespace hta {
namespace {

using analysis::kCriticalPath;
using test::TraceSketch;
using Rows = std::vector<std::string>;
using Values = std::initializer_list<std::pair<std::string_view, std::string_view>>;

constexpr auto us = TraceSketch::us;

test::Outcome run(const Trace& trace, Values values = {}) {
  analysis::Options options = test::options_of(kCriticalPath, values);
  options.tables = {"critical_path", "critical_path_summary", "critical_path_events", "critical_path_window",
                    "critical_path_slack"};
  return test::run(kCriticalPath, {&trace}, options);
}

// event, time on the path, what it is bound by, how the walk went on: the columns that tell the story.
Rows path_of(const Trace& trace, Values values = {}) {
  const test::Outcome outcome = run(trace, values);
  REQUIRE(outcome.status.ok());
  return test::rows_of(outcome.document, "critical_path", {"event", "on_path_us", "bound_by", "link"});
}

// A cuda_sync record on `stream`, with the call of `correlation`.
void sync_record(TraceSketch& sketch, std::string_view name, std::int64_t stream, std::int64_t correlation,
                 std::int64_t wait_on_stream = -1, std::int64_t recorded_by = -1) {
  sketch.event("cuda_sync", name, us(1), us(1), 0, stream,
               {{ArgKey::kDevice, 0, {}},
                {ArgKey::kStream, stream, {}},
                {ArgKey::kCorrelation, correlation, {}},
                {ArgKey::kWaitOnStream, wait_on_stream, {}},
                {ArgKey::kWaitOnEventRecordCorrelation, recorded_by, {}}});
}

// A kernel that the host launches at 10 and waits for.
TraceSketch launch_and_wait() {
  TraceSketch sketch;
  sketch.op("aten::mm", 0, 20);
  sketch.kernel("gemm", 10, 5, 30, 100);
  sketch.op("aten::item", 40, 110);
  sketch.call("cudaStreamSynchronize", 50, 85, 7);
  return sketch;
}

}  // namespace

TEST_CASE("critical path: from the waiting call over the kernel to its launch, each nanosecond once") {
  TraceSketch sketch = launch_and_wait();
  const Trace trace = sketch.build();
  CHECK(path_of(trace) == Rows{
                              "aten::mm|10.000|cpu_bound|start",
                              "cudaLaunchKernel|5.000|runtime_call|program",
                              "gemm|15.000|launch_overhead|launch",
                              "gemm|100.000|gpu_compute_bound|gap",
                              "cudaStreamSynchronize|5.000|sync_wait|sync",
                              "aten::item|15.000|cpu_bound|program",
                          });
  const test::Outcome outcome = run(trace);
  CHECK(test::rows_of(outcome.document, "critical_path_window") == Rows{"0|trace|0.000|150.000|150.000|6|5|2|0.000"});
  CHECK(test::rows_of(outcome.document, "critical_path_summary") == Rows{
                                                                        "0|gpu_compute_bound|100.000|66.67|1",
                                                                        "0|cpu_bound|25.000|16.67|2",
                                                                        "0|launch_overhead|15.000|10.00|1",
                                                                        "0|runtime_call|5.000|3.33|1",
                                                                        "0|sync_wait|5.000|3.33|1",
                                                                    });
}

TEST_CASE("critical path: a stream's sync record narrows the wait to that stream") {
  TraceSketch sketch;
  sketch.op("aten::mm", 0, 30);
  sketch.kernel("short", 5, 2, 10, 40, 7);
  sketch.kernel("long", 10, 2, 20, 75, 8);
  sketch.call("cudaStreamSynchronize", 40, 60, 9);
  SECTION("without a record the last kernel of any stream was waited for") {
    const Rows path = path_of(sketch.build());
    CHECK(path.at(path.size() - 2) == "long|75.000|gpu_compute_bound|gap");
  }
  SECTION("with a record the last one of its stream") {
    sync_record(sketch, "Stream Sync", 7, 9);
    const Rows path = path_of(sketch.build());
    CHECK(path.at(path.size() - 2) == "short|40.000|gpu_compute_bound|gap");
    CHECK(path.back() == "cudaStreamSynchronize|50.000|sync_wait|sync");
  }
}

TEST_CASE("critical path: a recorded wait of a stream is an edge, others are inferred only without records") {
  TraceSketch sketch;
  sketch.op("aten::mm", 0, 30);
  sketch.kernel("producer", 1, 2, 5, 100, 7);
  sketch.call("cudaEventRecord", 4, 1, 21);
  sketch.call("cudaStreamWaitEvent", 6, 1, 22);
  sketch.kernel("consumer", 8, 2, 110, 50, 8);
  SECTION("recorded") {
    sync_record(sketch, "Stream Wait Event", 8, 22, 7, 21);
    const Rows path = path_of(sketch.build());
    CHECK(path.at(path.size() - 2) == "consumer|5.000|stream_wait|event");
  }
  SECTION("inferred") {
    const Rows path = path_of(sketch.build());
    CHECK(path.at(path.size() - 2) == "consumer|5.000|stream_wait|inferred");
  }
  SECTION("not asked for") {
    const Rows path = path_of(sketch.build(), {{"no-infer", ""}});
    CHECK(path.at(path.size() - 2) == "consumer|100.000|launch_overhead|launch");
  }
}

TEST_CASE("critical path: a gap longer than the limit is unexplained, and the walk goes on") {
  TraceSketch sketch;
  sketch.kernel("first", 0, 2, 5, 10);
  sketch.kernel("second", 3, 2, 60, 10);
  CHECK(path_of(sketch.build()).at(3) == "second|45.000|unexplained|stream");
}

TEST_CASE("critical path: --kernel-gap is that limit") {
  TraceSketch sketch;
  sketch.kernel("first", 0, 2, 5, 10);
  sketch.kernel("second", 3, 2, 60, 10);
  CHECK(path_of(sketch.build(), {{"kernel-gap", "45"}}).at(3) == "second|45.000|kernel_gap|stream");
}

TEST_CASE("critical path: a blocking copy is held by its copy, not the copy by the end of its call") {
  TraceSketch sketch;
  sketch.op("aten::copy_", 0, 100);
  sketch.call("cudaMemcpy", 10, 80, 5);
  sketch.gpu("Memcpy HtoD (Pageable -> Device)", 30, 50, 5, 7, 0, "gpu_memcpy");
  CHECK(path_of(sketch.build()) == Rows{
                                       "aten::copy_|10.000|cpu_bound|start",
                                       "cudaMemcpy|20.000|sync_wait|program",
                                       "Memcpy HtoD (Pageable -> Device)|50.000|gpu_memory_bound|launch",
                                       "cudaMemcpy|10.000|sync_wait|sync",
                                       "aten::copy_|10.000|cpu_bound|program",
                                   });
}

TEST_CASE("critical path: the main thread waited for the helper that worked last, the helper for the main thread") {
  TraceSketch sketch;
  sketch.op("aten::forward", 0, 50);
  sketch.op("autograd::engine::evaluate_function: MulBackward0", 60, 100, 200);
  sketch.op("aten::step", 180, 20);
  CHECK(path_of(sketch.build()) == Rows{
                                       "aten::forward|50.000|cpu_bound|start",
                                       "|10.000|python_or_idle|thread",
                                       "autograd::engine::evaluate_function: MulBackward0|100.000|cpu_bound|program",
                                       "|20.000|python_or_idle|thread",
                                       "aten::step|20.000|cpu_bound|program",
                                   });
}

TEST_CASE("critical path: time inside a loader is data loading, also the operators in it") {
  TraceSketch sketch;
  sketch.op("aten::first", 0, 10);
  sketch.annotation("enumerate(DataLoader)#__next__", 10, 60);
  sketch.op("aten::stack", 20, 30);
  sketch.op("aten::last", 80, 20);
  CHECK(path_of(sketch.build()) == Rows{
                                       "aten::first|10.000|cpu_bound|start",
                                       "enumerate(DataLoader)#__next__|10.000|data_loading|program",
                                       "aten::stack|30.000|data_loading|program",
                                       "enumerate(DataLoader)#__next__|20.000|data_loading|program",
                                       "|10.000|python_or_idle|program",
                                       "aten::last|20.000|cpu_bound|program",
                                   });
}

TEST_CASE("critical path: --data-loading names further loaders") {
  TraceSketch sketch;
  sketch.op("aten::first", 0, 10);
  sketch.op("read_shard", 10, 60);
  CHECK(path_of(sketch.build(), {{"data-loading", "^read_"}}).back() == "read_shard|60.000|data_loading|program");
}

TEST_CASE("critical path: a step begins when the work of the step before was done") {
  TraceSketch sketch;
  for (std::int64_t n = 0; n < 3; ++n) {
    sketch.step(n, n * 100, 100);
    sketch.op("aten::mm", n * 100 + 5, 20);
    sketch.kernel("gemm", n * 100 + 10, 5, 30 + n * 150, 150);
  }
  const Trace trace = sketch.build();
  // Done at 180, 330 and 480: the middle step has the GPU to itself from 180 to 330.
  CHECK(test::rows_of(run(trace).document, "critical_path_window") ==
        Rows{"0|step 1|180.000|330.000|150.000|1|1|0|0.000"});
  CHECK(test::rows_of(run(trace, {{"step", "0-1"}}).document, "critical_path_window",
                      {"window", "start_us", "end_us"}) == Rows{"steps 0-1|0.000|330.000"});
}

TEST_CASE("critical path: instances of an annotation count from either end, and only on the host") {
  TraceSketch sketch;
  for (const std::int64_t start : {0, 100, 200}) {
    sketch.annotation("region", start, 50);
    sketch.op("aten::mm", start + 10, 20);
    sketch.event("gpu_user_annotation", "region", us(start + 5), us(40), 0, 7);
  }
  const Trace trace = sketch.build();
  CHECK(test::rows_of(run(trace, {{"annotation", "region"}, {"instance", "-1"}}).document, "critical_path_window",
                      {"window", "start_us", "end_us"}) == Rows{"annotation region[2]|200.000|250.000"});
  const test::Outcome unknown = run(trace, {{"annotation", "regoin"}});
  CHECK(unknown.status.error().code == ErrorCode::kInsufficient);
  CHECK(unknown.status.error().message == "no annotation is named 'regoin'; the closest are 'region'");
  const test::Outcome beyond = run(trace, {{"annotation", "region"}, {"instance", "3"}});
  CHECK(beyond.status.error().message == "annotation 'region' was recorded 3 times; there is no instance 3");
}

TEST_CASE("critical path: what is asked for and is not there is told") {
  TraceSketch sketch;
  sketch.step(4, 0, 100);
  sketch.op("aten::mm", 5, 20);
  const Trace trace = sketch.build();
  CHECK(run(trace, {{"step", "7"}}).status.error().message == "there is no step 7; the trace has step 4 only");
  TraceSketch empty;
  CHECK(run(empty.build()).status.error().message ==
        "the trace holds no work: neither GPU events nor operators nor runtime calls that take time");
}

TEST_CASE("critical path: malformed choices are refused before anything is read") {
  const auto refusal = [](Values values) {
    const Status status = kCriticalPath.validate(test::options_of(kCriticalPath, values));
    return status.ok() ? std::string() : status.error().message;
  };
  CHECK(refusal({{"step", "3"}, {"trace", ""}}) == "--step, --annotation, --time and --trace exclude each other");
  CHECK(refusal({{"step", "b"}}) == "--step: 'b' is no step; write N or A-B");
  CHECK(refusal({{"time", "5:5"}}) == "--time: '5:5' is no range of times; write A:B in microseconds, A before B");
  CHECK(refusal({{"instance", "1"}}) == "--instance counts annotations; give --annotation NAME with it");
  CHECK(refusal({{"only-critical", ""}}) ==
        "--only-critical reduces what --overlay writes; give --overlay FILE with it");
  CHECK(refusal({{"data-loading", "("}}).starts_with("--data-loading: '(' is no regular expression: "));
  CHECK(refusal({{"step", "3-5"}}).empty());
}

TEST_CASE("critical path: slack is how much later something may end before the window does") {
  TraceSketch sketch = launch_and_wait();
  sketch.kernel("beside", 16, 2, 40, 30, 8);
  // gemm ends at 130 and holds up the call; nothing waits for beside, which ends at 70 of 150.
  const test::Outcome outcome = run(sketch.build(), {{"slack", ""}});
  const Rows rows =
      test::rows_of(outcome.document, "critical_path_slack", {"event", "count", "min_slack_us", "sum_us"});
  CHECK(rows.front() == "gemm|1|0.000|100.000");
  CHECK(std::find(rows.begin(), rows.end(), "beside|1|80.000|30.000") != rows.end());
}

TEST_CASE("critical path: the overlay draws each piece, and arrows from track to track") {
  TraceSketch sketch = launch_and_wait();
  const test::Outcome outcome = run(sketch.build(), {{"overlay", "out.json"}, {"only-critical", ""}});
  REQUIRE(outcome.document.overlays.size() == 1);
  const result::Overlay& overlay = outcome.document.overlays.front();
  CHECK(overlay.target_path == "out.json");
  CHECK(
      overlay.elements.front() ==
      R"({"ph":"M","pid":"hta critical path","tid":0,"name":"process_name","args":{"name":"critical path of rank 0"}})");
  CHECK(
      overlay.elements.at(5) ==
      R"({"ph":"X","cat":"hta_critical_path","name":"gemm","pid":"hta critical path","tid":0,"ts":30.000,"dur":100.000,)"
      R"("args":{"order":4,"bound_by":"gpu_compute_bound","link":"gap"}})");
  CHECK(overlay.elements.at(6) ==
        R"({"ph":"s","cat":"hta_critical_path","name":"hta_critical_path","id":4,"pid":100,"tid":100,"ts":14.999})");
  CHECK(
      overlay.elements.at(7) ==
      R"({"ph":"f","cat":"hta_critical_path","name":"hta_critical_path","id":4,"pid":0,"tid":7,"ts":30.000,"bp":"e"})");
  CHECK(overlay.keep_positions == std::vector<std::uint32_t>{0, 1, 2, 3, 4});
}

}  // namespace hta
