#include "truth.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tracegen {
namespace {

using Json = nlohmann::ordered_json;

Json path_json(const std::vector<PathPiece>& path) {
  Json pieces = Json::array();
  for (const PathPiece& piece : path) pieces.push_back({piece.rank, resource_name(piece.resource), piece.ns});
  return pieces;
}

Json idle_json(const IdleTime& idle) {
  return {{"host_wait_ns", idle.host_wait_ns},
          {"dep_wait_ns", idle.dep_wait_ns},
          {"launch_latency_ns", idle.launch_latency_ns}};
}

/// Appends `piece` to a list of rows written without their brackets.
template <class... Args>
void append_row(std::string& rows, fmt::format_string<Args...> format, Args&&... args) {
  if (!rows.empty()) rows += ',';
  fmt::format_to(std::back_inserter(rows), format, std::forward<Args>(args)...);
}

}  // namespace

void BusySweep::add(Work work, Nanos start_ns, Nanos end_ns) {
  edges_.push({start_ns, 1, work});
  edges_.push({end_ns, -1, work});
}

void BusySweep::advance(Nanos to_ns) {
  const Nanos passed_ns = to_ns - now_ns_;
  const bool compute = active_[static_cast<std::size_t>(Work::kCompute)] > 0;
  const bool collective = active_[static_cast<std::size_t>(Work::kCollective)] > 0;
  const bool copy = active_[static_cast<std::size_t>(Work::kCopy)] > 0;
  if (compute || collective || copy) totals_.busy_ns += passed_ns;
  if (compute) totals_.compute_ns += passed_ns;
  if (collective) totals_.collective_ns += passed_ns;
  if (copy) totals_.copy_ns += passed_ns;
  if (compute && collective) totals_.overlap_ns += passed_ns;
  now_ns_ = to_ns;
}

BusySweep::Totals BusySweep::take(Nanos at_ns) {
  while (!edges_.empty() && edges_.top().at_ns <= at_ns) {
    const Edge edge = edges_.top();
    edges_.pop();
    advance(edge.at_ns);
    active_[static_cast<std::size_t>(edge.work)] += edge.change;
  }
  advance(at_ns);
  return std::exchange(totals_, {});
}

void IdleTime::add(const GpuEvent& next, Nanos free_ns) {
  if (free_ns < 0 || next.start_ns <= free_ns) return;
  const Nanos gap_ns = next.start_ns - free_ns;
  if (next.launch_start_ns > free_ns) {
    host_wait_ns += gap_ns;
  } else if (next.bound == Bound::kOtherStream) {
    dep_wait_ns += gap_ns;
  } else {
    launch_latency_ns += gap_ns;
  }
}

RankTruth::RankTruth(const Job& job, int rank, const std::vector<StepRecord>& steps)
    : job_(job), rank_(rank), records_(steps), kernels_(kernels().size()) {}

void RankTruth::begin_step(int /*step*/, Nanos at_ns) {
  steps_.push_back({.start_ns = at_ns});
}

void RankTruth::end_step(Nanos at_ns) {
  Step& step = steps_.back();
  step.end_ns = at_ns;
  step.busy = sweep_.take(at_ns);
  const StepRecord& first_pass = records_[steps_.size() - 1];
  if (first_pass.start_ns != step.start_ns || first_pass.end_ns != step.end_ns) {
    throw std::logic_error("the two passes disagree on a step");
  }
  if (step.busy.busy_ns > step.end_ns - step.start_ns)
    throw std::logic_error("a step is busy for longer than it lasts");
}

void RankTruth::loader(Nanos ready_ns, Nanos stall_ns) {
  steps_.back().loader_ns = ready_ns;
  steps_.back().stall_ns = stall_ns;
}

void RankTruth::change_queue(Stream stream, Nanos at_ns, int change) {
  const auto at = static_cast<std::size_t>(stream);
  queue_length_[at] += change;
  append_row(queue_rows_[at], "[{},{}]", at_ns, queue_length_[at]);
}

void RankTruth::launch(const RuntimeCall& call, const GpuEvent& event) {
  if (job_.options.truth != TruthLevel::kFull) return;
  change_queue(event.stream, call.start_ns, 1);
  append_row(launch_rows_, "[{},{},{},{},{},{}]", call.correlation, call.start_ns, call.end_ns - call.start_ns,
             event.start_ns, event.end_ns - event.start_ns, event.start_ns - call.end_ns);
}

