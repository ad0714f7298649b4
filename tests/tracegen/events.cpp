#include "events.h"

#include <iterator>

#include <fmt/format.h>

namespace tracegen {
namespace {

using Lead = Field::Lead;

/// True time 0 on a clock without skew, after the base time is taken off: some weeks of uptime.
constexpr Nanos kOriginNs = 4'026'150'111'555'092;
constexpr int kDevices = 8;
constexpr int kFirstPid = 1000;
constexpr std::size_t kShownRanks = 30;

struct ApiSpec {
  std::string_view name;
  int cbid;
};
constexpr ApiSpec kApis[] = {
    {"cudaLaunchKernel", 211},      {"cudaMemcpyAsync", 41}, {"cudaEventRecord", 135}, {"cudaStreamWaitEvent", 147},
    {"cudaStreamSynchronize", 131}, {"cudaMalloc", 20},      {"cudaFree", 22},         {"cudaGraphLaunch", 311}};

std::string rank_list(const std::vector<int>& members, RankList how) {
  std::string text = "[";
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (how == RankList::kCut && i == kShownRanks && members.size() > kShownRanks) {
      text += ", ...";
      break;
    }
    fmt::format_to(std::back_inserter(text), "{}{}", i == 0 ? "" : ", ", members[i]);
  }
  return text + "]";
}

}  // namespace

Clock::Clock(const Options& options, int rank)
    : skew_ns_(Draws(options.seed, rank, 0).symmetric(Tag("clock skew"), 0, options.clock_skew_ns)),
      drift_ppb_(Draws(options.seed, rank, 0)
                     .symmetric(Tag("clock drift"), 0, static_cast<std::int64_t>(options.clock_drift_ppm * 1000))),
      base_ns_(options.base_ns + rank * options.base_step_ns),
      origin_ns_(options.base_ns + kOriginNs),
      shift_ns_(origin_ns_ + skew_ns_ - base_ns_) {}

EventWriter::EventWriter(const Job& job, int rank, const Clock& clock, TraceText& text)
    : job_(job),
      o_(job.options),
      rank_(rank),
      clock_(clock),
      text_(text),
      spoiler_(job.options, rank),
      draws_(job.options.seed, rank, 0),
      pid_(kFirstPid + rank),
      device_(rank % kDevices),
      group_ranks_(job.layout.groups().size()) {
  for (int role = 0; role < kRoles; ++role) {
    const int group = job.layout.group_of(rank, static_cast<Role>(role));
    if (group < 0) continue;
    const auto at = static_cast<std::size_t>(group);
    group_ranks_[at] = rank_list(job.layout.groups()[at].members, o_.pg_ranks);
  }
}

void EventWriter::send() {
  if (o_.hostile.any_event()) spoiler_.spoil(event_);
  counts_.add(event_.category(), event_.phase());
  text_.event(event_);
}

EventFields& EventWriter::begin(char phase, Category category, std::string_view name, std::int64_t pid,
                                std::int64_t tid) {
  static constexpr std::string_view kPhaseText = "XsfiM";
  return event_.begin(phase, category)
      .text("ph", kPhaseText.substr(kPhaseText.find(phase), 1))
      .text("cat", category_name(category, o_.style))
      .text("name", name)
      .integer("pid", pid)
      .integer("tid", tid);
}

EventFields& EventWriter::begin_timed(Category category, std::string_view name, std::int64_t pid, std::int64_t tid,
                                      Nanos start_ns, Nanos end_ns) {
  const Nanos written_ns = clock_.written_ns(start_ns);
  return begin('X', category, name, pid, tid)
      .time("ts", written_ns, Lead::kLine)
      .time("dur", clock_.written_ns(end_ns) - written_ns);
}

void EventWriter::flow(Category category, char phase, std::int64_t id, std::int64_t pid, std::int64_t tid,
                       Nanos at_ns) {
  const std::string_view name = category == Category::kForwardBackward ? "fwdbwd" : old_style() ? "async_gpu" : "ac2g";
  event_.begin(phase, category)
      .text("ph", phase == 's' ? "s" : "f")
      .integer("id", id)
      .integer("pid", pid)
      .integer("tid", tid)
      .time("ts", clock_.written_ns(at_ns))
      .text("cat", category_name(category, o_.style), Lead::kLine)
      .text("name", name);
  if (phase == 'f' || (old_style() && category == Category::kFlow)) event_.text("bp", "e");
  send();
}

