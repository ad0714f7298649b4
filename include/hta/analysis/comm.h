#pragma once
// How long do collectives wait, how long do they transfer, and how fast?

#include "hta/analysis/analysis.h"

namespace hta::analysis {

extern const AnalysisSpec kComm;

}  // namespace hta::analysis
