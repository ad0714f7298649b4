#pragma once
// Which rank makes the others wait, and why?

#include "hta/analysis/analysis.h"

namespace hta::analysis {

extern const AnalysisSpec kStragglers;

}  // namespace hta::analysis
