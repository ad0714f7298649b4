#include "hta/analysis/comm.h"

#include "support/collective_sketch.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;
using Rows = std::vector<std::string>;

namespace {

// Two ranks; the second arrives 30 us later and both leave at 100.
Outcome pair_of(const SketchCollective& first, const SketchCollective& second) {
  TraceSketch a;
  TraceSketch b;
  collective(a, 50, 50, first);
  collective(b, 80, 20, second);
  const Trace one = a.build();
  const Trace two = b.build();
  return run(analysis::kComm, {&one, &two}, options_of(analysis::kComm));
}

SketchCollective pair(std::string name, std::int64_t elements, std::string dtype) {
  return {std::move(name), "world", "[0, 1]", 2, 1, elements, std::move(dtype)};
}

Rows rates(const SketchCollective& what) {
  return rows_of(pair_of(what, what).document, "comm", {"algbw_gbps", "busbw_gbps", "busbw_at_duration_gbps"});
}

}  // namespace

TEST_CASE("comm: the shortest duration is the transfer, the rest is waiting") {
  const SketchCollective what = pair("allreduce", 1'000'000, "BFloat16");
  CHECK(rows_of(pair_of(what, what).document, "comm",
                {"group", "collective", "size_class", "count", "time_us", "wait_us", "transfer_us", "wait_pct",
                 "exposed_us"}) == Rows{"world 0,1|all_reduce|1 MiB to 2 MiB|1|70.000|30.000|40.000|42.86|70.000"});
}

TEST_CASE("comm: bandwidths follow the conventions of nccl-tests, in 10^9 bytes") {
  // 2 MB in 20 us is 100 GB/s; over both kernels (70 us) twice the bus bytes.
  CHECK(rates(pair("allreduce", 1'000'000, "BFloat16")) == Rows{"100.000000|100.000000|57.142857"});
  CHECK(rates(pair("_allgather_base", 1'000'000, "BFloat16")) == Rows{"100.000000|50.000000|28.571429"});
  CHECK(rates(pair("_reduce_scatter_base", 1'000'000, "BFloat16")) == Rows{"100.000000|50.000000|28.571429"});
  CHECK(rates(pair("broadcast", 1'000'000, "BFloat16")) == Rows{"100.000000|100.000000|57.142857"});
  CHECK(rates(pair("all_to_all", 1'000'000, "Float8_e4m3fn")) == Rows{"50.000000|25.000000|14.285714"});
  CHECK(rates(pair("allreduce", 1'000'000, "Double")) == Rows{"400.000000|400.000000|228.571429"});
  CHECK(rates(pair("allreduce", 1'000'000, "Unheard")) == Rows{"||"});
  CHECK(rates(pair("barrier", 1, "Int")) == Rows{"||"});
}

TEST_CASE("comm: differences between ranks are counted by kind") {
  const auto counts = [](const SketchCollective& first, const SketchCollective& second) {
    return rows_of(
        pair_of(first, second).document, "comm_match",
        {"instances", "matched", "partial", "unmatched", "size_mismatch", "dtype_mismatch", "type_mismatch", "method"});
  };
  const SketchCollective usual = pair("allreduce", 1000, "Float");
  CHECK(counts(usual, usual) == Rows{"1|1|0|0|0|0|0|seq"});
  CHECK(counts(usual, pair("allreduce", 1001, "Float")) == Rows{"1|1|0|0|1|0|0|seq"});
  CHECK(counts(usual, pair("allreduce", 1000, "Half")) == Rows{"1|1|0|0|0|1|0|seq"});
  CHECK(counts(usual, pair("broadcast", 1000, "Float")) == Rows{"1|1|0|0|0|0|1|seq"});
  SketchCollective later = usual;
  later.seq = 2;
  CHECK(counts(usual, later) == Rows{"2|0|0|2|0|0|0|seq"});
  CHECK(pair_of(usual, pair("broadcast", 1000, "Float")).document.notes.size() == 1);
}

