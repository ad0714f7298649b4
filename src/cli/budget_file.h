#pragma once
// hta-budget/1: the gates a run has to pass, kept beside the code.

#include "hta/base/result.h"

#include <optional>
#include <string>
#include <vector>

namespace hta::cli {

struct Budget {
  struct Entry {
    std::string expression;
    std::string why;
  };
  std::string name;
  std::optional<std::int64_t> min_steps;
  std::vector<Entry> fail_on;
};

/// kUsage if a key is unknown, a value has the wrong kind, or there is no gate.
Result<Budget> read_budget(const std::string& path);

}  // namespace hta::cli
