#pragma once
// What no two clocks may contradict: nobody leaves a collective in which everyone needs data from everyone before the
// last has come, and nothing is received before it is sent. Each such fact bounds the distance of two clocks.

#include "clocks.h"

namespace hta::analysis::comm {

/// Moves clocks as far as they contradict such facts, if there is a way to satisfy all: first islands that share no
/// collective with the first one, each as a whole, then single ranks. O(collectives of all ranks), some rounds.
void respect_causality(Ranks ranks, const Matching& matching, Clocks& clocks);

/// Fills in what causality leaves possible for each clock, and how many collectives contradict it by more than the
/// residuals. Moves nothing. O(collectives of all ranks), some rounds.
void measure_causality(Ranks ranks, const Matching& matching, Clocks& clocks);

}  // namespace hta::analysis::comm
