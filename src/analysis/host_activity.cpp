#include "host_activity.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace hta::analysis {
namespace {

constexpr std::uint32_t kNone = 0xffffffffu;

Nanos overlap(Interval a, Interval b) {
  return Interval{std::max(a.begin, b.begin), std::min(a.end, b.end)}.length();
}

// Part of a gap for which an answer is wanted from one thread.
struct Question {
  Interval time;
  std::uint32_t gap;
  std::uint32_t explained;  // index in HostActivity::longest, or kNone
};

// The questions of one device to one thread: disjoint, in order of time, answered from `next` on.
struct Lane {
  std::uint32_t device;
  std::vector<Question> questions;
  std::size_t next = 0;
};

// What a host event passes on to the events inside it.
struct Surroundings {
  HostCause region = HostCause::kNotRecorded;  // the cause it lends, if any
  StringId region_name;
  StringId frame;
  StringId annotation;
  StringId operation;  // the outermost one

  StringId place() const { return frame.valid() ? frame : annotation.valid() ? annotation : operation; }
};

struct OpenEvent {
  HostId row;
  Interval time;  // ends with the event around it at the latest
  Surroundings inside;
};

struct ThreadState {
  std::vector<Lane> lanes;
  std::vector<OpenEvent> open;
  Nanos done_until = std::numeric_limits<Nanos>::min();
  StringId last_sync;  // the synchronising call that ended last
  Nanos last_sync_end_ns = std::numeric_limits<Nanos>::min();
};

class Attribution {
 public:
  Attribution(const Trace& trace, std::span<const DeviceGaps> devices, std::size_t gaps_explained);
  std::vector<HostActivity> run();

 private:
  enum class Round : std::uint8_t { kLaunchingThread, kThreadBefore };
  struct SourceKey {
    HostCause cause;
    StringId activity;
    StringId place;
    bool operator==(const SourceKey&) const = default;
  };
  struct SourceHash {
    std::size_t operator()(const SourceKey& key) const {
      const std::uint64_t names = (std::uint64_t{key.activity.value()} << 32) | key.place.value();
      return static_cast<std::size_t>((names ^ static_cast<std::uint64_t>(key.cause)) * 0x9E3779B97F4A7C15u >> 16);
    }
  };
  struct Device {
    std::unordered_map<SourceKey, Nanos, SourceHash> sources;
    std::vector<std::uint32_t> causes_seen;  // by gap: a bit for each HostCause, and kAfterSync
  };
  struct NameFacts {
    NameHint hint;
    bool user_frame;
    bool step;
  };
  static constexpr std::uint32_t kAfterSync = 1u << kHostCauses;

  void choose_longest(std::size_t device, std::size_t count);
  void ask(ThreadId thread, std::uint32_t device, const Question& question);
  void sweep();
  Surroundings inside(HostId row, const Surroundings& outer);
  void answer(ThreadState& thread, Nanos until);
  bool is_sync(HostId row) {
    return kind(row) == CategoryKind::kLaunch && facts(trace_.host.name[row]).hint == NameHint::kSynchronisation;
  }
  void note_sync(const ThreadState& thread, std::uint32_t device, const Question& question, Interval time);
  void answer(const ThreadState& thread, std::uint32_t device, const Question& question, Interval time);
  void explain(const ThreadState& thread, std::uint32_t device, const Question& question, Interval time);
  void account(std::uint32_t device, std::uint32_t gap, std::uint32_t explained, const SourceKey& source, Nanos ns);
  const NameFacts& facts(StringId name);
  CategoryKind kind(HostId row) const {
    const CategoryId category = trace_.host.category[row];
    return category.valid() ? trace_.category(category).kind : CategoryKind::kOtherHost;
  }
  const DeviceGap& gap(std::uint32_t device, std::uint32_t index) const { return devices_[device].gaps[index]; }
  Nanos launch_start(const DeviceGap& gap) const { return trace_.launches.start_ns[trace_.gpu.launch[gap.ended_by]]; }
  Interval host_part(const DeviceGap& gap) const { return {gap.time.begin, std::min(gap.time.end, launch_start(gap))}; }
  ThreadId launching_thread(GpuId event) const {
    const LaunchId call = trace_.gpu.launch[event];
    return call.valid() ? trace_.launches.thread[call] : ThreadId();
  }

