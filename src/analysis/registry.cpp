#include "hta/analysis/registry.h"

#include "hta/analysis/breakdown.h"
#include "hta/analysis/comm.h"
#include "hta/analysis/counters.h"
#include "hta/analysis/critical_path.h"
#include "hta/analysis/diff.h"
#include "hta/analysis/idle.h"
#include "hta/analysis/launch.h"
#include "hta/analysis/memory.h"
#include "hta/analysis/overlap.h"
#include "hta/analysis/patterns.h"
#include "hta/analysis/steps.h"
#include "hta/analysis/stragglers.h"
#include "hta/analysis/timeline.h"
#include "hta/analysis/whatif.h"

#include <array>
#include <cassert>

namespace hta::analysis {
namespace {

// One line per analysis. Commands, help, flags and the checks of docs and tests follow from it.
constexpr std::array kAnalyses{
    &kBreakdown, &kIdle,       &kOverlap, &kLaunch, &kPatterns, &kCounters, &kCriticalPath,
    &kWhatif,    &kStragglers, &kComm,    &kSteps,  &kTimeline, &kMemory,   &kDiff,
};

}  // namespace

std::span<const AnalysisSpec* const> registry() {
  return kAnalyses;
}

const AnalysisSpec* find_analysis(std::string_view name) {
  for (const AnalysisSpec* spec : registry()) {
    if (spec->name == name) return spec;
  }
  return nullptr;
}

const result::TableSpec& table_spec(std::span<const result::TableSpec> specs, std::string_view name) {
  for (const result::TableSpec& spec : specs) {
    if (spec.name == name) return spec;
  }
  assert(false && "no such table");
  return specs.front();
}

}  // namespace hta::analysis
