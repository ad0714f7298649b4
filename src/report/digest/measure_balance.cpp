#include "hta/base/exact.h"
#include "hta/base/human.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "meter.h"

namespace hta::report {
namespace {

constexpr std::size_t kRanksToCompare = 3;

struct OfRank {
  std::int64_t compute_ns = 0;
  std::int64_t span_ns = 0;
};

// How much longer the slowest rank computes than the median one: in % of that, and of its own time.
void measure_excess(Meter& meter) {
  const Rows rows(meter.answers().table("breakdown", "temporal"), {"rank", "compute_us", "span_us"});
  std::map<std::int64_t, OfRank> ranks;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    OfRank& rank = ranks[rows.rank(row, 0)];
    rank.compute_ns += rows.number(row, 1);
    rank.span_ns += rows.number(row, 2);
  }
  // What single steps add is not uneven work; measure_outliers() tells of it.
  const Rows outliers(meter.answers().table("steps", "outlier_steps"), {"rank", "part", "part_change_us"});
  for (std::size_t row = 0; row < outliers.size(); ++row) {
    if (outliers.text(row, 1) == "compute" && outliers.number(row, 2) > 0)
      ranks[outliers.rank(row, 0)].compute_ns -= outliers.number(row, 2);
  }
  if (ranks.size() < kRanksToCompare) {
    meter.put("compute_excess_pct", {});
    meter.put("compute_excess_time_pct", {});
    return;
  }
  std::vector<std::int64_t> values;
  for (const auto& [number, rank] : ranks) values.push_back(rank.compute_ns);
  const auto& [slowest, most] = *std::max_element(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) {
    return a.second.compute_ns < b.second.compute_ns;
  });
  const std::int64_t median_2ns = *median_times_2(values);
  const Int128 excess_2ns = Int128{2} * most.compute_ns - median_2ns;
  const std::string subject = "rank " + std::to_string(slowest);
  meter.put("compute_excess_pct", percent(excess_2ns, median_2ns), subject, slowest);
  meter.put("compute_excess_time_pct", percent(excess_2ns, Int128{2} * most.span_ns), subject, slowest);
}

// Where most time was lost. Ranks whose communication grew waited for another one: that one tells more.
void measure_outliers(Meter& meter) {
  const Rows steps(meter.answers().table("steps", "steps"), {"step", "dur_us"});
  const Rows outliers(meter.answers().table("steps", "outlier_steps"),
                      {"rank", "step", "over_median_us", "part", "part_change_us"});
  std::set<std::int64_t> all;
  std::int64_t step_ns = 0;
  for (std::size_t row = 0; row < steps.size(); ++row) {
    all.insert(steps.number(row, 0));
    step_ns += steps.number(row, 1);
  }
  std::set<std::int64_t> longer;  // the same step of several ranks is one
  std::int64_t lost_ns = 0;
  std::optional<std::size_t> worst;
  const auto weight = [&](std::size_t row) {
    return std::pair(outliers.text(row, 3) != "exposed communication", outliers.number(row, 4));
  };
  for (std::size_t row = 0; row < outliers.size(); ++row) {
    if (outliers.number(row, 2) <= 0) continue;
    longer.insert(outliers.number(row, 1));
    lost_ns += outliers.number(row, 2);
    if (!worst || weight(row) > weight(*worst)) worst = row;
  }
  std::string subject;
  std::optional<std::int64_t> rank;
  if (worst) {
    rank = outliers.rank(*worst, 0);
    subject = "step " + std::to_string(outliers.number(*worst, 1)) + " on rank " + std::to_string(*rank) + ", " +
              human_time(outliers.number(*worst, 2)) + " over the median";
    if (!outliers.null(*worst, 3))
      subject +=
          ", where " + std::string(outliers.text(*worst, 3)) + " grew by " + human_time(outliers.number(*worst, 4));
  }
  const bool any = !all.empty();
  meter.put("steps", any ? std::optional(static_cast<std::int64_t>(all.size())) : std::nullopt);
  meter.put("outlier_steps", any ? std::optional(static_cast<std::int64_t>(longer.size())) : std::nullopt, subject,
            rank);
  meter.put("outlier_steps_pct", any ? percent(lost_ns, step_ns) : std::nullopt);
}

}  // namespace

void measure_balance(Meter& meter) {
  measure_excess(meter);
  measure_outliers(meter);
}

}  // namespace hta::report