  const Trace& trace_;
  std::span<const DeviceGaps> devices_;
  std::vector<HostActivity> out_;
  std::vector<Device> work_;
  Round round_ = Round::kLaunchingThread;
  std::map<std::uint32_t, ThreadState> threads_;  // those that are asked something
  std::vector<std::pair<std::pair<ThreadId, std::uint32_t>, Question>> unanswered_;
  std::vector<std::optional<NameFacts>> facts_;
};

Attribution::Attribution(const Trace& trace, std::span<const DeviceGaps> devices, std::size_t gaps_explained)
    : trace_(trace), devices_(devices), out_(devices.size()), work_(devices.size()), facts_(trace.strings.size()) {
  for (std::size_t d = 0; d < devices.size(); ++d) {
    work_[d].causes_seen.resize(devices[d].gaps.size());
    choose_longest(d, gaps_explained);
  }
}

void Attribution::choose_longest(std::size_t device, std::size_t count) {
  const auto& gaps = devices_[device].gaps;
  std::vector<std::uint32_t> waits;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    if (gaps[i].kind == GapKind::kHostWait) waits.push_back(static_cast<std::uint32_t>(i));
  }
  const std::size_t kept = count == 0 ? waits.size() : std::min(count, waits.size());
  std::partial_sort(waits.begin(), waits.begin() + static_cast<std::ptrdiff_t>(kept), waits.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      const Nanos length_a = gaps[a].time.length();
                      const Nanos length_b = gaps[b].time.length();
                      return length_a != length_b ? length_a > length_b : a < b;
                    });
  for (std::size_t i = 0; i < kept; ++i) {
    ExplainedGap& explained = out_[device].longest.emplace_back();
    explained.gap = waits[i];
  }
}

void Attribution::ask(ThreadId thread, std::uint32_t device, const Question& question) {
  auto& lanes = threads_[thread.value()].lanes;
  auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const Lane& l) { return l.device == device; });
  if (lane == lanes.end()) lane = lanes.insert(lanes.end(), Lane{device, {}, 0});
  lane->questions.push_back(question);
}

const Attribution::NameFacts& Attribution::facts(StringId name) {
  auto& known = facts_[name.value()];
  if (!known) {
    const std::string_view text = trace_.text(name);
    known = NameFacts{name_hint(text), is_user_frame(text), text.starts_with("ProfilerStep#")};
  }
  return *known;
}

Surroundings Attribution::inside(HostId row, const Surroundings& outer) {
  Surroundings in = outer;
  const StringId name = trace_.host.name[row];
  const NameFacts& known = facts(name);
  if (const HostCause cause = region_cause(known.hint); cause != HostCause::kNotRecorded) {
    in.region = cause;
    in.region_name = name;
  }
  switch (kind(row)) {
    case CategoryKind::kPython:
      if (known.user_frame) in.frame = name;
      break;
    case CategoryKind::kUserAnnotation:
      if (!known.step) in.annotation = name;
      break;
    case CategoryKind::kOperator:
      if (!in.operation.valid() && !known.step) in.operation = name;
      break;
    default: break;
  }
  return in;
}

void Attribution::account(std::uint32_t device, std::uint32_t gap, std::uint32_t explained, const SourceKey& source,
                          Nanos ns) {
  if (ns == 0) return;
  const auto cause = static_cast<std::size_t>(source.cause);
  out_[device].idle_ns[cause] += ns;
  if ((work_[device].causes_seen[gap] & kAfterSync) != 0) out_[device].after_sync_by_cause[cause] += ns;
  work_[device].sources[source] += ns;
  work_[device].causes_seen[gap] |= 1u << cause;
  if (explained != kNone) out_[device].longest[explained].by_cause[cause] += ns;
}

