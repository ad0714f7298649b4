#include "rank_sim.h"

#include <algorithm>

#include "ensure.h"

namespace tracegen {
namespace {

// Host costs that the parameters do not cover.
constexpr Nanos kFirstChildNs = 400;
constexpr Nanos kNextChildNs = 300;
constexpr Nanos kLastChildNs = 500;
constexpr Nanos kThreadSwitchNs = 2000;
constexpr Nanos kMallocNs = 300'000;
constexpr Nanos kFreeNs = 180'000;
constexpr Nanos kFrameNs = 200;
constexpr Nanos kLeafFrameNs = 150;
constexpr Nanos kBetweenFramesNs = 60;
constexpr int kLeafFrames = 5;
constexpr std::int64_t kTensorBytes = std::int64_t{1} << 22U;

}  // namespace

RankSim::RankSim(Job& job, int rank, Pass pass, CauseChain& chain, Observer& observer)
    : job_(job),
      o_(job.options),
      rank_(rank),
      pass_(pass),
      chain_(chain),
      observer_(observer),
      compute_pct_(factor_pct(job.options.slow_rank, rank)),
      copy_pct_(factor_pct(job.options.slow_copy, rank)),
      cpu_cause_(chain.add(rank, Resource::kCpu, 0, CauseChain::kNone)) {}

RankSim::Status RankSim::run(std::vector<int>& completed) {
  while (true) {
    if (!in_step_) {
      if (step_ + 1 == o_.steps) return Status::kDone;
      begin_step();
    }
    if (interpret(completed) == Status::kWaits) return Status::kWaits;
    end_step();
  }
}

void RankSim::begin_step() {
  ++step_;
  pc_ = 0;
  in_step_ = true;
  program_ = &job_.programs.step(rank_, step_);
  draws_ = Draws(o_.seed, rank_, step_);
  kernel_draws_ = op_draws_ = launch_draws_ = copy_draws_ = 0;
  const auto in_this_step = [&](const std::vector<StepFactor>& factors) {
    int pct = 100;
    for (const StepFactor& factor : factors) {
      if (factor.rank == rank_ && factor.step == step_) pct = factor.pct;
    }
    return pct;
  };
  delay_pct_ = in_this_step(o_.launch_delay);
  step_pct_ = in_this_step(o_.slow_step);
  last_gpu_ = {cpu_ns_, cpu_cause_};
  steps_.push_back({.start_ns = cpu_ns_});
  observer_.on_step_begin(step_, cpu_ns_);
  Span span{.kind = Span::Kind::kAnnotation, .annotation = AnnotationId::kStep, .start_ns = cpu_ns_};
  open(span, -1);
}

void RankSim::end_step() {
  close();
  in_step_ = false;
  ensure(stack().empty() && thread_ == Thread::kMain && forwards_.empty(), "a step left something open");
  StepRecord& record = steps_.back();
  record.end_ns = cpu_ns_;
  record.completion_ns = std::max(cpu_ns_, last_gpu_.ns);
  observer_.on_step_end(step_, cpu_ns_);
  if (pass_ == Pass::kSecond || !chain_.enabled()) return;
  const auto meetings = job_.table.meetings();
  using Scope = CauseChain::Scope;
  record.host_path_job = chain_.path(cpu_cause_, record.start_ns, record.end_ns, Scope::kJob, meetings);
  record.host_path_rank = chain_.path(cpu_cause_, record.start_ns, record.end_ns, Scope::kRank, meetings);
  const Nanos before_ns = steps_.size() > 1 ? steps_[steps_.size() - 2].completion_ns : record.start_ns;
  const Nanos from_ns = before_ns < record.completion_ns ? std::max(before_ns, record.start_ns) : record.start_ns;
  const Node last = last_gpu_.ns > cpu_ns_ ? last_gpu_.cause : cpu_cause_;
  record.completion_path_rank = chain_.path(last, from_ns, record.completion_ns, Scope::kRank, meetings);
}

RankSim::Status RankSim::interpret(std::vector<int>& completed) {
  const std::vector<Instr>& code = *program_;
  for (; pc_ < code.size(); ++pc_) {
    const Instr& instr = code[pc_];
    switch (instr.op) {
      case Opcode::kOpBegin: {
        const auto id = static_cast<OpId>(instr.id);
        // The operator that wraps a collective is written with its arguments.
        const bool wraps = id == OpId::kRecordParamComms;
        open_op(id, static_cast<GradRole>(instr.arg), wraps ? next_collective(code[pc_ + 2]) : CollectiveRef{});
        break;
      }
      case Opcode::kOpEnd:
      case Opcode::kAnnotationEnd: close(); break;
      case Opcode::kWork: spend(op_cost()); break;
      case Opcode::kAnnotationBegin: {
        begin_child();
        Span span{
            .kind = Span::Kind::kAnnotation, .annotation = static_cast<AnnotationId>(instr.id), .start_ns = cpu_ns_};
        if (span.annotation == AnnotationId::kCollective) span.collective = next_collective(code[pc_ + 1]);
        open(span, -1);
        break;
      }
      case Opcode::kKernel: kernel(instr); break;
      case Opcode::kCopy: copy(instr); break;
      case Opcode::kRecord: record(instr); break;
      case Opcode::kWait: wait(instr); break;
      case Opcode::kSync: sync(instr.stream); break;
      case Opcode::kCollective:
        if (!collective(instr, completed)) return Status::kWaits;
        break;
      case Opcode::kThread:
        thread_ = static_cast<Thread>(instr.id);
        spend(kThreadSwitchNs);
        break;
      case Opcode::kLoader: load_batch(); break;
      case Opcode::kPythonEnter: python_enter(instr.id); break;
      case Opcode::kPythonExit: python_exit(instr.id); break;
      case Opcode::kAllocate: allocate(); break;
      case Opcode::kSkipUnlessItem:
        if ((step_ + 1) % o_.item_every != 0) pc_ += static_cast<std::size_t>(instr.arg);
        break;
      case Opcode::kGraphBegin: begin_graph(instr.id); break;
      case Opcode::kGraphEnd: graph_call_.reset(); break;
    }
  }
  return Status::kDone;
}

void RankSim::begin_child() {
  auto& open_spans = stack();
  if (open_spans.empty()) {
    spend(kNextChildNs);
    return;
  }
  spend(open_spans.back().children++ == 0 ? kFirstChildNs : kNextChildNs);
}

std::uint32_t RankSim::enclosing_op() const {
  const auto& open_spans = stacks_[static_cast<std::size_t>(thread_)];
  const auto found = std::find_if(open_spans.rbegin(), open_spans.rend(),
                                  [](const Container& c) { return c.span.kind == Span::Kind::kOp; });
  return found == open_spans.rend() ? 0 : found->span.external_id;
}

void RankSim::open(const Span& span, int forward) {
  Container container{.span = span, .forward = forward};
  container.span.thread = thread_;
  container.span.step = step_;
  container.span.external_id = next_external_id_++;
  if (forward >= 0) {
    container.span.forward_external_id = forwards_[static_cast<std::size_t>(forward)].external_id;
    container.span.sequence = forwards_[static_cast<std::size_t>(forward)].sequence;
  } else if (span.grad == GradRole::kForward) {
    container.span.sequence = next_sequence_++;
    forwards_.push_back({container.span.external_id, container.span.sequence});
  }
  stack().push_back(container);
  observer_.on_open(container.span);
}

void RankSim::close() {
  Container& container = stack().back();
  if (container.children > 0) spend(kLastChildNs);
  container.span.end_ns = cpu_ns_;
  ensure(container.span.end_ns >= container.span.start_ns, "a span ends before it starts");
  const Span span = container.span;
  stack().pop_back();
  if (span.grad == GradRole::kBackward) {
    change_memory(span.end_ns - 200, -kTensorBytes, span.sequence);
    forwards_.pop_back();
  }
  observer_.on_close(span);
}

void RankSim::open_op(OpId id, GradRole role, CollectiveRef collective) {
  begin_child();
  int forward = -1;
  if (role == GradRole::kEvaluate || role == GradRole::kBackward) forward = static_cast<int>(forwards_.size()) - 1;
  open(Span{.grad = role, .op = id, .start_ns = cpu_ns_, .collective = collective}, forward);
  if (role == GradRole::kForward) change_memory(cpu_ns_ + 200, kTensorBytes, next_sequence_ - 1);
}

void RankSim::change_memory(Nanos at_ns, std::int64_t bytes, std::int64_t sequence) {
  allocated_bytes_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, allocated_bytes_);
  observer_.on_memory({thread_, at_ns, bytes, sequence, allocated_bytes_, peak_bytes_});
}

