// What is behind a communication kernel: group calls, sends and receives, uneven exchanges, small data types.

#include "hta/analysis/comm.h"

#include "support/collective_sketch.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;
using Rows = std::vector<std::string>;

namespace {

struct Operation {
  std::string name;
  std::int64_t elements = 0;
  std::string dtype = "Float";
  std::int64_t from = -1;
  std::int64_t to = -1;
};

// Operators one after the other, 5 us each, and one launch behind them: a group call.
void group_call(TraceSketch& sketch, std::int64_t at_us, const std::vector<Operation>& operations,
                std::int64_t kernel_us, std::int64_t dur_us, std::string ranks = "[0, 1, 2]") {
  std::int64_t op_us = at_us;
  for (const Operation& op : operations) {
    sketch.event("cpu_op", "record_param_comms", TraceSketch::us(op_us), TraceSketch::us(4), TraceSketch::kMain,
                 TraceSketch::kMain,
                 {{ArgKey::kCollectiveName, 0, op.name},
                  {ArgKey::kInMsgNelems, op.elements, {}},
                  {ArgKey::kOutMsgNelems, op.elements, {}},
                  {ArgKey::kDtype, 0, op.dtype},
                  {ArgKey::kProcessGroupDescription, 0, "pg"},
                  {ArgKey::kProcessGroupRanks, 0, ranks},
                  {ArgKey::kGroupSize, 3, {}},
                  {ArgKey::kSourceRank, op.from, {}},
                  {ArgKey::kDestinationRank, op.to, {}}});
    op_us += 5;
  }
  sketch.kernel("ncclDevKernel_SendRecv", op_us, 2, kernel_us, dur_us, 20);
}

result::Document comm_of(std::vector<TraceSketch>& sketches) {
  std::vector<Trace> traces;
  std::vector<const Trace*> ranks;
  for (std::size_t r = 0; r < sketches.size(); ++r) {
    sketches[r].builder().info().rank = static_cast<std::int64_t>(r);
    traces.push_back(sketches[r].build());
  }
  for (const Trace& trace : traces) ranks.push_back(&trace);
  return run(analysis::kComm, ranks, options_of(analysis::kComm)).document;
}

}  // namespace

TEST_CASE("comm: a group call of several all-reduces is one collective with the sum of their bytes") {
  // 1,000 and 1,000 elements of 4 bytes and 2,000 of 2: 12,000 bytes in 12 us, 1 GB/s, times 2 (n - 1) / n = 4 / 3.
  std::vector<TraceSketch> ranks(3);
  for (TraceSketch& rank : ranks) {
    group_call(rank, 0, {{"allreduce", 1000}, {"allreduce", 1000}, {"allreduce", 2000, "Half"}}, 30, 12);
  }
  const result::Document document = comm_of(ranks);
  CHECK(rows_of(document, "comm", {"group", "collective", "count", "algbw_gbps", "busbw_gbps"}) ==
        Rows{"pg 0-2|all_reduce|1|1.000000|1.333333"});
  CHECK(rows_of(document, "comm_match", {"instances", "matched", "method"}) == Rows{"1|1|order"});
}

TEST_CASE("comm: an operator that has launched its own kernel is no part of the next group call") {
  std::vector<TraceSketch> ranks(3);
  for (TraceSketch& rank : ranks) {
    rank.event(
        "cpu_op", "record_param_comms", 0, TraceSketch::us(20), TraceSketch::kMain, TraceSketch::kMain,
        {{ArgKey::kCollectiveName, 0, "broadcast"}, {ArgKey::kInMsgNelems, 7, {}}, {ArgKey::kDtype, 0, "Float"}});
    rank.call("cudaLaunchKernel", 5, 5);  // whose kernel was lost
    group_call(rank, 30, {{"allreduce", 1000}, {"allreduce", 500}}, 60, 10);
  }
  CHECK(rows_of(comm_of(ranks), "comm", {"collective", "count", "algbw_gbps"}) == Rows{"all_reduce|1|0.600000"});
}

