#include "hta/model/args.h"

namespace hta {
namespace {

using enum ArgType;

// In the order of ArgKey.
constexpr std::array<ArgSpec, kArgCount> kArgSpecs{{
    {"device", kInteger},
    {"stream", kInteger},
    {"correlation", kInteger},
    {"bytes", kInteger},
    {"size", kInteger},
    {"memory bandwidth (GB/s)", kRate},
    {"Collective name", kText},
    {"dtype", kText},
    {"In msg nelems", kInteger},
    {"Out msg nelems", kInteger},
    {"In split size", kText},
    {"Out split size", kText},
    {"Group size", kInteger},
    {"Process Group Name", kText},
    {"Process Group Description", kText},
    {"Process Group Ranks", kText},
    {"Process Group ID", kText},
    {"Global rank start", kInteger},
    {"Global rank stride", kInteger},
    {"Seq", kInteger},
    {"Comms Id", kText},
    {"Rank", kInteger},
    {"Src Rank", kInteger},
    {"Dst Rank", kInteger},
    {"Is asynchronized op", kText},
    {"External id", kInteger},
    {"Sequence number", kInteger},
    {"Fwd thread id", kInteger},
    {"Python id", kInteger},
    {"Python parent id", kInteger},
    {"Input Dims", kText},
    {"Input type", kText},
    {"Input Strides", kText},
    {"Concrete Inputs", kText},
    {"Call stack", kText},
    {"wait_on_stream", kInteger},
    {"wait_on_cuda_event_record_corr_id", kInteger},
    {"wait_on_cuda_event_id", kInteger},
    {"event_id", kInteger},
    {"cuda_sync_kind", kText},
    {"Bytes", kInteger},
    {"Total Allocated", kInteger},
    {"Total Reserved", kInteger},
    {"Device Id", kInteger},
    {"Device Type", kInteger},
    {"Addr", kInteger},
    {"graph id", kInteger},
    {"graph node id", kInteger},
    {"grid", kText},
    {"block", kText},
    {"shared memory", kInteger},
    {"registers per thread", kInteger},
    {"est. achieved occupancy %", kRate},
    {"priority", kInteger},
    {"labels", kText},
    {"name", kText},
    {"sort_index", kInteger},
    {"Task Type", kText},
}};

}  // namespace

const ArgSpec& arg_spec(ArgKey key) {
  return kArgSpecs[static_cast<std::size_t>(key)];
}

}  // namespace hta
