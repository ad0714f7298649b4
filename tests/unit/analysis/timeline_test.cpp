#include "hta/analysis/timeline.h"

#include "support/random_trace.h"
#include "support/trace_sketch.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;
using Rows = std::vector<std::string>;
using Values = std::initializer_list<std::pair<std::string_view, std::string_view>>;

namespace {

result::Document timeline_of(const std::vector<const Trace*>& ranks, Values values = {}) {
  analysis::Options options = options_of(analysis::kTimeline, values);
  options.all_tables = true;
  return run(analysis::kTimeline, ranks, options).document;
}

// Rows of one place.
Rows place(const result::Document& document, std::string_view kind, std::initializer_list<std::string_view> columns) {
  Rows rows;
  const result::Table& table = *document.find_table("places");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.text(row, 0) != kind) continue;
    std::string text;
    for (const std::string_view column : columns)
      text += (text.empty() ? "" : "|") + table.plain(row, *table.find_column(column));
    rows.push_back(text);
  }
  return rows;
}

// A device that has nothing to do from 100 to 400 and from 500 to 700, because launches come late.
void two_late_launches(TraceSketch& sketch) {
  sketch.kernel("first", -20, 5, 0, 100);
  sketch.kernel("second", 390, 5, 400, 100);
  sketch.kernel("third", 690, 5, 700, 100);
}

}  // namespace

TEST_CASE("timeline: the longest wait for the host, and what the host does in the middle of it") {
  TraceSketch sketch;
  two_late_launches(sketch);
  sketch.annotation("around", 50, 600);
  sketch.op("aten::slow", 120, 200);  // the middle is at 250
  const Trace trace = sketch.build();
  const auto document = timeline_of({&trace});
  CHECK(place(document, "host_wait", {"start_us", "dur_us", "what", "device"}) == Rows{"120.000|300.000|aten::slow|0"});
  CHECK(place(document, "data_loading", {"dur_us"}).empty());
}

TEST_CASE("timeline: a shorter wait is listed too if the host loads data, synchronises or allocates in it") {
  TraceSketch sketch;
  two_late_launches(sketch);
  sketch.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 510, 170);
  sketch.op("aten::stack", 520, 150);  // inside of it
  const Trace loading = sketch.build();
  CHECK(place(timeline_of({&loading}), "data_loading", {"start_us", "dur_us", "what"}) ==
        Rows{"520.000|200.000|aten::stack"});

  TraceSketch waiting;
  two_late_launches(waiting);
  waiting.call("cudaStreamSynchronize", 510, 170);
  waiting.call("cudaMalloc", 200, 150);
  const Trace trace = waiting.build();
  const auto document = timeline_of({&trace});
  CHECK(place(document, "synchronisation", {"dur_us", "what"}) == Rows{"200.000|cudaStreamSynchronize"});
  CHECK(place(document, "memory_allocation", {"dur_us", "what"}) == Rows{"300.000|cudaMalloc"});
}

TEST_CASE("timeline: a wait inside the optimizer, and one while code is loaded") {
  TraceSketch sketch;
  two_late_launches(sketch);
  sketch.annotation("Optimizer.step#AdamW.step", 110, 280);
  sketch.op("aten::lerp", 200, 150);
  sketch.call("cuModuleLoadDataEx", 510, 170);
  const Trace trace = sketch.build();
  const auto document = timeline_of({&trace});
  CHECK(place(document, "optimizer", {"dur_us", "what"}) == Rows{"300.000|aten::lerp"});
  CHECK(place(document, "compilation", {"dur_us", "what"}) == Rows{"200.000|cuModuleLoadDataEx"});
}

TEST_CASE("timeline: of short gaps in a row the stretch with most time counts") {
  TraceSketch sketch;
  for (int i = 0; i < 40; ++i) sketch.kernel("k", -1000, 1, i * 20, 15);  // 39 gaps of 5, all launched before
  const Trace trace = sketch.build();
  // 32 of them: from the end of the first kernel at 15 to the start of the 33rd at 640.
  CHECK(place(timeline_of({&trace}), "kernel_gaps", {"start_us", "dur_us"}) == Rows{"1015.000|625.000"});
}

