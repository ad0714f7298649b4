#include "steps_heading.h"

#include "hta/base/human.h"
#include "hta/base/text.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace hta::analysis::steps {
namespace {

constexpr std::size_t kStepsTold = 3;

struct OfRank {
  const RankContext* context = nullptr;
  const StepTime* step = nullptr;
  const Outlier* outlier = nullptr;
};

std::string rank_text(const RankContext& context) {
  std::string text = "rank " + std::to_string(context.rank.rank());
  if (context.rank.window() > 0) text += " (window " + std::to_string(context.rank.window()) + ")";
  return text;
}

std::string distance_text(std::int64_t twice_ns) {
  return human_time(std::abs(divide_half_even(twice_ns, 2))) + (twice_ns < 0 ? " under" : " over");
}

std::string change_text(const Outlier& outlier) {
  return std::string(part_name(*outlier.part)) + (outlier.part_2ns < 0 ? " shrank by " : " grew by ") +
         human_time(std::abs(divide_half_even(outlier.part_2ns, 2)));
}

// Where the trouble starts: on a rank whose own work or idle time grew. Communication grows on those that wait for it.
const OfRank& origin_of(const std::vector<OfRank>& ranks) {
  const auto rank = [](const OfRank& of) {
    const bool own = of.outlier->part && *of.outlier->part != Part::kExposedComm;
    return std::pair(own, own ? std::abs(of.outlier->part_2ns) : std::abs(of.outlier->over_2ns));
  };
  return *std::max_element(ranks.begin(), ranks.end(),
                           [&](const OfRank& a, const OfRank& b) { return rank(a) < rank(b); });
}

void say_evenness(std::span<const Ranked<Partial>> ranks, result::Document& document) {
  std::vector<std::int64_t> lengths;
  std::int64_t with_steps = 0;
  for (const auto& [context, partial] : ranks) {
    for (const StepTime& step : partial.steps) lengths.push_back(step.dur_ns);
    with_steps += partial.steps.empty() ? 0 : 1;
  }
  std::sort(lengths.begin(), lengths.end());
  document.heading.push_back(human_count(std::ssize(lengths), "step", "steps") + " on " +
                             human_count(with_steps, "rank", "ranks") + ": median " +
                             human_time(*quantile(lengths, 1, 2)) + ", longest " + human_time(lengths.back()) + ".");
}

void say_outlier(std::int64_t number, const std::vector<OfRank>& of_ranks, std::size_t rank_count,
                 result::Document& document) {
  const OfRank& origin = origin_of(of_ranks);
  std::string line = "Step " + std::to_string(number) + " stands out on " + rank_text(*origin.context) + ": " +
                     human_time(origin.step->dur_ns) + ", " + distance_text(origin.outlier->over_2ns) + " the median";
  line += origin.outlier->part ? "; " + change_text(*origin.outlier) + "." : ".";
  const auto waiting = std::count_if(of_ranks.begin(), of_ranks.end(), [&](const OfRank& of) {
    return &of != &origin && of.outlier->part == Part::kExposedComm;
  });
  const bool origin_waits = origin.outlier->part == Part::kExposedComm;
  if (waiting > 0 && !origin_waits) {
    line += " On " + human_count(waiting, "other rank", "other ranks") + " exposed communication grew: they waited.";
  } else if (of_ranks.size() > 1) {
    line += " It stands out on " + std::to_string(of_ranks.size()) + " of " + std::to_string(rank_count) + " ranks.";
  }
  document.heading.push_back(line);
  std::string next = "breakdown --by step";
  if (origin.outlier->part == Part::kIdle) next = "idle";
  else if (origin_waits) next = rank_count > 1 ? "stragglers" : "overlap";
  if (std::find(document.next.begin(), document.next.end(), next) == document.next.end()) document.next.push_back(next);
}

}  // namespace

void add_heading(std::span<const Ranked<Partial>> ranks, std::span<const std::vector<Outlier>> outliers,
                 result::Document& document) {
  const bool any =
      std::any_of(ranks.begin(), ranks.end(), [](const auto& rank) { return !rank.partial.steps.empty(); });
  if (!any) {
    document.heading.emplace_back("No step was recorded: there is no ProfilerStep event.");
    document.note("no-steps", "no rank has ProfilerStep events; call prof.step() after every iteration of the loop");
    return;
  }
  say_evenness(ranks, document);
  std::map<std::int64_t, std::vector<OfRank>> by_step;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (const Outlier& outlier : outliers[r]) {
      const StepTime& step = ranks[r].partial.steps[outlier.step];
      by_step[step.number].push_back({&ranks[r].context, &step, &outlier});
    }
  }
  if (by_step.empty()) {
    document.heading.emplace_back("No step stands out.");
    document.next.emplace_back("breakdown --by step");
    return;
  }
  std::vector<std::pair<Int128, std::int64_t>> worst;  // distance summed over ranks, step number
  for (const auto& [number, of_ranks] : by_step) {
    Int128 sum = 0;
    for (const OfRank& of : of_ranks) sum += std::abs(of.outlier->over_2ns);
    worst.emplace_back(sum, number);
  }
  std::stable_sort(worst.begin(), worst.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < std::min(worst.size(), kStepsTold); ++i)
    say_outlier(worst[i].second, by_step[worst[i].second], ranks.size(), document);
  if (worst.size() > kStepsTold) {
    const auto more = static_cast<std::int64_t>(worst.size() - kStepsTold);
    document.heading.push_back(human_count(more, "more step stands", "more steps stand") +
                               " out (table outlier_steps).");
  }
}

}  // namespace hta::analysis::steps