std::string EventWriter::step_name(int step) const {
  return fmt::format("ProfilerStep#{}", step);
}

void EventWriter::shapes(const OpSpec& spec) {
  if (!o_.shapes || spec.dims.empty()) return;
  if (old_style()) {
    event_.json("Input Dims", spec.dims).json("Input type", spec.types);
    return;
  }
  event_.json("Concrete Inputs", spec.concrete)
      .json("Input type", spec.types)
      .json("Input Strides", spec.strides)
      .json("Input Dims", spec.dims);
}

void EventWriter::span(const Span& span) {
  const bool is_op = span.kind == Span::Kind::kOp;
  std::string_view name = is_op ? op_spec(span.op).name : annotation_name(span.annotation);
  if (!is_op && span.annotation == AnnotationId::kStep) {
    scratch_name_ = step_name(span.step);
    name = scratch_name_;
  } else if (!is_op && span.annotation == AnnotationId::kCollective) {
    name = collective_spec(span.collective.kind).annotation;
  }
  begin_timed(is_op ? Category::kCpuOp : Category::kUserAnnotation, name, pid_, tid(span.thread), span.start_ns,
              span.end_ns)
      .args();
  if (old_style()) {
    event_.text("Trace name", "PyTorch Profiler")
        .integer("Trace iteration", 0)
        .integer("External id", span.external_id, Lead::kLine)
        .integer("Profiler Event Index", event_index_++, Lead::kLine);
    if (is_op) shapes(op_spec(span.op));
    if (span.sequence >= 0) event_.integer("Sequence number", span.sequence).integer("Fwd thread id", 1);
    if (is_op && span.op == OpId::kRecordParamComms) collective_args(span.collective);
    event_.text("Call stack", "");
  } else {
    const bool seen = draws_.at(Tag("record function"), span.external_id) % 2 != 0;
    event_.integer("External id", span.external_id)
        .integer("Record function id", seen ? span.external_id : 0, Lead::kNothing);
    if (is_op) shapes(op_spec(span.op));
    if (span.sequence >= 0) {
      event_.integer("Sequence number", span.sequence)
          .integer("Fwd thread id", span.grad == GradRole::kForward ? 0 : 1);
    }
    if (is_op && span.op == OpId::kRecordParamComms) {
      collective_args(span.collective);
      event_.integer("Rank", rank_);
    }
    event_.integer("Ev Idx", event_index_++);
  }
  send();
  if (!o_.flows) return;
  if (span.grad == GradRole::kForward) {
    flow(Category::kForwardBackward, 's', span.sequence + 1, pid_, tid(span.thread), span.start_ns);
  } else if (span.grad == GradRole::kBackward) {
    flow(Category::kForwardBackward, 'f', span.sequence + 1, pid_, tid(span.thread), span.start_ns);
  }
}

void EventWriter::memory(const MemoryChange& change) {
  if (!o_.memory) return;
  constexpr std::int64_t kFirstAddress = std::int64_t{1} << 40U;
  constexpr std::int64_t kBlock = std::int64_t{1} << 22U;
  event_.begin('i', Category::kInstant)
      .text("ph", "i")
      .text("cat", "cpu_instant_event")
      .text("s", "t")
      .text("name", "[memory]")
      .integer("pid", pid_, Lead::kLine)
      .integer("tid", tid(change.thread))
      .time("ts", clock_.written_ns(change.at_ns), Lead::kLine)
      .args()
      .integer("Total Reserved", change.peak_bytes)
      .integer("Total Allocated", change.allocated_bytes)
      .integer("Bytes", change.bytes)
      .integer("Device Id", device_)
      .integer("Device Type", 1)
      .integer("Addr", kFirstAddress + kBlock * change.sequence)
      .integer(old_style() ? "Profiler Event Index" : "Ev Idx", event_index_++);
  send();
}

