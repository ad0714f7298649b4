#pragma once
// What the page holds, in order: sections of figures.

#include "hta/result/table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chart.h"

namespace hta::report::page {

/// A table below a chart, as far as it is shown.
struct Excerpt {
  const result::Table* table = nullptr;
  std::string command;  ///< prints all of it: "breakdown --table temporal"
  /// Rows [first, end) of the table, as far as there are so many.
  std::size_t first_row = 0;
  std::size_t end_row = SIZE_MAX;
};

/// One chart with its words, or the reason why there is none.
struct Figure {
  std::string id;  ///< anchor, unique in the page
  std::string title;
  std::string caption;  ///< what it shows, with numbers; without a plot: what is missing and how to record it
  std::string how;      ///< how it is computed
  std::optional<Plot> plot;
  std::optional<Excerpt> excerpt;
};

struct Section {
  std::string id;
  std::string title;
  std::vector<Figure> figures;
};

/// Figures that belong to a finding.
struct FindingFigures {
  std::string finding;  ///< its id
  std::vector<Figure> figures;
};

}  // namespace hta::report::page
