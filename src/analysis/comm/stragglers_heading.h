#pragma once
// What `hta stragglers` says in words.

#include <cstdint>
#include <vector>

#include "verdicts.h"

namespace hta::analysis::comm {

enum class Basis : std::uint8_t { kCollectives, kBusyTime };

struct Findings {
  Ranks ranks;
  std::vector<Group> groups;  ///< Matching::groups
  std::vector<Wait> waits;
  std::vector<Account> accounts;  ///< by rank
  Verdicts verdicts;
  Nanos clock_doubt_ns = 0;  ///< arrivals closer than that are taken as equal, typically
  Basis basis = Basis::kCollectives;
};

/// By rank: persistent, then transient, then rotating, each by cost; the others by rank.
std::vector<std::uint32_t> by_importance(const Findings& found);

void add_heading(const Findings& found, result::Document& document);

}  // namespace hta::analysis::comm
