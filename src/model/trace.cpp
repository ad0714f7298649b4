#include "hta/model/trace.h"

#include "hta/base/text.h"

#include <algorithm>

namespace hta {

CategoryKind category_kind(std::string_view category) {
  const std::string folded = to_lower(category);
  const auto is = [&](std::string_view text) { return folded == text; };
  if (is("kernel") || is("gpu_memcpy") || is("gpu_memset") || is("memcpy") || is("memset") || is("mtia_ccp_events")) {
    return CategoryKind::kGpu;
  }
  if (is("gpu_user_annotation")) return CategoryKind::kGpuAnnotation;
  if (is("cuda_sync")) return CategoryKind::kSync;
  if (is("cuda_runtime") || is("cuda_driver") || is("runtime") || folded.ends_with("_runtime") ||
      folded.ends_with("_driver")) {
    return CategoryKind::kLaunch;
  }
  if (is("cpu_op") || is("operator")) return CategoryKind::kOperator;
  if (is("user_annotation")) return CategoryKind::kUserAnnotation;
  if (is("python_function")) return CategoryKind::kPython;
  if (is("cuda_profiler_range")) return CategoryKind::kProfilerRange;
  if (is("overhead")) return CategoryKind::kOverhead;
  if (category == "Trace") return CategoryKind::kSpan;
  return CategoryKind::kOtherHost;
}

std::optional<std::int64_t> step_number(std::string_view name) {
  constexpr std::string_view kPrefix = "ProfilerStep#";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const std::string_view digits = name.substr(kPrefix.size());
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return parse_integer(digits);
}

std::string_view event_fault_text(EventFault fault) {
  switch (fault) {
    case EventFault::kNoPhase: return "no known phase (ph)";
    case EventFault::kNoName: return "no name";
    case EventFault::kNoTime: return "no usable ts or dur";
    case EventFault::kUnpairedBegin: return "begin without end";
    case EventFault::kUnpairedEnd: return "end without begin";
    case EventFault::kNegativeDuration: return "negative duration";
    case EventFault::kTooLong: return "longer than the limit";
    case EventFault::kZeroTimes: return "GPU event without times (ts and dur 0)";
    case EventFault::kProfilerSpan: return "the profiler's own window";
    case EventFault::kTimeOutOfRange: return "time out of range";
    case EventFault::kStartsBeforeLaunch: return "GPU event starts before its launch";
    case EventFault::kDominatesRank: return "longer than all other GPU events together";
    case EventFault::kDamagedText: return "damaged text";
    case EventFault::kTooLarge: return "larger than the limit";
    case EventFault::kCutOff: return "cut off at the end of the file";
    case EventFault::kCount: break;
  }
  return "unknown";
}

namespace {
std::uint64_t total(const Quality& quality, EventFault first, EventFault last) {
  std::uint64_t sum = 0;
  for (auto i = static_cast<std::size_t>(first); i <= static_cast<std::size_t>(last); ++i)
    sum += quality.faults[i].count;
  return sum;
}
}  // namespace

std::uint64_t Quality::ignored() const {
  return total(*this, EventFault::kNoPhase, EventFault::kTimeOutOfRange);
}
std::uint64_t Quality::suspect() const {
  return total(*this, EventFault::kStartsBeforeLaunch, EventFault::kDominatesRank);
}
std::uint64_t Quality::damaged() const {
  return total(*this, EventFault::kDamagedText, EventFault::kCutOff);
}

std::string Trace::track_text(const TrackName& name) const {
  return name.text.valid() ? std::string(strings.text(name.text)) : std::to_string(name.number);
}

StepId Trace::step_at(Nanos t) const {
  auto next =
      std::upper_bound(steps.begin(), steps.end(), t, [](Nanos time, const Step& s) { return time < s.start_ns; });
  while (next != steps.begin()) {
    --next;
    if (t < next->end_ns) return StepId(static_cast<std::size_t>(next - steps.begin()));
  }
  return {};
}

}  // namespace hta