// Where times are whole microseconds, a call that waits for a kernel ends with it, and not inside the gap behind.
void Attribution::note_sync(const ThreadState& thread, std::uint32_t device, const Question& question, Interval time) {
  if (time.begin != gap(device, question.gap).time.begin) return;
  StringId call;
  if (!thread.open.empty() && is_sync(thread.open.back().row)) call = trace_.host.name[thread.open.back().row];
  else if (thread.last_sync_end_ns == time.begin) call = thread.last_sync;
  if (!call.valid()) return;
  work_[device].causes_seen[question.gap] |= kAfterSync;
  if (question.explained != kNone) out_[device].longest[question.explained].after_sync = call;
}

// The part `time` of a question lies in one innermost event of the thread, or in none.
void Attribution::answer(const ThreadState& thread, std::uint32_t device, const Question& question, Interval time) {
  note_sync(thread, device, question, time);
  if (thread.open.empty()) {
    const ThreadId before = launching_thread(gap(device, question.gap).before);
    const bool ask_other = round_ == Round::kLaunchingThread && before.valid() &&
                           before != launching_thread(gap(device, question.gap).ended_by);
    if (ask_other) unanswered_.push_back({{before, device}, {time, question.gap, question.explained}});
    else account(device, question.gap, question.explained, {HostCause::kNotRecorded, {}, {}}, time.length());
    return;
  }
  const OpenEvent& top = thread.open.back();
  const StringId name = trace_.host.name[top.row];
  const NameHint hint = facts(name).hint;
  const CategoryKind what = kind(top.row);
  const bool by_region = top.inside.region != HostCause::kNotRecorded && !outranks_region(what, hint);
  SourceKey source{by_region ? top.inside.region : own_cause(what, hint), by_region ? top.inside.region_name : name,
                   top.inside.place()};
  if (source.place == source.activity) source.place = {};
  account(device, question.gap, question.explained, source, time.length());
  if (question.explained != kNone) explain(thread, device, question, time);
}

// Whatever covers more than half of an interval covers its middle: one look at the open events there finds it.
void Attribution::explain(const ThreadState& thread, std::uint32_t device, const Question& question, Interval time) {
  ExplainedGap& explained = out_[device].longest[question.explained];
  const Interval host = host_part(gap(device, question.gap));
  const auto take = [&](const OpenEvent& event, Nanos covered_ns) {
    explained.during = event.row;
    explained.covered_ns = covered_ns;
    explained.place = event.inside.place();
    if (explained.place == trace_.host.name[event.row]) explained.place = {};
  };
  const bool settled = explained.covered_ns * 2 > host.length();
  const Nanos middle = host.begin + host.length() / 2;
  if (time.begin <= middle && middle < time.end) {
    for (auto event = thread.open.rbegin(); event != thread.open.rend(); ++event) {
      const Nanos covered_ns = overlap(event->time, host);
      if (covered_ns * 2 > host.length()) return take(*event, covered_ns);
    }
  }
  const Nanos covered_ns = overlap(thread.open.front().time, host);
  if (!settled && covered_ns > explained.covered_ns) take(thread.open.front(), covered_ns);
}

// The innermost event of the thread stays the same until `until`.
void Attribution::answer(ThreadState& thread, Nanos until) {
  const Interval now{thread.done_until, until};
  if (now.begin >= now.end) return;
  for (Lane& lane : thread.lanes) {
    while (lane.next < lane.questions.size() && lane.questions[lane.next].time.end <= now.begin) ++lane.next;
    for (std::size_t q = lane.next; q < lane.questions.size() && lane.questions[q].time.begin < now.end; ++q) {
      const Question& question = lane.questions[q];
      const Interval part{std::max(now.begin, question.time.begin), std::min(now.end, question.time.end)};
      answer(thread, lane.device, question, part);
    }
  }
  thread.done_until = until;
}