TEST_CASE("comm: rank lists cut short are rebuilt from start, stride and size") {
  const auto group_of = [](std::int64_t start, std::int64_t stride) {
    TraceSketch sketch;
    sketch.event("kernel", "ncclDevKernel_AllReduce", 0, 1000, 0, 20,
                 {{ArgKey::kCollectiveName, 0, "allreduce"},
                  {ArgKey::kProcessGroupDescription, 0, "dp"},
                  {ArgKey::kProcessGroupRanks, 0, "[0, 8, ...]"},
                  {ArgKey::kGlobalRankStart, start, {}},
                  {ArgKey::kGlobalRankStride, stride, {}},
                  {ArgKey::kGroupSize, 4, {}}});
    const Trace trace = sketch.build();
    return rows_of(run(analysis::kComm, {&trace}, options_of(analysis::kComm)).document, "comm", {"group"});
  };
  CHECK(group_of(0, 8) == Rows{"dp 0-24:8"});
  CHECK(group_of(1, 1) == Rows{"dp 1-4"});
  CHECK(group_of(-1, 0) == Rows{"dp (4 ranks)"});
}

TEST_CASE("comm: without numbers the sequences of operations are aligned") {
  // The second rank has lost the broadcast; sizes tell which all-reduce is which.
  const auto add = [](TraceSketch& sketch, std::int64_t at, std::string_view name, std::int64_t elements) {
    sketch.event("kernel", "ncclDevKernel", TraceSketch::us(at), TraceSketch::us(10), 0, 20,
                 {{ArgKey::kCollectiveName, 0, std::string(name)},
                  {ArgKey::kInMsgNelems, elements, {}},
                  {ArgKey::kDtype, 0, "Float"}});
  };
  TraceSketch a;
  add(a, 0, "allreduce", 10);
  add(a, 20, "broadcast", 10);
  add(a, 40, "allreduce", 20);
  TraceSketch b;
  add(b, 0, "allreduce", 10);
  add(b, 40, "allreduce", 20);
  const Trace one = a.build();
  const Trace two = b.build();
  const Outcome outcome = run(analysis::kComm, {&one, &two}, options_of(analysis::kComm));
  CHECK(rows_of(outcome.document, "comm_match", {"instances", "matched", "unmatched", "method"}) ==
        Rows{"3|2|1|order"});
}

TEST_CASE("comm: a transfer far beyond those of its class is an outlier") {
  TraceSketch a;
  TraceSketch b;
  for (std::int64_t i = 0; i < 10; ++i) {
    const SketchCollective what{"allreduce", "world", "[0, 1]", 2, i + 1, 1'000'000, "Float"};
    collective(a, i * 1000, i == 6 ? 300 : 100 + i % 3, what);
    collective(b, i * 1000, i == 6 ? 300 : 100 + i % 3, what);
  }
  const Trace one = a.build();
  const Trace two = b.build();
  const Outcome outcome = run(analysis::kComm, {&one, &two}, options_of(analysis::kComm));
  CHECK(rows_of(outcome.document, "comm_outliers", {"seq", "start_us", "transfer_us", "median_us"}) ==
        Rows{"7|6000.000|300.000|101.000"});
}

TEST_CASE("comm: one rank has time and bandwidth, but no split into waiting and transfer") {
  TraceSketch sketch;
  collective(sketch, 0, 50, pair("allreduce", 1'000'000, "BFloat16"));
  const Trace trace = sketch.build();
  const Outcome outcome = run(analysis::kComm, {&trace}, options_of(analysis::kComm));
  CHECK(rows_of(outcome.document, "comm",
                {"time_us", "wait_us", "transfer_us", "busbw_gbps", "busbw_at_duration_gbps"}) ==
        Rows{"50.000||||40.000000"});
  CHECK(rows_of(outcome.document, "comm_match", {"alone"}) == Rows{"1"});
}

TEST_CASE("comm: of the exposed time, what waiting explains is told") {
  TraceSketch a;
  TraceSketch b;
  const SketchCollective what = pair("allreduce", 1'000'000, "BFloat16");
  collective(a, 50, 50, what);  // waits 30; computation hides the first 35 of it
  a.gpu("gemm", 40, 45, 0, 8);  // until 85: 15 are exposed
  collective(b, 80, 20, what);  // waits for nobody, exposed all the time
  const Trace one = a.build();
  const Trace two = b.build();
  const Outcome outcome = run(analysis::kComm, {&one, &two}, options_of(analysis::kComm));
  CHECK(rows_of(outcome.document, "comm", {"wait_us", "exposed_us", "exposed_wait_us"}) ==
        Rows{"30.000|35.000|15.000"});
}
