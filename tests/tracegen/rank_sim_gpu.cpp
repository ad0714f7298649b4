// How calls become work on streams: when it starts, when it ends, and what both were due to.
#include <algorithm>

#include "ensure.h"
#include "rank_sim.h"

namespace tracegen {
namespace {

constexpr Nanos kEventCallNs = 1500;
constexpr Nanos kShortestSyncNs = 1000;
constexpr Nanos kReportedSyncNs = 2000;
constexpr Nanos kShortestCopyNs = 1500;
constexpr std::int64_t kPinnedBytesPerNs = 20;
constexpr std::int64_t kPageableBytesPerNs = 6;

}  // namespace

RuntimeCall RankSim::begin_call(Api api) {
  begin_child();
  return RuntimeCall{.api = api,
                     .thread = thread_,
                     .correlation = next_correlation_++,
                     .external_id = enclosing_op(),
                     .start_ns = cpu_ns_};
}

void RankSim::wait_until(Ended ended) {
  if (ended.ns <= cpu_ns_) return;
  cpu_ns_ = ended.ns;
  cpu_cause_ = chain_.add(rank_, Resource::kCpu, cpu_ns_, ended.cause);
}

/// A launch returns at once unless the stream already holds as many unfinished events as its queue has room for.
RuntimeCall RankSim::launch_call(Api api, const StreamState& stream) {
  RuntimeCall call = begin_call(api);
  spend(launch_cost());
  if (stream.unfinished.size() == static_cast<std::size_t>(o_.queue_depth)) {
    const Ended& oldest = stream.unfinished[stream.oldest];
    if (oldest.ns > call.start_ns) wait_until(oldest);
  }
  call.end_ns = cpu_ns_;
  return call;
}

RankSim::Start RankSim::earliest_start(StreamState& stream, Nanos ready_ns, Nanos launched_ns) {
  const Ended dependency = stream.dependency;
  stream.dependency = {-1, CauseChain::kNone};
  if (stream.free.ns >= ready_ns && stream.free.ns >= dependency.ns)
    return {stream.free.ns, Bound::kStream, stream.free};
  if (dependency.ns >= ready_ns) return {dependency.ns, Bound::kOtherStream, dependency};
  const Node latency = chain_.add(rank_, Resource::kLaunchLatency, launched_ns, cpu_cause_);
  return {ready_ns, Bound::kLaunch, {ready_ns, latency}};
}

void RankSim::occupy(StreamState& stream, const Start& start, Nanos end_ns, Resource resource, int meeting) {
  ensure(start.ns >= stream.free.ns, "two events of a stream overlap");
  // Back to back on one stream is one stretch of the same cause.
  const bool extends = start.bound == Bound::kStream && chain_.enabled() && meeting < 0 &&
                       stream.free.cause != CauseChain::kNone && chain_.resource(stream.free.cause) == resource;
  const Node node = extends        ? stream.free.cause
                    : meeting >= 0 ? chain_.add_collective(rank_, start.ns, start.why.cause, meeting)
                                   : chain_.add(rank_, resource, start.ns, start.why.cause);
  stream.free = {end_ns, node};
  if (stream.unfinished.size() < static_cast<std::size_t>(o_.queue_depth)) {
    stream.unfinished.push_back(stream.free);
  } else {
    stream.unfinished[stream.oldest] = stream.free;
    stream.oldest = (stream.oldest + 1) % stream.unfinished.size();
  }
  if (end_ns > last_gpu_.ns) last_gpu_ = stream.free;
}

void RankSim::tell_gpu(const RuntimeCall& call, const GpuEvent& event) {
  ensure(event.start_ns >= call.start_ns, "a GPU event starts before its launch");
  if (graph_call_) {
    observer_.on_graph_kernel(event);
  } else {
    observer_.on_launch(call, event);
  }
}

void RankSim::kernel(const Instr& instr) {
  StreamState& stream = state(instr.stream);
  const RuntimeCall call = graph_call_ ? *graph_call_ : launch_call(Api::kLaunchKernel, stream);
  const Nanos free_ns = stream.free.ns;
  const Start start = earliest_start(stream, call.end_ns + o_.lat_ns, call.end_ns);
  const Nanos usual_ns = instr.value * compute_pct_ / 100 * step_pct_ / 100;
  const Nanos dur_ns = draws_.jitter(usual_ns, o_.jitter, Tag("kernel"), kernel_draws_++);
  occupy(stream, start, start.ns + dur_ns, Resource::kCompute, -1);
  tell_gpu(call, GpuEvent{.stream = instr.stream,
                          .bound = start.bound,
                          .kernel = instr.id,
                          .graph_node = graph_call_ ? ++graph_nodes_ : 0,
                          .graph = graph_,
                          .correlation = call.correlation,
                          .external_id = call.external_id,
                          .start_ns = start.ns,
                          .end_ns = start.ns + dur_ns,
                          .launch_start_ns = call.start_ns,
                          .stream_free_ns = free_ns});
}

void RankSim::copy(const Instr& instr) {
  StreamState& stream = state(instr.stream);
  const bool to_device = static_cast<CopyKind>(instr.id) == CopyKind::kToDevice;
  const bool staged = to_device && o_.pageable;
  RuntimeCall call = launch_call(Api::kMemcpyAsync, stream);
  const Nanos free_ns = stream.free.ns;
  const Start start = earliest_start(stream, call.end_ns + o_.lat_ns, call.end_ns);
  const Nanos base_ns =
      std::max(kShortestCopyNs, instr.value / (staged ? kPageableBytesPerNs : kPinnedBytesPerNs)) * copy_pct_ / 100;
  const Nanos dur_ns = draws_.jitter(base_ns, o_.jitter, Tag("copy"), copy_draws_++);
  occupy(stream, start, start.ns + dur_ns, Resource::kCopy, -1);
  // From pageable memory the driver copies through a buffer of its own and returns when that is done.
  if (staged) {
    wait_until(stream.free);
    call.end_ns = cpu_ns_;
  }
  tell_gpu(call, GpuEvent{.kind = to_device ? GpuEvent::Kind::kCopyToDevice : GpuEvent::Kind::kCopyToHost,
                          .stream = instr.stream,
                          .bound = start.bound,
                          .correlation = call.correlation,
                          .external_id = call.external_id,
                          .start_ns = start.ns,
                          .end_ns = start.ns + dur_ns,
                          .launch_start_ns = call.start_ns,
                          .stream_free_ns = free_ns,
                          .bytes = instr.value});
}

CollectiveRef RankSim::next_collective(const Instr& instr) const {
  ensure(instr.op == Opcode::kCollective, "an operator for collectives without one");
  const auto role = static_cast<Role>(instr.arg >> 8);
  return {.group = job_.layout.group_of(rank_, role),
          .seq = next_seq_[static_cast<std::size_t>(role)],
          .kind = static_cast<CollectiveKind>(instr.arg & 0xff),
          .bytes = instr.value};
}

/// False when the rank has arrived but others have not; the same instruction is then run again later.
bool RankSim::collective(const Instr& instr, std::vector<int>& completed) {
  StreamState& stream = state(instr.stream);
  const auto role = static_cast<Role>(instr.arg >> 8);
  const Nanos free_ns = stream.free.ns;
  if (!pending_) {
    const RuntimeCall call = graph_call_ ? *graph_call_ : launch_call(Api::kLaunchKernel, stream);
    const Start start = earliest_start(stream, call.end_ns + o_.lat_ns, call.end_ns);
    pending_ = Pending{.call = call, .ref = next_collective(instr), .start = start};
    if (pass_ == Pass::kFirst && job_.table.arrive(rank_, role, pending_->ref, start.ns, start.why.cause)) {
      completed.push_back(pending_->ref.group);
    }
  }
  const std::optional<Nanos> common_end_ns = job_.table.end_of(pending_->ref);
  if (!common_end_ns) return false;
  const Pending arrived = *pending_;
  pending_.reset();
  ++next_seq_[static_cast<std::size_t>(role)];
  const int number = job_.table.number_of(arrived.ref);
  const Nanos late_ns = o_.comm_jitter == 0
                            ? 0
                            : static_cast<Nanos>(draws_.at(Tag("collective end"), static_cast<std::uint64_t>(number)) %
                                                 static_cast<std::uint64_t>(o_.comm_jitter + 1));
  const Nanos end_ns = *common_end_ns + late_ns;
  occupy(stream, arrived.start, end_ns, Resource::kCollective, number);
  tell_gpu(arrived.call, GpuEvent{.kind = GpuEvent::Kind::kCollective,
                                  .stream = instr.stream,
                                  .bound = arrived.start.bound,
                                  .kernel = instr.id,
                                  .graph_node = graph_call_ ? ++graph_nodes_ : 0,
                                  .graph = graph_,
                                  .correlation = arrived.call.correlation,
                                  .external_id = arrived.call.external_id,
                                  .start_ns = arrived.start.ns,
                                  .end_ns = end_ns,
                                  .launch_start_ns = arrived.call.start_ns,
                                  .stream_free_ns = free_ns,
                                  .collective = arrived.ref});
  return true;
}

void RankSim::record(const Instr& instr) {
  EventSlot& slot = events_[instr.id];
  slot = {.ended = state(instr.stream).free, .stream = instr.stream};
  if (graph_call_) return;
  RuntimeCall call = begin_call(Api::kEventRecord);
  spend(kEventCallNs);
  call.end_ns = cpu_ns_;
  slot.record_correlation = call.correlation;
  observer_.on_call(call);
}

void RankSim::wait(const Instr& instr) {
  const EventSlot& slot = events_[instr.id];
  StreamState& stream = state(instr.stream);
  if (slot.ended.ns > stream.dependency.ns) stream.dependency = slot.ended;
  if (graph_call_) return;
  RuntimeCall call = begin_call(Api::kStreamWaitEvent);
  spend(kEventCallNs);
  call.end_ns = cpu_ns_;
  if (o_.sync_events) {
    observer_.on_sync(call, {.kind = SyncEvent::Kind::kStreamWaitEvent,
                             .stream = instr.stream,
                             .event_stream = slot.stream,
                             .record_correlation = slot.record_correlation,
                             .event_id = instr.id + 1,
                             .start_ns = call.start_ns + 500,
                             .end_ns = call.end_ns - 300});
  } else {
    observer_.on_call(call);
  }
}

void RankSim::sync(Stream which) {
  RuntimeCall call = begin_call(Api::kStreamSynchronize);
  spend(kShortestSyncNs);
  wait_until(state(which).free);
  call.end_ns = cpu_ns_;
  if (call.end_ns - call.start_ns > kReportedSyncNs) {
    observer_.on_sync(call, {.kind = SyncEvent::Kind::kStreamSync,
                             .stream = which,
                             .start_ns = call.start_ns + 500,
                             .end_ns = call.end_ns - 300});
  } else {
    observer_.on_call(call);
  }
}

void RankSim::begin_graph(int number) {
  RuntimeCall call = launch_call(Api::kGraphLaunch, state(Stream::kCompute));
  graph_call_ = call;
  graph_ = number + 1;
  graph_nodes_ = 0;
  observer_.on_call(call);
}

}  // namespace tracegen
