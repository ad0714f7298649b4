#pragma once
// What `hta stragglers` says in words.

#include <cstdint>
#include <vector>

#include "verdicts.h"

namespace hta::analysis::comm {

enum class Basis : std::uint8_t { kCollectives, kBusyTime };

struct Findings {
  Ranks ranks;
  std::vector<Wait> waits;
  std::vector<Account> accounts;      ///< by rank
  std::vector<Judgement> judgements;  ///< by rank
  Basis basis = Basis::kCollectives;
};

void add_heading(const Findings& found, result::Document& document);

}  // namespace hta::analysis::comm
