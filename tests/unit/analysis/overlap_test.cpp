#include "hta/analysis/overlap.h"

#include "hta/analysis/collective_kind.h"

#include "support/trace_sketch.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;
using Rows = std::vector<std::string>;

namespace {
Outcome overlap_of(const Trace& trace) {
  return run(analysis::kOverlap, {&trace}, options_of(analysis::kOverlap));
}

void collective(TraceSketch& sketch, std::string_view kernel, std::int64_t start_us, std::int64_t dur_us,
                std::int64_t stream, std::string_view collective_name, std::string_view group) {
  sketch.event("kernel", kernel, TraceSketch::us(start_us), TraceSketch::us(dur_us), 0, stream,
               {{ArgKey::kDevice, 0, {}},
                {ArgKey::kStream, stream, {}},
                {ArgKey::kCollectiveName, 0, std::string(collective_name)},
                {ArgKey::kProcessGroupDescription, 0, std::string(group)}});
}
}  // namespace

TEST_CASE("overlap: communication is hidden where computation runs, memory does not hide it") {
  TraceSketch sketch;
  sketch.gpu("gemm", 0, 50);
  sketch.gpu("gemm", 60, 10);
  sketch.gpu("ncclDevKernel_AllReduce_Sum", 40, 40, 0, 20);
  sketch.gpu("Memcpy HtoD (Pinned -> Device)", 70, 10, 0, 16, 0, "gpu_memcpy");
  const Trace trace = sketch.build();
  CHECK(rows_of(overlap_of(trace).document, "overlap") == Rows{"0|0|40.000|60.000|20.000|20.000|50.00"});
}

TEST_CASE("overlap: without communication there is no share, and without GPU events no row") {
  TraceSketch compute;
  compute.gpu("gemm", 0, 50);
  const Trace trace = compute.build();
  CHECK(rows_of(overlap_of(trace).document, "overlap") == Rows{"0|0|0.000|50.000|0.000|0.000|"});
  CHECK(overlap_of(trace).document.heading == Rows{"No communication kernels ran."});
  TraceSketch host;
  host.op("aten::mm", 0, 1);
  const Trace empty = host.build();
  CHECK(rows_of(overlap_of(empty).document, "overlap").empty());
}

TEST_CASE("overlap: collectives that run at once each count, the device counts the time once") {
  TraceSketch sketch;
  sketch.gpu("gemm", 0, 30);
  collective(sketch, "ncclDevKernel_Generic", 20, 40, 20, "_allgather_base", "dp_shard");       // 20-60
  collective(sketch, "ncclDevKernel_Generic", 40, 40, 21, "_reduce_scatter_base", "dp_shard");  // 40-80
  collective(sketch, "ncclDevKernel_Generic", 50, 20, 22, "_allgather_base", "dp_shard");       // 50-70, with the first
  const Trace trace = sketch.build();
  CHECK(rows_of(overlap_of(trace).document, "overlap") == Rows{"0|0|60.000|30.000|10.000|50.000|16.67"});
  CHECK(rows_of(overlap_of(trace).document, "overlap_by_collective") ==
        Rows{"0|0|all_gather|dp_shard|2|50.000|10.000|40.000|20.00",
             "0|0|reduce_scatter|dp_shard|1|40.000|0.000|40.000|0.00"});
}

TEST_CASE("overlap: uneven exposure points at the rank that the others wait for") {
  TraceSketch slow;
  slow.gpu("gemm", 0, 90);
  slow.gpu("ncclDevKernel_AllReduce_Sum", 90, 10, 0, 20);
  TraceSketch quick;
  quick.gpu("gemm", 0, 50);
  quick.gpu("ncclDevKernel_AllReduce_Sum", 50, 50, 0, 20);
  const Trace a = slow.build();
  const Trace b = quick.build();
  const Outcome outcome = run(analysis::kOverlap, {&a, &b}, options_of(analysis::kOverlap));
  CHECK(outcome.document.heading == Rows{"Communication runs 30.00 % of the time; computation hides 0.00 % of it. "
                                         "Exposed: 60.00 µs, 30.00 % of the time.",
                                         "Most exposed: all_reduce, 60.00 µs exposed, 0.00 % hidden.",
                                         "It is uneven: 10.00 % of the time on rank 0, 50.00 % on rank 1. The rank "
                                         "with the least is often the one that the others "
                                         "wait for."});
  CHECK(outcome.document.next == Rows{"stragglers"});
}

TEST_CASE("collective_kind: kernels, collectives and their spellings") {
  using analysis::collective_kind;
  CHECK(collective_kind("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)") == "all_reduce");
  CHECK(collective_kind("ncclKernel_ReduceScatter_RING_LL_Sum_half") == "reduce_scatter");
  CHECK(collective_kind("_allgather_base") == "all_gather");
  CHECK(collective_kind("ALLTOALLV") == "all_to_all");
  CHECK(collective_kind("ncclDevKernel_SendRecv") == "send_recv");
  CHECK(collective_kind("void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>") == "all_reduce");
  CHECK(collective_kind("reduce") == "reduce");
  CHECK(collective_kind("ncclDevKernel_Generic_4(AllReduce)") == "other");
}