void EventWriter::frame(const PythonFrame& frame) {
  begin_timed(Category::kPythonFunction, python_name(frame.name), pid_, pid_, frame.start_ns, frame.end_ns).args();
  if (frame.parent == 0) {
    event_.json("Python parent id", "null");
  } else {
    event_.integer("Python parent id", frame.parent);
  }
  event_.integer("Python id", frame.id).integer(old_style() ? "Profiler Event Index" : "Ev Idx", event_index_++);
  send();
}

EventWriter::Kept EventWriter::kept(const Activity& activity) const {
  Kept kept{.call = activity.has_call, .gpu = activity.has_gpu};
  if (!activity.has_gpu) return kept;
  const GpuEvent& gpu = activity.gpu;
  // Graph kernels share their correlation.
  const std::uint64_t index = gpu.correlation + (static_cast<std::uint64_t>(gpu.graph_node) << 20U);
  if (draws_.chance(Tag("drop launch"), index, o_.drop.launches_pct)) kept.call = false;
  if (draws_.chance(Tag("drop kernel"), index, o_.drop.kernels_pct)) kept.gpu = false;
  if (draws_.chance(Tag("drop correlation"), index, o_.drop.corr_pct)) kept.correlation = false;
  if (gpu.kind == GpuEvent::Kind::kCollective && draws_.chance(Tag("lost collective"), index, o_.lost_collectives)) {
    kept.gpu = false;
  }
  return kept;
}

void EventWriter::activity(const Activity& activity) {
  const Kept kept = this->kept(activity);
  if (kept.gpu) {
    gpu_event(activity.gpu, kept);
    if (o_.flows) {
      flow(Category::kFlow, 'f', activity.gpu.correlation, device_, stream_number(activity.gpu.stream),
           activity.gpu.start_ns);
    }
  }
  if (activity.has_sync) sync_event(activity.call, activity.sync);
  if (!kept.call) return;
  runtime_call(activity.call);
  const bool starts_gpu_work = activity.has_gpu || activity.call.api == Api::kGraphLaunch;
  if (o_.flows && starts_gpu_work) {
    flow(Category::kFlow, 's', activity.call.correlation, pid_, tid(activity.call.thread), activity.call.start_ns);
  }
}

void EventWriter::runtime_call(const RuntimeCall& call) {
  const ApiSpec& api = kApis[static_cast<std::size_t>(call.api)];
  begin_timed(Category::kRuntime, api.name, pid_, tid(call.thread), call.start_ns, call.end_ns).args();
  if (call.external_id != 0) event_.integer("External id", call.external_id);
  event_.integer("cbid", api.cbid, Lead::kLine).integer("correlation", call.correlation);
  send();
}

void EventWriter::gpu_event(const GpuEvent& event, Kept kept) {
  const int stream = stream_number(event.stream);
  const auto correlation = [&] {
    if (kept.correlation) event_.integer("correlation", event.correlation);
  };
  if (event.kind == GpuEvent::Kind::kCopyToDevice || event.kind == GpuEvent::Kind::kCopyToHost) {
    const std::string_view name = event.kind == GpuEvent::Kind::kCopyToHost ? "Memcpy DtoH (Device -> Pageable)"
                                  : o_.pageable                             ? "Memcpy HtoD (Pageable -> Device)"
                                                                            : "Memcpy HtoD (Pinned -> Device)";
    begin_timed(Category::kMemcpy, name, device_, stream, event.start_ns, event.end_ns).args();
    if (event.external_id != 0) event_.integer("External id", event.external_id);
    event_.integer("device", device_, Lead::kLine).integer("context", 1).integer("stream", stream, Lead::kLine);
    correlation();
    const Nanos dur_ns = event.end_ns - event.start_ns;
    scratch_number_ = fmt::format("{}", static_cast<double>(event.bytes) / static_cast<double>(dur_ns));
    event_.integer("bytes", event.bytes, Lead::kLine).json("memory bandwidth (GB/s)", scratch_number_);
    send();
    return;
  }
  const KernelSpec& kernel = kernels()[static_cast<std::size_t>(event.kernel)];
  begin_timed(Category::kKernel, kernel.json, device_, stream, event.start_ns, event.end_ns).args();
  if (event.external_id != 0) event_.integer("External id", event.external_id);
  event_.integer("queued", 0, Lead::kLine)
      .integer("device", device_)
      .integer("context", 1)
      .integer("stream", stream, Lead::kLine);
  correlation();
  scratch_number_ = fmt::format("[{}, 1, 1]", kernel.grid);
  scratch_id_ = fmt::format("[{}, 1, 1]", kernel.block);
  event_.integer("registers per thread", kernel.registers, Lead::kLine)
      .integer("shared memory", kernel.shared_memory, Lead::kLine)
      .json("blocks per SM", kernel.blocks_per_sm, Lead::kLine)
      .json("warps per SM", kernel.warps_per_sm, Lead::kLine)
      .json("grid", scratch_number_, Lead::kLine)
      .json("block", scratch_id_, Lead::kLine)
      .integer("est. achieved occupancy %", kernel.occupancy_pct, Lead::kLine);
  if (event.graph_node > 0) event_.integer("graph id", event.graph).integer("graph node id", event.graph_node);
  if (event.kind == GpuEvent::Kind::kCollective && o_.collective_args) {
    collective_args(event.collective);
  }
  send();
}

