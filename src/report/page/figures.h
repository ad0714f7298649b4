#pragma once
// Which figures the page has, made from the answers of the analyses.

#include "hta/report/page.h"

#include <optional>
#include <vector>

#include "../digest/answers.h"
#include "figure.h"

namespace hta::report::page {

/// What the page shows below the verdict, and within it.
struct Contents {
  std::vector<FindingFigures> of_findings;
  std::vector<Section> sections;  ///< in the order of the page
};
Contents contents_of(const PageInput& input);

/// What happens at the worst place of each finding, where the finding has one. A figure is shown once.
std::vector<FindingFigures> place_figures(const PageInput& input, const Answers& answers);

// The sections; each is empty if its analysis did not run. A chart with nothing to show is a sentence that says why.
std::vector<Figure> time_figures(const PageInput& input, const Answers& answers);
std::optional<Figure> activity_figure(const Answers& answers);
std::vector<Figure> idle_figures(const Answers& answers);
std::vector<Figure> communication_figures(const Answers& answers);
std::vector<Figure> step_figures(const Answers& answers);
/// One step, rank by rank; nothing without GPU events.
std::optional<Figure> step_of_ranks(const Answers& answers);
std::vector<Figure> launch_figures(const Answers& answers);
std::vector<Figure> over_time_figures(const Answers& answers);
std::vector<Figure> critical_path_figures(const Answers& answers);
/// Of two runs.
std::vector<Section> comparison_sections(const result::Document& diff);

}  // namespace hta::report::page
