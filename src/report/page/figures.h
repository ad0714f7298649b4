#pragma once
// Which figures the page has, made from the answers of the analyses.

#include "hta/report/page.h"

#include <optional>
#include <vector>

#include "../digest/measures.h"
#include "figure.h"

namespace hta::report::page {

/// All sections in the order of the page. Sections without a figure are left out.
std::vector<Section> sections_of(const PageInput& input);

/// What happens at the worst place of each finding, where the finding has one. A place is shown once.
std::vector<FindingFigures> place_figures(const PageInput& input);

// The sections; each is empty if its analysis did not run. A chart with nothing to show is a sentence that says why.
std::vector<Figure> time_figures(const PageInput& input, const Answers& answers);
std::optional<Figure> activity_figure(const Answers& answers);
std::vector<Figure> idle_figures(const Answers& answers);
std::vector<Figure> communication_figures(const Answers& answers);
std::vector<Figure> step_figures(const Answers& answers);
std::vector<Figure> launch_figures(const Answers& answers);
std::vector<Figure> over_time_figures(const Answers& answers);
std::vector<Figure> critical_path_figures(const Answers& answers);
/// Of two runs.
std::vector<Section> comparison_sections(const result::Document& diff);

}  // namespace hta::report::page
