#include "sections.h"

#include <algorithm>
#include <limits>

namespace tracegen {

bool PhaseEnds::is_phase(const Span& span) {
  return span.kind == Span::Kind::kAnnotation && span.annotation != AnnotationId::kCollective &&
         span.annotation != AnnotationId::kLoader;
}

void PhaseEnds::on_open(const Span& span) {
  if (!is_phase(span)) return;
  open_.push_back(ends_.size());
  ends_.push_back(-1);
}

void PhaseEnds::on_close(const Span& span) {
  if (!is_phase(span)) return;
  ends_[open_.back()] = span.end_ns;
  open_.pop_back();
}

HostSection::HostSection(EventWriter& writer, Threads threads, SpanOrder order, const std::vector<Nanos>& phase_ends)
    : writer_(writer), threads_(threads), order_(order), phase_ends_(phase_ends) {}

void HostSection::on_open(const Span& span) {
  if (!mine(span.thread) || order_ == SpanOrder::kEnd) return;
  if (PhaseEnds::is_phase(span)) {
    Span known = span;
    known.end_ns = phase_ends_[next_phase_++];
    records_.push_back({.kind = Record::Kind::kSpan, .span = known});
    write_finished();
    return;
  }
  open_.push_back(records_.size());
  records_.push_back({});
}

void HostSection::on_close(const Span& span) {
  if (!mine(span.thread)) return;
  if (order_ == SpanOrder::kEnd) {
    writer_.span(span);
    return;
  }
  if (PhaseEnds::is_phase(span)) return;
  records_[open_.back()].span = span;
  open_.pop_back();
  write_finished();
}

void HostSection::on_memory(const MemoryChange& change) {
  if (!mine(change.thread)) return;
  records_.push_back({.kind = Record::Kind::kMemory, .memory = change});
  write_finished();
}

void HostSection::write_finished() {
  if (!open_.empty()) return;
  for (const Record& record : records_) {
    if (record.kind == Record::Kind::kSpan) {
      writer_.span(record.span);
    } else {
      writer_.memory(record.memory);
    }
  }
  records_.clear();
}

FrameSection::FrameSection(EventWriter& writer, SpanOrder order, Nanos run_end_ns) : writer_(writer), order_(order) {
  for (std::uint32_t id = 1; id <= kRootFrames; ++id) {
    const int name = 18 + 20 * static_cast<int>(id);  // a function of the training loop
    writer_.frame({.id = id, .parent = id - 1, .name = name, .start_ns = 0, .end_ns = run_end_ns});
  }
}

void FrameSection::on_frame_open(const PythonFrame& frame) {
  if (order_ == SpanOrder::kEnd) return;
  open_.push_back(records_.size());
  records_.push_back(frame);
}

void FrameSection::on_frame_close(const PythonFrame& frame) {
  if (order_ == SpanOrder::kEnd) {
    writer_.frame(frame);
    return;
  }
  records_[open_.back()] = frame;
  open_.pop_back();
  if (!open_.empty()) return;
  for (const PythonFrame& finished : records_) writer_.frame(finished);
  records_.clear();
}

ActivitySection::ActivitySection(EventWriter& writer, RankTruth& truth) : writer_(writer), truth_(truth) {}

void ActivitySection::on_step_begin(int step, Nanos at_ns) {
  truth_.begin_step(step, at_ns);
}

void ActivitySection::on_step_end(int /*step*/, Nanos at_ns) {
  write_before(at_ns);
  truth_.end_step(at_ns);
}

void ActivitySection::on_open(const Span& span) {
  if (span.kind == Span::Kind::kAnnotation) open_annotations_.push_back({.span = span});
}

void ActivitySection::on_close(const Span& span) {
  if (span.grad == GradRole::kBackward) truth_.backward(span);
  if (span.kind != Span::Kind::kAnnotation) return;
  if (open_annotations_.back().start_ns >= 0) mirrors_.push_back(open_annotations_.back());
  open_annotations_.pop_back();
}

void ActivitySection::mirror(const GpuEvent& event) {
  if (event.kind != GpuEvent::Kind::kCompute && event.kind != GpuEvent::Kind::kCollective) return;
  for (Mirror& mirror : open_annotations_) {
    if (mirror.start_ns < 0) {
      mirror.stream = event.stream;
      mirror.start_ns = event.start_ns;
    }
    if (mirror.stream == event.stream) mirror.end_ns = event.end_ns;
  }
}

void ActivitySection::on_call(const RuntimeCall& call) {
  write_before(call.start_ns);
  last_call_ = call;
  queues_[kHostQueue].push_back({.call = call, .has_call = true});
}

void ActivitySection::on_launch(const RuntimeCall& call, const GpuEvent& event) {
  write_before(call.start_ns);
  mirror(event);
  truth_.launch(call, event);
  queues_[static_cast<std::size_t>(event.stream)].push_back(
      {.call = call, .gpu = event, .has_call = true, .has_gpu = true});
}

void ActivitySection::on_graph_kernel(const GpuEvent& event) {
  mirror(event);
  truth_.launch(last_call_, event);
  queues_[static_cast<std::size_t>(event.stream)].push_back({.call = last_call_, .gpu = event, .has_gpu = true});
}

void ActivitySection::on_sync(const RuntimeCall& call, const SyncEvent& event) {
  write_before(call.start_ns);
  queues_[kHostQueue].push_back({.call = call, .sync = event, .has_call = true, .has_sync = true});
}

void ActivitySection::write_before(Nanos limit_ns) {
  while (true) {
    std::deque<Activity>* earliest = nullptr;
    for (auto& queue : queues_) {
      if (queue.empty()) continue;
      if (earliest == nullptr || queue.front().key_ns() < earliest->front().key_ns()) earliest = &queue;
    }
    if (earliest == nullptr || earliest->front().key_ns() >= limit_ns) return;
    write(earliest->front());
    earliest->pop_front();
  }
}

void ActivitySection::write(const Activity& activity) {
  if (activity.has_gpu) {
    gpu_end_ns_ = std::max(gpu_end_ns_, activity.gpu.end_ns);
    truth_.gpu(activity.gpu, writer_.kept(activity));
  }
  writer_.activity(activity);
}

Nanos ActivitySection::finish() {
  write_before(std::numeric_limits<Nanos>::max());
  for (const Mirror& mirror : mirrors_) {
    std::string name(annotation_name(mirror.span.annotation));
    if (mirror.span.annotation == AnnotationId::kStep) name = writer_.step_name(mirror.span.step);
    if (mirror.span.annotation == AnnotationId::kCollective) {
      name = collective_spec(mirror.span.collective.kind).annotation;
    }
    writer_.gpu_annotation(name, mirror.span.external_id, mirror.stream, mirror.start_ns, mirror.end_ns);
  }
  return gpu_end_ns_;
}

}  // namespace tracegen