TEST_CASE("comm: a send and a receive in one kernel are matched with those of the partner") {
  // Rank 0 sends 3,000 elements to rank 1 and receives 1,000; then rank 1 does the same with rank 2.
  std::vector<TraceSketch> ranks(3);
  group_call(ranks[0], 0, {{"send", 3000, "Float", 0, 1}, {"recv", 1000, "Float", 1, 0}}, 20, 30);
  group_call(ranks[1], 0, {{"recv", 3000, "Float", 0, 1}, {"send", 1000, "Float", 1, 0}}, 40, 10);
  group_call(ranks[1], 60, {{"send", 3000, "Float", 1, 2}, {"recv", 1000, "Float", 2, 1}}, 80, 12);
  group_call(ranks[2], 60, {{"recv", 3000, "Float", 1, 2}, {"send", 1000, "Float", 2, 1}}, 80, 12);
  const result::Document document = comm_of(ranks);
  // The larger of both directions counts: 12,000 bytes in 10 us and in 12 us.
  CHECK(rows_of(document, "comm", {"collective", "count", "time_us", "wait_us", "busbw_gbps"}) ==
        Rows{"send_recv|2|64.000|20.000|1.090909"});
  CHECK(rows_of(document, "comm_match", {"instances", "matched", "partial", "unmatched"}) == Rows{"2|2|0|0"});
}

TEST_CASE("comm: a ring, in which everyone sends to one neighbour and receives from another, is one collective") {
  std::vector<TraceSketch> ranks(3);
  for (std::int64_t r = 0; r < 3; ++r) {
    group_call(ranks[static_cast<std::size_t>(r)], 0,
               {{"send", 1000, "Float", r, (r + 1) % 3}, {"recv", 1000, "Float", (r + 2) % 3, r}}, 20 + r, 10 - r);
  }
  const result::Document document = comm_of(ranks);
  CHECK(rows_of(document, "comm", {"collective", "count", "wait_us", "busbw_gbps"}) ==
        Rows{"send_recv|1|3.000|0.500000"});
  CHECK(rows_of(document, "comm_match", {"instances", "matched"}) == Rows{"1|1"});
}

TEST_CASE("comm: sends and receives that each rank numbers for itself are matched by order") {
  const auto kernel = [](TraceSketch& sketch, std::string_view name, std::int64_t from, std::int64_t to,
                         std::int64_t seq, std::int64_t start_us, std::int64_t dur_us) {
    sketch.event("kernel", "ncclDevKernel_SendRecv", TraceSketch::us(start_us), TraceSketch::us(dur_us), 0, 20,
                 {{ArgKey::kCollectiveName, 0, std::string(name)},
                  {ArgKey::kProcessGroupRanks, 0, "[0, 1, 2]"},
                  {ArgKey::kInMsgNelems, 1000, {}},
                  {ArgKey::kOutMsgNelems, 1000, {}},
                  {ArgKey::kDtype, 0, "Float"},
                  {ArgKey::kSeq, seq, {}},
                  {ArgKey::kSourceRank, from, {}},
                  {ArgKey::kDestinationRank, to, {}}});
  };
  // Rank 1 has counted two transfers with rank 0 before it sends to rank 2, which counts from 1.
  std::vector<TraceSketch> ranks(3);
  kernel(ranks[0], "send", 0, 1, 1, 0, 10);
  kernel(ranks[0], "send", 0, 1, 2, 20, 10);
  kernel(ranks[1], "recv", 0, 1, 1, 0, 10);
  kernel(ranks[1], "recv", 0, 1, 2, 20, 10);
  kernel(ranks[1], "send", 1, 2, 3, 40, 30);
  kernel(ranks[2], "recv", 1, 2, 1, 60, 10);
  const result::Document document = comm_of(ranks);
  CHECK(rows_of(document, "comm", {"count", "wait_us"}) == Rows{"3|20.000"});
  CHECK(rows_of(document, "comm_match", {"instances", "matched", "unmatched", "method"}) == Rows{"3|3|0|order"});
}