TEST_CASE("timeline: a long gap after a launch in time is a wait for something else") {
  TraceSketch sketch;
  sketch.kernel("a", 0, 1, 10, 10);
  sketch.kernel("b", 2, 1, 100, 10);
  const Trace trace = sketch.build();
  CHECK(place(timeline_of({&trace}), "other_wait", {"start_us", "dur_us", "what"}) == Rows{"20.000|80.000|b"});
  CHECK(place(timeline_of({&trace}, {{"kernel-gap", "81"}}), "other_wait", {"dur_us"}).empty());
}

TEST_CASE("timeline: exposed is what stands beside neither computation nor, for copies, communication") {
  TraceSketch sketch;
  sketch.gpu("gemm", 0, 100);
  sketch.gpu("ncclDevKernel_AllReduce", 50, 150, 0, 20);                            // alone from 100 to 200
  sketch.gpu("Memcpy HtoD (Pinned -> Device)", 150, 80, 0, 16, 0, "gpu_memcpy");    // alone from 200 to 230
  sketch.gpu("Memcpy HtoD (Pageable -> Device)", 300, 60, 0, 16, 0, "gpu_memcpy");  // has a place of its own
  const Trace trace = sketch.build();
  const auto document = timeline_of({&trace});
  CHECK(place(document, "exposed_comm", {"start_us", "dur_us", "what"}) ==
        Rows{"100.000|100.000|ncclDevKernel_AllReduce"});
  CHECK(place(document, "exposed_copy", {"start_us", "dur_us"}) == Rows{"200.000|30.000"});
  CHECK(place(document, "pageable_copy", {"start_us", "dur_us"}) == Rows{"300.000|60.000"});
}

TEST_CASE("timeline: a step that is long for exposed communication only waited for another rank") {
  TraceSketch sketch;
  for (int step = 0; step < 4; ++step) {
    const std::int64_t start = step * 1000;
    const std::int64_t compute = step == 2 ? 700 : 500;
    const std::int64_t communication = step == 3 ? 400 : 100;
    sketch.step(step, start, compute + communication);
    sketch.gpu("gemm", start, compute);
    sketch.gpu("ncclDevKernel_AllReduce", start + compute, communication, 0, 20);
  }
  const Trace trace = sketch.build();
  CHECK(place(timeline_of({&trace}), "long_step", {"step", "dur_us", "device"}) == Rows{"2|800.000|"});
}

TEST_CASE("timeline: the worst place of all ranks is shown, the first rank's of equals") {
  TraceSketch quick;
  quick.kernel("a", 0, 1, 10, 10);
  quick.kernel("b", 30, 1, 40, 10);
  TraceSketch slow;
  slow.kernel("a", 0, 1, 10, 10);
  slow.kernel("b", 40, 1, 50, 10);
  const Trace first = quick.build();
  const Trace second = slow.build();
  CHECK(place(timeline_of({&first, &second, &second}), "host_wait", {"rank", "dur_us"}) == Rows{"1|30.000"});
}

TEST_CASE("timeline: a window holds nested host events and streams, but not what covers all of it") {
  TraceSketch sketch;
  two_late_launches(sketch);
  sketch.annotation("around", -500, 2000);
  sketch.op("aten::outer", 120, 200);
  sketch.op("aten::inner", 130, 100);
  sketch.op("elsewhere", 120, 200, 55);  // another thread
  const Trace trace = sketch.build();
  const auto document = timeline_of({&trace});
  Rows rows;
  for (const std::string& row :
       rows_of(document, "place_events", {"place", "track_number", "track", "shows", "name"})) {
    if (row.starts_with("host_wait|")) rows.push_back(row.substr(10));
  }
  // The gap from 100 to 400 with two fifths of its length around it: from -20 to 520.
  CHECK(rows == Rows{"0|thread 100|host|cudaLaunchKernel", "0|thread 100|host|aten::outer",
                     "0|thread 100|host|cudaLaunchKernel", "1||host|aten::inner", "2|stream 7|compute|first",
                     "2|stream 7|compute|second"});
}

