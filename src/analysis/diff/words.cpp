#include "words.h"

#include "hta/base/exact.h"
#include "hta/base/human.h"
#include "hta/base/text.h"

#include <algorithm>
#include <cstdlib>

namespace hta::analysis::diff {
namespace {

constexpr std::size_t kKernelsNamed = 3;
constexpr std::size_t kComponentsNamed = 4;
constexpr Nanos kWorthNaming = 100;  // changes below a hundredth of the largest are not named
constexpr std::int64_t kLargestShare = std::int64_t{500} * 100;  // hundredths of a per cent

std::string signed_time(Nanos nanos) {
  return nanos > 0 ? "+" + human_time(nanos) : human_time(nanos);
}

std::string signed_percent(Int128 part, Int128 whole) {
  const auto value = percent(part, whole);
  if (!value) return "from nothing";
  return (*value > 0 ? "+" : "") + fixed_point(*value, 2) + " %";
}

std::string verdict_sentence(const MetricRow& step) {
  std::string text =
      "Step time: " + human_time(step.time_ns.base) + " in BASE, " + human_time(step.time_ns.test) + " in TEST";
  const Nanos change = step.time_ns.change();
  text += change == 0 ? ", no difference"
                      : ": " + signed_time(change) + " (" + signed_percent(change, step.time_ns.base) + ")";
  const std::string steps =
      step.steps.base == step.steps.test
          ? human_count(step.steps.base, "step", "steps") + " a side"
          : human_count(step.steps.base, "step", "steps") + " against " + std::to_string(step.steps.test);
  if (change == 0 && step.noise.verdict == Verdict::kUnchanged) return text + " (" + steps + ").";
  const auto p_text = [&] { return "p = " + fixed_point(*step.noise.p_value, 4); };
  switch (step.noise.verdict) {
    case Verdict::kInsufficient:
      return text + "; with " + steps + " nobody can tell it from noise (" + std::to_string(kFewestForVerdict) +
             " a side are needed).";
    case Verdict::kUnchanged: return text + "; no more than noise (" + p_text() + ", " + steps + ").";
    case Verdict::kSlower: return text + "; TEST is slower (" + p_text() + ", " + steps + ").";
    case Verdict::kFaster: return text + "; TEST is faster (" + p_text() + ", " + steps + ").";
  }
  return text;
}

// The components by the size of their change, those without any left out.
std::vector<Component> by_change(const Comparison& comparison) {
  std::vector<Component> out;
  const auto change = [&](Component c) { return comparison.metrics[static_cast<std::size_t>(c) + 1].time_ns.change(); };
  for (std::size_t c = 0; c < kComponents; ++c) {
    if (change(static_cast<Component>(c)) != 0) out.push_back(static_cast<Component>(c));
  }
  std::stable_sort(out.begin(), out.end(),
                   [&](Component a, Component b) { return std::abs(change(a)) > std::abs(change(b)); });
  while (!out.empty() && std::abs(change(out.back())) * kWorthNaming < std::abs(change(out.front()))) out.pop_back();
  return out;
}

std::string component_text(const Comparison& comparison, Component component) {
  const Pair time = comparison.metrics[static_cast<std::size_t>(component) + 1].time_ns;
  return std::string(component_phrase(component)) + " " + signed_time(time.change());
}

std::string dominance_sentence(const Comparison& comparison, const std::vector<Component>& changed) {
  const Pair largest = comparison.metrics[static_cast<std::size_t>(changed.front()) + 1].time_ns;
  std::string text = "What dominates: " + component_text(comparison, changed.front()) + " (" +
                     human_time(largest.base) + " to " + human_time(largest.test);
  // Where parts make up for each other, their share of what is left says nothing.
  const auto share = percent(largest.change(), comparison[Metric::kStepTime].time_ns.change());
  if (share && *share < kLargestShare) text += ", " + fixed_point(*share, 2) + " % of the change";
  text += ")";
  for (std::size_t i = 1; i < changed.size() && i < kComponentsNamed; ++i) {
    text += (i == 1 ? "; then " : ", ") + component_text(comparison, changed[i]);
  }
  return text + ".";
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text;
  return out.empty() ? "unknown" : out;
}

std::string busy_sentence(const RunProfile& base, const RunProfile& test, const Comparison& comparison) {
  const Pair busy = comparison[Metric::kGpuBusy].time_ns;
  const Pair step = comparison[Metric::kStepTime].time_ns;
  const bool other_gpus = base.environment.gpus != test.environment.gpus;
  const auto on = [&](const RunProfile& run) {
    return other_gpus ? " (" + joined(run.environment.gpus) + ")" : std::string();
  };
  return "GPU busy " + human_percent(busy.base, step.base) + " of the step in BASE" + on(base) + ", " +
         human_percent(busy.test, step.test) + " in TEST" + on(test) + ".";
}

std::string kernels_sentence(const Comparison& comparison) {
  std::string text;
  std::size_t named = 0;
  for (const KernelRow& row : comparison.kernels) {
    if (row.change == ChangeClass::kUnchanged || named == kKernelsNamed) continue;
    text += (named++ == 0 ? "Kernels: " : "; ") + short_name(row.name) + " " + signed_time(row.time_ns.change()) +
            " (" + std::string(change_class_name(row.change)) + ")";
  }
  return text.empty() ? "Kernels: none changed." : text + ".";
}

}  // namespace

void add_heading(const RunProfile& base, const RunProfile& test, const Comparison& comparison,
                 result::Document& document) {
  document.heading.push_back(verdict_sentence(comparison[Metric::kStepTime]));
  const std::vector<Component> changed = by_change(comparison);
  if (changed.empty()) document.heading.emplace_back("No part of the step differs.");
  else document.heading.push_back(dominance_sentence(comparison, changed));
  if (comparison.kernels.empty()) return;
  document.heading.push_back(busy_sentence(base, test, comparison));
  document.heading.push_back(kernels_sentence(comparison));
}

void add_notes(const RunProfile& base, const RunProfile& test, const Comparison& comparison,
               result::Document& document) {
  using enum result::Severity;
  if (base.environment.ranks != test.environment.ranks) {
    document.note("ranks-differ", "BASE has " + human_count(base.environment.ranks, "rank", "ranks") + ", TEST " +
                                      std::to_string(test.environment.ranks) +
                                      "; values are per step and rank, so they are compared all the same");
  }
  if (base.environment.gpus != test.environment.gpus) {
    document.note("gpus-differ", "the GPUs differ: " + joined(base.environment.gpus) + " in BASE, " +
                                     joined(test.environment.gpus) + " in TEST; times are compared as they are");
  }
  if (base.kernels.empty() && test.kernels.empty()) {
    document.note("no-gpu-events", "neither run has GPU events; was ProfilerActivity.CUDA on?");
  }
  const auto common = std::count_if(comparison.kernels.begin(), comparison.kernels.end(), [](const KernelRow& row) {
    return row.change != ChangeClass::kAdded && row.change != ChangeClass::kRemoved;
  });
  const auto kernels = static_cast<std::int64_t>(comparison.kernels.size());
  if (kernels > 0 && common * 2 < kernels) {
    document.note("few-common-kernels",
                  "only " + std::to_string(common) + " of " + human_count(kernels, "kernel", "kernels") +
                      " run on both sides; the waterfall says more than single kernels",
                  kInfo);
  }
  const std::size_t left_out = base.incomplete_left_out + test.incomplete_left_out;
  if (left_out > 0) {
    document.note("incomplete-left-out",
                  human_count(static_cast<std::int64_t>(left_out), "incomplete step is", "incomplete steps are") +
                      " left out; --step takes it by its number",
                  kInfo);
  }
}

}  // namespace hta::analysis::diff