void EventWriter::collective_args(const CollectiveRef& ref) {
  const Group& group = job_.layout.groups()[static_cast<std::size_t>(ref.group)];
  const auto size = static_cast<std::int64_t>(group.members.size());
  const std::int64_t elements = ref.bytes / 2;
  const std::int64_t in = ref.kind == CollectiveKind::kAllGather ? elements / size : elements;
  const std::int64_t out = ref.kind == CollectiveKind::kReduceScatter ? elements / size : elements;
  event_.text("Collective name", collective_spec(ref.kind).name)
      .integer("In msg nelems", in)
      .integer("Out msg nelems", out)
      .integer("Group size", size)
      .text("dtype", "BFloat16")
      .text("In split size", "[]")
      .text("Out split size", "[]")
      .text("Process Group Name", group.name)
      .text("Process Group Description", group.description)
      .text("Process Group Ranks", group_ranks_[static_cast<std::size_t>(ref.group)])
      .integer("Seq", ref.seq + 1);
  if (o_.pg_ranks == RankList::kCut) {
    event_.integer("Global rank start", group.members.front())
        .integer("Global rank stride", size > 1 ? group.members[1] - group.members[0] : 1);
  }
  if (ref.kind == CollectiveKind::kSend || ref.kind == CollectiveKind::kRecv) {
    const int other = group.members[0] == rank_ ? group.members[1] : group.members[0];
    const bool sends = ref.kind == CollectiveKind::kSend;
    event_.integer("Src Rank", sends ? rank_ : other).integer("Dst Rank", sends ? other : rank_);
  }
  if (o_.comms_id) {
    // Names the operation, not the group: the same on all members, and on no other operation.
    scratch_name_ = fmt::format("{}", mix64(hash64(group.name) + static_cast<std::uint64_t>(ref.seq)));
    event_.json("Comms Id", scratch_name_);
  }
}

void EventWriter::sync_event(const RuntimeCall& call, const SyncEvent& event) {
  const int stream = stream_number(event.stream);
  const bool waits = event.kind == SyncEvent::Kind::kStreamWaitEvent;
  const std::string_view name = waits ? "Stream Wait Event" : "Stream Sync";
  begin_timed(Category::kSync, name, device_, stream, event.start_ns, event.end_ns).args();
  if (call.external_id != 0) event_.integer("External id", call.external_id);
  event_.text("cuda_sync_kind", name, Lead::kLine);
  if (waits) {
    event_.integer("wait_on_stream", stream_number(event.event_stream), Lead::kLine)
        .integer("wait_on_cuda_event_record_corr_id", event.record_correlation, Lead::kLine)
        .integer("wait_on_cuda_event_id", event.event_id, Lead::kLine);
  }
  event_.integer("stream", stream, Lead::kLine)
      .integer("correlation", call.correlation)
      .integer("device", device_, Lead::kLine)
      .integer("context", 1);
  send();
}