TEST_CASE("timeline: of too many events the longest stay, and the others are counted") {
  TraceSketch sketch;
  two_late_launches(sketch);
  for (int i = 0; i < 10; ++i) sketch.gpu("short", 400 + i * 10, 1, 0, 9);
  const Trace trace = sketch.build();
  const auto document = timeline_of({&trace}, {{"events", "2"}});
  CHECK(place(document, "host_wait", {"events", "left_out"}) == Rows{"4|10"});  // 2 launches; 2 of 12 on the device
  CHECK(run(analysis::kTimeline, {&trace}, options_of(analysis::kTimeline, {{"events", "0"}})).document.tables.size() <=
        7);
  CHECK_FALSE(analysis::kTimeline.validate(options_of(analysis::kTimeline, {{"events", "0"}})).ok());
}

TEST_CASE("timeline: activity is cut into 60 slices that keep their shares") {
  TraceSketch sketch;
  sketch.gpu("gemm", 0, 300);
  sketch.gpu("ncclDevKernel_AllReduce", 300, 305, 0, 20);
  sketch.gpu("Memcpy DtoD", 605, 5, 0, 7, 0, "gpu_memcpy");
  const Trace trace = sketch.build();
  const Rows rows =
      rows_of(timeline_of({&trace}), "activity", {"compute_pct", "exposed_comm_pct", "exposed_memory_pct"});
  REQUIRE(rows.size() == 60);  // of 10.1667 us each: the 30th is from 294.8 to 305
  CHECK(rows.front() == "100.00|0.00|0.00");
  CHECK(rows[29] == "50.82|49.18|0.00");
  CHECK(rows.back() == "0.00|50.82|49.18");
}

TEST_CASE("timeline: the strip shows the middle step by what takes most of each slice") {
  TraceSketch sketch;
  for (int step = 0; step < 3; ++step) sketch.step(step, step * 240, 240);
  sketch.gpu("gemm", 240, 100);
  sketch.gpu("ncclDevKernel_AllReduce", 340, 40, 0, 20);
  const Trace trace = sketch.build();
  CHECK(rows_of(timeline_of({&trace}), "step_strips") ==
        Rows{"0|1|240.000|100.000|compute", "0|1|340.000|40.000|communication", "0|1|380.000|100.000|idle"});
}

TEST_CASE("timeline: a queue in slices keeps its largest lengths and its end") {
  TraceSketch sketch;
  sketch.kernel("a", 0, 1, 100, 50);
  sketch.kernel("b", 10, 1, 150, 150);  // two wait from 10 to 100, one until 150
  const Trace trace = sketch.build();
  // 300 slices of 1 us from 0 to 300.
  CHECK(rows_of(timeline_of({&trace}), "queue_over_time", {"stream", "ts_us", "queue_length"}) ==
        Rows{"7|0.000|1", "7|10.000|2", "7|101.000|1", "7|151.000|0", "7|300.000|0"});
}

TEST_CASE("timeline: copies in slices keep the bytes that were moved") {
  TraceSketch sketch;
  sketch.gpu("gemm", 0, 300);
  sketch.event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", TraceSketch::us(10), 500, 0, 16,
               {{ArgKey::kDevice, 0, {}}, {ArgKey::kStream, 16, {}}, {ArgKey::kBytes, 5000, {}}});
  const Trace trace = sketch.build();
  // 10 GB/s for half of the slice from 10 to 11.
  CHECK(rows_of(timeline_of({&trace}), "copies_over_time", {"name", "ts_us", "gbps"}) ==
        Rows{"Memcpy HtoD|0.000|0.000000", "Memcpy HtoD|10.000|5.000000", "Memcpy HtoD|11.000|0.000000",
             "Memcpy HtoD|300.000|0.000000"});
}

TEST_CASE("timeline: whatever is in a trace, windows are bounded and lie around their place") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Trace trace = build_trace(random_events(seed));
    const auto document = timeline_of({&trace}, {{"events", "20"}});
    const result::Table& places = *document.find_table("places");
    const auto number = [&](std::size_t row, std::string_view column) {
      return places.number(row, *places.find_column(column));
    };
    for (std::size_t row = 0; row < places.rows(); ++row) {
      CHECK(number(row, "events") <= 40);
      CHECK(number(row, "window_start_us") <= number(row, "start_us"));
      CHECK(number(row, "window_start_us") + number(row, "window_us") >=
            number(row, "start_us") + number(row, "dur_us"));
    }
    CHECK(document.find_table("activity")->rows() == (trace.gpu.size() > 0 ? 60 : 0));
  }
}
