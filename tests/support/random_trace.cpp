#include "support/random_trace.h"

#include "hta/base/text.h"
#include "hta/model/trace_builder.h"

#include <algorithm>

#include "support/trace_sketch.h"

namespace hta::test {

namespace {

constexpr std::int64_t kPid = 100;

// Grows a trace step by step: a host thread that nests operators and launches, streams that run what was launched.
class Grower {
 public:
  Grower(std::uint64_t seed, const RandomTraceOptions& options) : random_(seed), options_(options) {
    free_.assign(static_cast<std::size_t>(options.devices * options.streams), 0);
  }

  std::vector<SketchEvent> grow() {
    now_ = 1'000'000 + random_.in(0, 5'000);
    for (int step = 0; step < std::max(1, options_.steps); ++step) {
      const Nanos begin = now_;
      for (int i = 0; i < options_.operators_per_step; ++i) {
        const bool helper = options_.helper_threads > 0 && random_.chance(25);
        op(kPid + (helper ? random_.in(1, options_.helper_threads) : 0), 0);
        now_ += gap();
      }
      if (random_.chance(40)) wait();
      if (options_.steps > 0)
        add("user_annotation", "ProfilerStep#" + std::to_string(step + 3), begin, now_ - begin, kPid);
      now_ += random_.chance(20) ? 0 : gap();
    }
    return std::move(events_);
  }

 private:
  Nanos gap() { return random_.chance(options_.ties_percent) ? 0 : random_.in(1, 30'000); }

  void add(std::string category, std::string name, Nanos start, Nanos dur, std::int64_t tid,
           std::int64_t correlation = 0) {
    events_.push_back({std::move(category), std::move(name), start, dur, kPid, tid, -1, -1, correlation, -1});
  }

  void op(std::int64_t tid, int depth) {
    static constexpr const char* kNames[] = {"aten::linear", "aten::addmm", "aten::relu", "aten::copy_",
                                             "autograd::engine::evaluate_function: MmBackward0"};
    const Nanos begin = now_;
    now_ += gap();
    if (depth < 3 && random_.chance(50)) op(tid, depth + 1);
    const auto launches = random_.in(0, 2);
    for (std::int64_t i = 0; i < launches; ++i) launch(tid);
    now_ += gap();
    add("cpu_op", kNames[random_.in(0, 4)], begin, now_ - begin, tid);
  }

  void launch(std::int64_t tid) {
    static constexpr const char* kKernels[] = {"gemm", "elementwise<int, 4>", "ncclDevKernel_AllReduce_Sum_f32",
                                               "Memcpy HtoD (Pinned -> Device)", "softmax"};
    const auto what = random_.in(0, 4);
    const bool copy = what == 3;
    const std::int64_t correlation = ++correlation_;
    const Nanos call = now_;
    const Nanos call_dur = random_.in(0, 12'000);
    now_ += call_dur;
    const auto device = random_.in(0, options_.devices - 1);
    const auto stream = random_.in(0, options_.streams - 1);
    Nanos& free = free_[static_cast<std::size_t>(device * options_.streams + stream)];
    Nanos start = std::max(call + call_dur + random_.in(0, 6'000), free);
    if (random_.chance(options_.overlap_percent)) start = call + random_.in(0, 10'000);
    const Nanos dur = random_.chance(5) ? 0 : random_.in(500, 60'000);
    free = std::max(free, start + dur);
    const bool linked = !random_.chance(options_.unlinked_percent);
    if (linked) add("cuda_runtime", copy ? "cudaMemcpyAsync" : "cudaLaunchKernel", call, call_dur, tid, correlation);
    events_.push_back({copy ? "gpu_memcpy" : "kernel", kKernels[what], start, dur, device, stream + 7, device,
                       stream + 7, linked ? correlation : 0, copy ? random_.in(0, 1'000'000) : -1});
  }

  void wait() {
    const Nanos until = *std::max_element(free_.begin(), free_.end());
    const Nanos end = std::max(now_ + 1'000, until + random_.in(0, 3'000));
    add("cuda_runtime", "cudaDeviceSynchronize", now_, end - now_, kPid, ++correlation_);
    now_ = end;
  }

  Random random_;
  RandomTraceOptions options_;
  std::vector<SketchEvent> events_;
  std::vector<Nanos> free_;
  Nanos now_ = 0;
  std::int64_t correlation_ = 0;
};

std::string micros(Nanos ns) {
  return fixed_point(ns, 3);
}

}  // namespace

std::vector<SketchEvent> random_events(std::uint64_t seed, const RandomTraceOptions& options) {
  return Grower(seed, options).grow();
}

Trace build_trace(const std::vector<SketchEvent>& events) {
  TraceSketch sketch;
  for (const SketchEvent& e : events) {
    if (e.device < 0) {
      sketch.event(e.category, e.name, e.start_ns, e.dur_ns, e.pid, e.tid, {{ArgKey::kCorrelation, e.correlation, {}}});
    } else if (e.bytes < 0) {
      sketch.event(e.category, e.name, e.start_ns, e.dur_ns, e.pid, e.tid,
                   {{ArgKey::kDevice, e.device, {}},
                    {ArgKey::kStream, e.stream, {}},
                    {ArgKey::kCorrelation, e.correlation, {}}});
    } else {
      sketch.event(e.category, e.name, e.start_ns, e.dur_ns, e.pid, e.tid,
                   {{ArgKey::kDevice, e.device, {}},
                    {ArgKey::kStream, e.stream, {}},
                    {ArgKey::kCorrelation, e.correlation, {}},
                    {ArgKey::kBytes, e.bytes, {}}});
    }
  }
  return sketch.build();
}

std::string to_json(const std::vector<SketchEvent>& events) {
  std::string out = "{\n\"schemaVersion\": 1,\n\"traceEvents\": [\n";
  for (std::size_t i = 0; i < events.size(); ++i) {
    const SketchEvent& e = events[i];
    out += "  {\n    \"ph\": \"X\", \"cat\": \"" + e.category + "\", \"name\": \"" + e.name +
           "\", \"pid\": " + std::to_string(e.pid) + ", \"tid\": " + std::to_string(e.tid) +
           ",\n    \"ts\": " + micros(e.start_ns) + ", \"dur\": " + micros(e.dur_ns) +
           ",\n    \"args\": {\n      \"correlation\": " + std::to_string(e.correlation);
    if (e.device >= 0) out += ", \"device\": " + std::to_string(e.device) + ", \"stream\": " + std::to_string(e.stream);
    if (e.bytes >= 0) out += ", \"bytes\": " + std::to_string(e.bytes);
    out += "\n    }\n  }";
    out += i + 1 < events.size() ? ",\n" : "\n";
  }
  return out + "],\n\"traceName\": \"generated.json\"\n}\n";
}

}  // namespace hta::test