void Attribution::sweep() {
  std::vector<ThreadState*> state(trace_.threads.size(), nullptr);
  for (auto& [thread, of] : threads_) state[thread] = &of;
  const auto close_until = [&](ThreadState& thread, Nanos time) {
    while (!thread.open.empty() && thread.open.back().time.end <= time) {
      const OpenEvent& top = thread.open.back();
      answer(thread, top.time.end);
      if (is_sync(top.row)) {
        thread.last_sync = trace_.host.name[top.row];
        thread.last_sync_end_ns = top.time.end;
      }
      thread.open.pop_back();
    }
  };
  const HostEvents& host = trace_.host;
  for (const HostId row : IdRange<HostId>(host.size())) {
    ThreadState* thread = state[host.thread[row].value()];
    if (thread == nullptr) continue;
    const Nanos start_ns = host.start_ns[row];
    close_until(*thread, start_ns);
    answer(*thread, start_ns);
    const bool outermost = thread->open.empty();
    const Nanos end_ns = outermost ? host.end_ns(row) : std::min(host.end_ns(row), thread->open.back().time.end);
    if (end_ns <= start_ns) continue;  // takes no time and holds nothing
    thread->open.push_back(
        {row, {start_ns, end_ns}, inside(row, outermost ? Surroundings() : thread->open.back().inside)});
  }
  for (auto& [id, thread] : threads_) {
    close_until(thread, std::numeric_limits<Nanos>::max());
    answer(thread, std::numeric_limits<Nanos>::max());
  }
}

std::vector<HostActivity> Attribution::run() {
  for (std::uint32_t d = 0; d < devices_.size(); ++d) {
    const auto& gaps = devices_[d].gaps;
    std::vector<std::uint32_t> explained(gaps.size(), kNone);
    for (std::size_t i = 0; i < out_[d].longest.size(); ++i)
      explained[out_[d].longest[i].gap] = static_cast<std::uint32_t>(i);
    for (std::uint32_t g = 0; g < gaps.size(); ++g) {
      if (gaps[g].kind != GapKind::kHostWait) continue;
      const Interval host = host_part(gaps[g]);
      ask(launching_thread(gaps[g].ended_by), d, {host, g, explained[g]});
      const LaunchId call = trace_.gpu.launch[gaps[g].ended_by];
      account(d, g, explained[g], {HostCause::kLaunchLatency, trace_.launches.name[call], {}},
              gaps[g].time.end - host.end);
    }
  }
  sweep();

  round_ = Round::kThreadBefore;
  threads_.clear();
  std::sort(unanswered_.begin(), unanswered_.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first, a.second.time.begin) < std::pair(b.first, b.second.time.begin);
  });
  for (const auto& [to, question] : unanswered_) ask(to.first, to.second, question);
  if (!unanswered_.empty()) sweep();

  for (std::uint32_t d = 0; d < devices_.size(); ++d) {
    HostActivity& out = out_[d];
    for (const auto& [key, ns] : work_[d].sources) out.sources.push_back({key.cause, key.activity, key.place, ns});
    for (std::uint32_t g = 0; g < work_[d].causes_seen.size(); ++g) {
      const std::uint32_t seen = work_[d].causes_seen[g];
      for (std::size_t cause = 0; cause < kHostCauses; ++cause) out.gap_count[cause] += (seen >> cause) & 1u;
      if ((seen & kAfterSync) == 0) continue;
      out.after_sync_ns += gap(d, g).time.length();
      out.after_sync_by_cause[static_cast<std::size_t>(HostCause::kLaunchLatency)] +=
          gap(d, g).time.end - host_part(gap(d, g)).end;
    }
    for (ExplainedGap& explained : out.longest) {
      const Interval host = host_part(gap(d, explained.gap));
      const Nanos bare_ns = explained.by_cause[static_cast<std::size_t>(HostCause::kNotRecorded)];
      if (explained.main_cause() != HostCause::kLaunchLatency && bare_ns * 2 <= host.length()) continue;
      explained.during = {};
      explained.place = {};
      explained.covered_ns = 0;
    }
  }
  return std::move(out_);
}

}  // namespace

HostCause ExplainedGap::main_cause() const {
  return static_cast<HostCause>(std::max_element(by_cause.begin(), by_cause.end()) - by_cause.begin());
}

std::vector<HostActivity> host_activity(const Trace& trace, std::span<const DeviceGaps> devices,
                                        std::size_t gaps_explained) {
  return Attribution(trace, devices, gaps_explained).run();
}

}  // namespace hta::analysis