TEST_CASE("comm: an uneven all-to-all moves the larger of what leaves and what comes in, without the own part") {
  const auto exchange = [](std::int64_t rank, std::string in_splits, std::int64_t in, std::string out_splits,
                           std::int64_t out, std::optional<std::int64_t> place = std::nullopt) {
    TraceSketch sketch;
    if (!place) sketch.builder().info().rank = rank;
    sketch.event("kernel", "ncclDevKernel_SendRecv", 0, TraceSketch::us(1), 0, 20,
                 {{ArgKey::kCollectiveName, 0, "all_to_allv"},
                  {ArgKey::kProcessGroupRanks, 0, "[4, 5]"},
                  {ArgKey::kGroupSize, 2, {}},
                  {ArgKey::kInMsgNelems, in, {}},
                  {ArgKey::kOutMsgNelems, out, {}},
                  {ArgKey::kInSplitSize, 0, in_splits},
                  {ArgKey::kOutSplitSize, 0, out_splits},
                  {ArgKey::kRank, place.value_or(-1), {}},
                  {ArgKey::kDtype, 0, "Float8_e4m3fn"}});
    const Trace trace = sketch.build();
    return rows_of(run(analysis::kComm, {&trace}, options_of(analysis::kComm)).document, "comm",
                   {"busbw_at_duration_gbps"});
  };
  // Rank 5 keeps 3 of 10 rows of 100 and sends 700 elements; it receives 2 of 5 rows of 100: 700 bytes in 1 us.
  CHECK(exchange(5, "[7, 3]", 1000, "[2, 3]", 500) == Rows{"0.700000"});
  // Rank 4 keeps 7 of 10 and receives 9 of 16: 900 bytes.
  CHECK(exchange(4, "[7, 3]", 1000, "[7, 9]", 1600) == Rows{"0.900000"});
  // The rank is not in the file, but its place in the group is.
  CHECK(exchange(5, "[7, 3]", 1000, "[2, 3]", 500, 1) == Rows{"0.700000"});
  // Without a place, or with lists cut short, as if even: the larger, times (n - 1) / n.
  CHECK(exchange(6, "[7, 3]", 1000, "[2, 3]", 500) == Rows{"0.500000"});
  CHECK(exchange(5, "[7, ...]", 1000, "[2, 3]", 500) == Rows{"0.500000"});
}

TEST_CASE("comm: every element type of the profiler has its size") {
  const auto bytes = [](std::string dtype) {
    TraceSketch sketch;
    collective(sketch, 0, 1, {"broadcast", "world", "[0, 1]", 2, 1, 1000, std::move(dtype)});
    const Trace trace = sketch.build();
    return rows_of(run(analysis::kComm, {&trace}, options_of(analysis::kComm)).document, "comm",
                   {"busbw_at_duration_gbps"});
  };
  for (const char* dtype : {"Float8_e4m3fn", "Float8_e5m2", "Float8_e4m3fnuz", "Float8_e5m2fnuz", "Float8_e8m0fnu",
                            "Float4_e2m1fn_x2", "Byte", "Char", "Bool"}) {
    CAPTURE(dtype);
    CHECK(bytes(dtype) == Rows{"1.000000"});
  }
  for (const char* dtype : {"BFloat16", "Half", "Short"}) CHECK(bytes(dtype) == Rows{"2.000000"});
  for (const char* dtype : {"Float", "Int", "ComplexHalf"}) CHECK(bytes(dtype) == Rows{"4.000000"});
  for (const char* dtype : {"Double", "Long", "ComplexFloat"}) CHECK(bytes(dtype) == Rows{"8.000000"});
  CHECK(bytes("ComplexDouble") == Rows{"16.000000"});
}

TEST_CASE("comm: transfers of different groups that overlap are told, with what both reach together") {
  // On ranks 0 and 1 the dp all-reduce moves 4 MB from 100 to 140, the tp one 1 MB from 130 to 140 (of ranks 0 and 1).
  // Rank 1 comes to dp at 60 and waits, which is no transfer.
  const SketchCollective dp{"allreduce", "dp", "[0, 1]", 2, 1, 1'000'000, "Float"};
  const SketchCollective tp{"allreduce", "tp", "[0, 1]", 2, 1, 250'000, "Float"};
  std::vector<TraceSketch> ranks(2);
  collective(ranks[0], 100, 40, dp);
  collective(ranks[1], 60, 80, dp);
  for (TraceSketch& rank : ranks) collective(rank, 130, 10, tp, 24);
  const result::Document document = comm_of(ranks);
  // 10 us on each of two ranks, of 80 and 20 us of transfer. dp moves 100 GB/s and tp 100.
  CHECK(rows_of(document, "comm_shared") == Rows{"dp (2 ranks)|tp (2 ranks)|2|20.000|25.00|100.00|200.000000"});
  CHECK(document.heading.back() ==
        "Transfers of dp (2 ranks) and tp (2 ranks) overlap for 20.00 µs (25.00 % and 100.00 % of their time): if they "
        "share links, the bandwidth of each is less than these give; together they reach 200.00 GB/s.");
}