void RankTruth::gpu(const GpuEvent& event, EventWriter::Kept kept) {
  const Nanos dur_ns = event.end_ns - event.start_ns;
  using Kind = GpuEvent::Kind;
  const bool is_copy = event.kind == Kind::kCopyToDevice || event.kind == Kind::kCopyToHost;
  sweep_.add(is_copy                           ? BusySweep::Work::kCopy
             : event.kind == Kind::kCollective ? BusySweep::Work::kCollective
                                               : BusySweep::Work::kCompute,
             event.start_ns, event.end_ns);
  stream_idle_[static_cast<std::size_t>(event.stream)].add(event, event.stream_free_ns);
  device_idle_.add(event, device_end_ns_);
  device_end_ns_ = std::max(device_end_ns_, event.end_ns);
  if (job_.options.truth == TruthLevel::kFull) change_queue(event.stream, event.start_ns, -1);
  if (!kept.gpu) return;
  if (is_copy) {
    (event.kind == Kind::kCopyToDevice ? to_device_bytes_ : to_host_bytes_) += event.bytes;
    return;
  }
  KernelStat& stat = kernels_[static_cast<std::size_t>(event.kernel)];
  stat.min_ns = stat.count == 0 ? dur_ns : std::min(stat.min_ns, dur_ns);
  stat.max_ns = std::max(stat.max_ns, dur_ns);
  stat.sum_ns += dur_ns;
  ++stat.count;
}

void RankTruth::backward(const Span& span) {
  append_row(backward_pairs_, "[{},{}]", span.forward_external_id, span.external_id);
}

std::string RankTruth::json(const Clock& clock, const EventCounts& counts) {
  const Options& o = job_.options;
  after_steps_ = sweep_.take(std::max(device_end_ns_, steps_.back().end_ns));
  Json rank;
  rank["rank"] = rank_;
  rank["skew_ns"] = clock.skew_ns();
  rank["drift_ppb"] = clock.drift_ppb();
  rank["base_ns"] = clock.base_ns();
  rank["ts_of_zero_ns"] = clock.written_ns(0);
  Json& by_category = rank["counts"] = Json::object();
  for (std::size_t category = 0; category < counts.of.size(); ++category) {
    for (std::size_t phase = 0; phase < counts.of[category].size(); ++phase) {
      const std::int64_t count = counts.of[category][phase];
      if (count == 0) continue;
      const std::string phase_name(1, EventCounts::kPhases[phase]);
      by_category[std::string(category_name(static_cast<Category>(category), o.style))][phase_name] = count;
    }
  }
  Json& by_name = rank["kernels"] = Json::array();
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    const KernelStat& stat = kernels_[i];
    if (stat.count == 0) continue;
    by_name.push_back({{"name", kernels()[i].name},
                       {"count", stat.count},
                       {"sum_ns", stat.sum_ns},
                       {"min_ns", stat.min_ns},
                       {"max_ns", stat.max_ns}});
  }
  rank["memcpy_bytes"] = {{"HtoD", to_device_bytes_}, {"DtoH", to_host_bytes_}};
  if (o.memory) rank["peak_allocated_bytes"] = peak_bytes_;
  Nanos spans_ns = 0;
  Json& steps = rank["steps"] = Json::array();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    const StepRecord& record = records_[i];
    const Nanos span_ns = step.end_ns - step.start_ns;
    spans_ns += span_ns;
    steps.push_back({{"step", i},
                     {"start_ns", step.start_ns},
                     {"end_ns", step.end_ns},
                     {"completion_ns", record.completion_ns},
                     {"loader_ns", step.loader_ns},
                     {"stall_ns", step.stall_ns},
                     {"busy_ns", step.busy.busy_ns},
                     {"compute_ns", step.busy.compute_ns},
                     {"collective_ns", step.busy.collective_ns},
                     {"copy_ns", step.busy.copy_ns},
                     {"overlap_ns", step.busy.overlap_ns},
                     {"idle_ns", span_ns - step.busy.busy_ns},
                     {"critical_path", path_json(record.host_path_job)},
                     {"critical_path_of_rank", path_json(record.host_path_rank)},
                     {"completion_path_of_rank", path_json(record.completion_path_rank)}});
  }
  if (spans_ns != steps_.back().end_ns - steps_.front().start_ns) throw std::logic_error("steps do not tile the run");
  rank["busy_after_last_step_ns"] = after_steps_.busy_ns;
  Json& idle = rank["idle"];
  idle["device"] = idle_json(device_idle_);
  for (std::size_t stream = 0; stream < stream_idle_.size(); ++stream) {
    idle[fmt::format("stream {}", stream_number(static_cast<Stream>(stream)))] = idle_json(stream_idle_[stream]);
  }
  std::string text = rank.dump();
  text.pop_back();  // the pairs are many, so they never become a tree
  return fmt::format("{},\"fwd_bwd\":[{}]}}", text, backward_pairs_);
}

std::string RankTruth::tables() const {
  std::string text = fmt::format(R"({{"rank":{},"queue_length":{{)", rank_);
  bool first = true;
  for (std::size_t stream = 0; stream < queue_rows_.size(); ++stream) {
    if (queue_rows_[stream].empty()) continue;
    fmt::format_to(std::back_inserter(text), "{}\n\"{}\":[{}]", std::exchange(first, false) ? "" : ",",
                   stream_number(static_cast<Stream>(stream)), queue_rows_[stream]);
  }
  text += "},\n\"launch_columns\":[\"correlation\",\"launch_start_ns\",\"launch_dur_ns\",\"start_ns\",\"dur_ns\",";
  text += "\"delay_ns\"],\n\"launches\":[";
  text += launch_rows_;
  text += "]}\n";
  return text;
}

}  // namespace tracegen
