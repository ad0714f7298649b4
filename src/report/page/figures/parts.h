#pragma once
// What the makers of figures share.

#include "hta/result/document.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../digest/answers.h"
#include "../figure.h"

namespace hta::report::page {

/// Ranks (or other rows) that a chart shows one by one; a chart of more shows the most unusual of them.
inline constexpr std::size_t kMostRows = 24;

/// "1 rank", "8 ranks".
std::string counted(std::int64_t count, std::string_view what);

/// The first sentence of a command's answer; empty if there is none.
std::string first_sentence(const Answers& answers, std::string_view command);

/// Whether the run has GPU events at all; most figures need them.
bool has_gpu_events(const Answers& answers);

/// Names of the devices of a run for labels: the rank, and the device where a rank has several.
class DeviceLabels {
 public:
  /// `table` has the columns rank and device.
  explicit DeviceLabels(const result::Table& table);
  std::string of(std::int64_t rank_value, std::int64_t device) const;
  std::string_view title() const { return several_ ? "rank·device" : "rank"; }

 private:
  bool several_ = false;
};
/// "3", or "3 w2" for the second capture window of rank 3.
std::string rank_label(std::int64_t rank_value);

/// " --rank 3", for the command that prints rows of this rank.
std::string of_rank(std::int64_t rank_value);

/// Leaves the rows whose values are farthest from the medians, in their order, and one row with the mean of the others.
/// Returns a sentence about it, or nothing if all rows are there.
std::string keep_unusual(Bars& bars, std::string_view what, std::size_t most = kMostRows);

/// A figure without a chart: what is missing, and how to record it.
Figure missing(std::string id, std::string title, std::string why);

}  // namespace hta::report::page
