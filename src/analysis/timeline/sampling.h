#pragma once
// Long series and dense intervals as few values as a chart has room for.

#include "hta/analysis/counter_series.h"
#include "hta/analysis/device_time.h"
#include "hta/analysis/timeline.h"

#include <utility>
#include <vector>

namespace hta::analysis::timeline {

using Points = std::vector<std::pair<Nanos, std::int64_t>>;

/// The largest value that holds in each slice: a point where it is not that of the slice before, and one at the end.
Points largest_per_slice(const Series& series, Interval time, std::size_t slices);
Points largest_per_slice(const QueueSeries& series, Interval time, std::size_t slices);
/// The same with the mean over the time of the slice.
Points mean_per_slice(const Series& series, Interval time, std::size_t slices);

/// Shares of every slice of `time`.
std::vector<ActivityShare> activity_per_slice(const TypeSets& sets, Interval time, std::size_t slices);

/// `time` cut into pieces of one kind each: of every slice the kind with most of it, equal neighbours joined.
std::vector<std::pair<Interval, Shows>> strip_of(const TypeSets& sets, Interval time, std::size_t slices);

}  // namespace hta::analysis::timeline
