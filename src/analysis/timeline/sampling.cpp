#include "sampling.h"

#include "hta/base/exact.h"

#include <algorithm>
#include <array>

namespace hta::analysis::timeline {
namespace {

// Slice `index` of `time` cut into `slices` of equal length, up to a nanosecond.
Interval slice(Interval time, std::size_t slices, std::size_t index) {
  const auto border = [&](std::size_t i) {
    return time.begin +
           static_cast<Nanos>(Int128{time.length()} * static_cast<std::int64_t>(i) / static_cast<std::int64_t>(slices));
  };
  return {border(index), border(index + 1)};
}

// Goes through the slices and asks `value_of(slice, first point in it, first point behind it, value at its beginning)`.
template <class Range, class F>
Points sampled(const Range& series, Interval time, std::size_t slices, F&& value_of) {
  Points out;
  std::int64_t before = 0;
  auto first = series.begin();
  for (std::size_t s = 0; s < slices; ++s) {
    const Interval here = slice(time, slices, s);
    if (here.length() == 0) continue;
    auto last = first;
    std::int64_t after = before;
    for (; last != series.end() && (last->time_ns < here.end || s + 1 == slices); ++last) after = last->value;
    const std::int64_t value = value_of(here, first, last, before);
    before = after;
    if (out.empty() || out.back().second != value) out.emplace_back(here.begin, value);
    first = last;
  }
  if (!out.empty()) out.emplace_back(time.end, out.back().second);
  return out;
}

constexpr auto kLargest = [](Interval, auto first, auto last, std::int64_t before) {
  for (; first != last; ++first) before = std::max(before, first->value);
  return before;
};

std::array<Nanos, 4> parts_of(const TypeSets& sets, Interval time) {
  const TimeParts parts = time_parts(mask_times(sets, time));
  return {parts.compute_ns, parts.exposed_comm_ns, parts.exposed_memory_ns, parts.idle_ns};
}

}  // namespace

Points largest_per_slice(const Series& series, Interval time, std::size_t slices) {
  return sampled(series, time, slices, kLargest);
}

Points largest_per_slice(const QueueSeries& series, Interval time, std::size_t slices) {
  return sampled(series, time, slices, kLargest);
}

Points mean_per_slice(const Series& series, Interval time, std::size_t slices) {
  return sampled(series, time, slices, [](Interval here, auto first, auto last, std::int64_t value) {
    Int128 area = 0;
    Nanos since = here.begin;
    for (; first != last; ++first) {
      const Nanos at = std::clamp(first->time_ns, since, here.end);
      area += Int128{value} * (at - since);
      since = at;
      value = first->value;
    }
    area += Int128{value} * (here.end - since);
    return divide_half_even(area, here.length());
  });
}

std::vector<ActivityShare> activity_per_slice(const TypeSets& sets, Interval time, std::size_t slices) {
  std::vector<ActivityShare> out(slices);
  for (std::size_t s = 0; s < slices; ++s) {
    const Interval here = slice(time, slices, s);
    const auto parts = parts_of(sets, here);
    const auto share = [&](std::size_t part) {
      return static_cast<std::int32_t>(percent(parts[part], here.length()).value_or(0));
    };
    out[s] = {share(0), share(1), share(2)};
  }
  return out;
}

std::vector<std::pair<Interval, Shows>> strip_of(const TypeSets& sets, Interval time, std::size_t slices) {
  constexpr std::array kKinds{Shows::kComputation, Shows::kCommunication, Shows::kMemory, Shows::kIdle};
  std::vector<std::pair<Interval, Shows>> out;
  for (std::size_t s = 0; s < slices; ++s) {
    const Interval here = slice(time, slices, s);
    if (here.length() == 0) continue;
    const auto parts = parts_of(sets, here);
    const Shows most = kKinds[static_cast<std::size_t>(std::max_element(parts.begin(), parts.end()) - parts.begin())];
    if (!out.empty() && out.back().second == most) out.back().first.end = here.end;
    else out.emplace_back(here, most);
  }
  return out;
}

}  // namespace hta::analysis::timeline