void EventWriter::gpu_annotation(std::string_view name, std::uint32_t external_id, Stream stream, Nanos start_ns,
                                 Nanos end_ns) {
  // The profiler widens these by a nanosecond on either side, so that they contain their kernels.
  const Nanos written_ns = clock_.written_ns(start_ns);
  begin('X', Category::kGpuAnnotation, name, device_, stream_number(stream))
      .time("ts", written_ns - 1, Lead::kLine)
      .time("dur", clock_.written_ns(end_ns) - written_ns + 2)
      .args()
      .integer("External id", external_id);
  send();
}

void EventWriter::name_process(std::int64_t pid, std::string_view labels, std::int64_t sort_index) {
  const auto begin_meta = [&](std::string_view name) -> EventFields& {
    return event_.begin('M', Category::kNone)
        .text("name", name)
        .text("ph", "M")
        .time("ts", clock_.written_ns(0))
        .integer("pid", pid)
        .integer("tid", 0)
        .args();
  };
  begin_meta("process_name").text("name", "python3.11");
  send();
  begin_meta("process_labels").text("labels", labels);
  send();
  begin_meta("process_sort_index").integer("sort_index", sort_index);
  send();
}

void EventWriter::name_thread(std::int64_t pid, std::int64_t tid, std::string_view name) {
  const auto begin_meta = [&](std::string_view key) -> EventFields& {
    return event_.begin('M', Category::kNone)
        .text("name", key)
        .text("ph", "M")
        .time("ts", clock_.written_ns(0))
        .integer("pid", pid)
        .integer("tid", tid)
        .args();
  };
  begin_meta("thread_name").text("name", name);
  send();
  begin_meta("thread_sort_index").integer("sort_index", tid);
  send();
}

void EventWriter::metadata(Nanos end_ns) {
  name_process(pid_, "CPU", pid_);
  for (int device = 0; device < kDevices; ++device) {
    name_process(device, fmt::format("GPU {}", device), (std::int64_t{1} << 24U) + device);
  }
  std::vector<Stream> streams = {Stream::kCompute, Stream::kCopy};
  if (job_.layout.group_of(rank_, Role::kData) >= 0) streams.push_back(Stream::kData);
  if (o_.tp > 1) streams.push_back(Stream::kTensor);
  if (o_.pp > 1) streams.push_back(Stream::kPipeline);
  for (const Stream stream : streams) {
    name_thread(device_, stream_number(stream), fmt::format("stream {} ", stream_number(stream)));
  }
  constexpr std::string_view kThreadNames[] = {"pt_main_thread", "pt_autograd_0", "pt_data_worker"};
  for (int thread = 0; thread < kThreads; ++thread) {
    name_thread(pid_, pid_ + thread, fmt::format("thread {} ({})", pid_ + thread, kThreadNames[thread]));
  }
  const Nanos start_ns = clock_.written_ns(0);
  event_.begin('X', Category::kTrace)
      .text("ph", "X")
      .text("cat", "Trace")
      .time("ts", start_ns)
      .time("dur", clock_.written_ns(end_ns) - start_ns)
      .text("pid", "Spans", Lead::kLine)
      .text("tid", "PyTorch Profiler")
      .text("name", "PyTorch Profiler (0)", Lead::kLine)
      .args()
      .integer("Op count", 0);
  send();
  event_.begin('M', Category::kNone)
      .text("name", "process_sort_index")
      .text("ph", "M")
      .time("ts", start_ns)
      .text("pid", "Spans", Lead::kLine)
      .integer("tid", 0)
      .args()
      .integer("sort_index", std::int64_t{1} << 29U);
  send();
  event_.begin('i', Category::kNone)
      .text("name", "Iteration Start: PyTorch Profiler")
      .text("ph", "i")
      .text("s", "g")
      .text("pid", "Traces", Lead::kLine)
      .text("tid", "Trace PyTorch Profiler")
      .time("ts", start_ns);
  send();
  event_.begin('i', Category::kNone)
      .text("name", "Record Window End")
      .text("ph", "i")
      .text("s", "g")
      .text("pid", "", Lead::kLine)
      .text("tid", "")
      .time("ts", clock_.written_ns(end_ns) + 1000);
  send();
}

}  // namespace tracegen