/// The main thread waits in the loader's iterator while a worker thread prepares the batch.
void RankSim::load_batch() {
  Nanos stall_ns = 0;
  for (const Stall& stall : o_.stall) {
    if (stall.rank == rank_ && stall.step == step_) stall_ns += stall.ns;
  }
  begin_child();
  open(Span{.kind = Span::Kind::kAnnotation, .annotation = AnnotationId::kLoader, .start_ns = cpu_ns_}, -1);
  const Nanos start_ns = cpu_ns_;
  const Nanos ready_ns = draws_.jitter(o_.loader_ns, o_.jitter, Tag("loader"), 0);
  const Nanos end_ns = start_ns + ready_ns + stall_ns;
  const Nanos margin_ns = std::min<Nanos>(3000, ready_ns / 8);
  thread_ = Thread::kLoader;
  cpu_ns_ = start_ns + margin_ns;
  open(Span{.op = OpId::kIndexSelect, .start_ns = cpu_ns_}, -1);
  cpu_ns_ = start_ns + (ready_ns + stall_ns) / 2;
  close();
  cpu_ns_ += margin_ns / 2;
  open(Span{.op = OpId::kStack, .start_ns = cpu_ns_}, -1);
  cpu_ns_ = end_ns - margin_ns;
  close();
  thread_ = Thread::kMain;
  const Node loading = chain_.add(rank_, Resource::kLoader, start_ns, cpu_cause_);
  cpu_ns_ = end_ns;
  cpu_cause_ = chain_.add(rank_, Resource::kCpu, end_ns, loading);
  observer_.on_loader(ready_ns, stall_ns);
  close();
}

