#pragma once
// Transfers of different process groups that run at the same time: they may share links, and then the bandwidth of each
// tells less than what the links give.

#include "hta/result/document.h"

#include <string>

#include "match.h"

namespace hta::analysis::comm {

/// Adds a table (of `spec`) with a row per pair of kinds of groups whose transfers overlap on some rank, and returns a
/// sentence about the pair that overlaps most; empty if none overlaps for at least 5 % of its transfer time. A transfer
/// is the last part of a kernel, as long as the shortest kernel of its collective. O(n log n) in collectives and
/// overlaps.
std::string add_sharing(Ranks ranks, const Matching& matching, const result::TableSpec& spec,
                        result::Document& document);

}  // namespace hta::analysis::comm
