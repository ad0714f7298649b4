#pragma once
// What bounds the run. How it is chosen is written down in docs/summary.md.

#include "hta/result/document.h"

#include <string>
#include <vector>

#include "measures.h"

namespace hta::report {

struct Bottleneck {
  std::string kind = "none";  ///< as Summary::bottleneck
  std::string sentence;       ///< why, with numbers
  std::vector<result::Measure> evidence;
};

Bottleneck bottleneck_of(const Measures& measures);

}  // namespace hta::report