/// Frees and allocates GPU memory behind the caching allocator's back: freeing waits for the whole device.
void RankSim::allocate() {
  const auto wanted = [&](const RankStep& at) { return at.rank == rank_ && at.step == step_; };
  if (std::none_of(o_.alloc.begin(), o_.alloc.end(), wanted)) return;
  RuntimeCall call = begin_call(Api::kFree);
  spend(kFreeNs);
  for (const StreamState& stream : streams_) wait_until(stream.free);
  call.end_ns = cpu_ns_;
  observer_.on_call(call);
  call = begin_call(Api::kMalloc);
  spend(kMallocNs);
  call.end_ns = cpu_ns_;
  observer_.on_call(call);
}

void RankSim::python_enter(int module) {
  if (!observer_.wants_frames()) {
    spend(o_.python_stack * (kFrameNs + kLeafFrames * (kLeafFrameNs + kBetweenFramesNs)));
    return;
  }
  for (int depth = 0; depth < o_.python_stack; ++depth) {
    spend(kFrameNs);
    const std::uint32_t parent = frames_.empty() ? kRootFrames : frames_.back().id;
    const int name = module * 31 + depth * 7;
    frames_.push_back({.id = next_frame_++, .parent = parent, .name = name % kPythonNames, .start_ns = cpu_ns_});
    observer_.on_frame_open(frames_.back());
    for (int leaf = 0; leaf < kLeafFrames; ++leaf) {
      spend(kBetweenFramesNs);
      PythonFrame frame{.id = next_frame_++,
                        .parent = frames_.back().id,
                        .name = (name + leaf * 13 + 5) % kPythonNames,
                        .start_ns = cpu_ns_};
      observer_.on_frame_open(frame);
      spend(kLeafFrameNs);
      frame.end_ns = cpu_ns_;
      observer_.on_frame_close(frame);
    }
  }
}

void RankSim::python_exit(int /*module*/) {
  for (int depth = 0; depth < o_.python_stack; ++depth) {
    spend(kFrameNs);
    if (!observer_.wants_frames()) continue;
    frames_.back().end_ns = cpu_ns_;
    observer_.on_frame_close(frames_.back());
    frames_.pop_back();
  }
}

std::vector<std::vector<StepRecord>> simulate_job(Job& job, CauseChain& chain) {
  Observer nobody;
  const int ranks = job.layout.ranks();
  std::vector<RankSim> sims;
  sims.reserve(static_cast<std::size_t>(ranks));
  std::vector<int> runnable;
  for (int rank = 0; rank < ranks; ++rank) {
    sims.emplace_back(job, rank, RankSim::Pass::kFirst, chain, nobody);
    runnable.push_back(ranks - 1 - rank);
  }
  int done = 0;
  std::vector<int> completed;
  while (!runnable.empty()) {
    const int rank = runnable.back();
    runnable.pop_back();
    completed.clear();
    if (sims[static_cast<std::size_t>(rank)].run(completed) == RankSim::Status::kDone) ++done;
    for (const int group : completed) {
      for (const int member : job.layout.groups()[static_cast<std::size_t>(group)].members) {
        if (member != rank) runnable.push_back(member);
      }
    }
  }
  ensure(done == ranks, "ranks wait for each other in a circle");
  std::vector<std::vector<StepRecord>> steps;
  steps.reserve(sims.size());
  for (const RankSim& sim : sims) steps.push_back(sim.steps());
  return steps;
}

void replay_rank(Job& job, int rank, Observer& observer) {
  CauseChain none;
  none.disable();
  RankSim sim(job, rank, RankSim::Pass::kSecond, none, observer);
  std::vector<int> completed;
  ensure(sim.run(completed) == RankSim::Status::kDone, "a collective without an end in the second pass");
}

}  // namespace tracegen
