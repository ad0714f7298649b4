#include "hta/analysis/diff/profile.h"

#include <algorithm>
#include <set>

namespace hta::analysis::diff {
namespace {

Environment environment_of(std::span<Ranked<Partial>> ranks) {
  Environment out;
  std::set<std::int64_t> numbers;
  std::set<std::string> gpus;
  std::map<std::string, std::set<std::string>> versions;
  for (const auto& [context, partial] : ranks) {
    numbers.insert(context.rank.rank());
    for (const DeviceProperties& device : context.info->devices) {
      if (!device.name.empty()) gpus.insert(device.name);
    }
    for (const auto& [name, value] : context.info->versions) versions[name].insert(value);
  }
  out.ranks = static_cast<std::int64_t>(numbers.size());
  out.gpus.assign(gpus.begin(), gpus.end());
  for (const auto& [name, values] : versions) {
    std::string& text = out.versions[name];
    for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
  }
  return out;
}

// Sums by name and kind over the ranks.
template <class Sum, class Add>
class SumsByName {
 public:
  explicit SumsByName(Add add) : add_(add) {}
  void take(const std::vector<Sum>& sums) {
    for (const Sum& sum : sums) {
      const auto [at, fresh] = sums_.try_emplace({sum.name, sum.kind}, sum);
      if (!fresh) add_(at->second, sum);
    }
  }
  std::vector<Sum> sorted() const {
    std::vector<Sum> out;
    for (const auto& [key, sum] : sums_) out.push_back(sum);
    return out;
  }

 private:
  Add add_;
  std::map<std::pair<std::string, decltype(Sum::kind)>, Sum> sums_;
};

Error nothing_to_compare(std::span<Ranked<Partial>> ranks, const IntRanges& choice, std::string_view run_name) {
  std::set<std::int64_t> steps;
  for (const auto& [context, partial] : ranks)
    steps.insert(partial.recorded_steps.begin(), partial.recorded_steps.end());
  std::string message(run_name);
  if (choice.all()) message += " holds neither GPU events nor operators";
  else if (steps.empty()) message += " has no steps to choose from; leave the choice of steps out to take it whole";
  else
    message += " has none of the chosen steps; there are " + std::to_string(*steps.begin()) + " to " +
               std::to_string(*steps.rbegin());
  return {ErrorCode::kInsufficient, "", message, {}};
}

}  // namespace

std::int64_t RunProfile::samples() const {
  std::int64_t n = 0;
  for (const StepSum& step : steps) n += step.samples;
  return n;
}

WindowTimes RunProfile::times() const {
  WindowTimes sum;
  for (const StepSum& step : steps) sum += step.times;
  return sum;
}

bool recorded_steps(std::span<Ranked<Partial>> ranks) {
  return std::any_of(ranks.begin(), ranks.end(), [](const auto& rank) { return !rank.partial.recorded_steps.empty(); });
}

const SampleSet& samples_of(const Partial& partial, Sampling sampling) {
  return sampling == Sampling::kWhole || partial.recorded_steps.empty() ? partial.whole : partial.steps;
}

Result<RunProfile> profile_run(std::span<Ranked<Partial>> ranks, Sampling sampling, const IntRanges& choice,
                               std::string_view run_name) {
  const auto add_kernel = [](KernelSum& into, const KernelSum& more) {
    into.count += more.count;
    into.time_ns += more.time_ns;
    into.owned_ns += more.owned_ns;
  };
  const auto add_op = [](OpSum& into, const OpSum& more) {
    into.count += more.count;
    into.time_ns += more.time_ns;
    into.self_ns += more.self_ns;
    into.gpu_ns += more.gpu_ns;
  };
  SumsByName<KernelSum, decltype(add_kernel)> kernels(add_kernel);
  SumsByName<OpSum, decltype(add_op)> ops(add_op);
  std::map<std::optional<std::int64_t>, StepSum> steps;
  RunProfile out;
  out.environment = environment_of(ranks);
  for (const auto& [context, partial] : ranks) {
    const SampleSet& set = samples_of(partial, sampling);
    for (const Sample& sample : set.samples) {
      StepSum& step = steps[sample.step];
      step.step = sample.step;
      ++step.samples;
      step.times += sample.times;
    }
    kernels.take(set.kernels);
    ops.take(set.ops);
    if (&set == &partial.steps) out.incomplete_left_out += partial.incomplete_left_out;
  }
  for (const auto& [number, step] : steps) out.steps.push_back(step);
  out.kernels = kernels.sorted();
  out.ops = ops.sorted();
  if (out.steps.empty()) return nothing_to_compare(ranks, choice, run_name);
  return out;
}

}  // namespace hta::analysis::diff
