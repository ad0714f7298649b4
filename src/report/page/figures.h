#pragma once
// Which figures the page has, made from the answers of the analyses.

#include "hta/report/page.h"

#include <vector>

#include "../digest/measures.h"
#include "figure.h"

namespace hta::report::page {

/// All sections in the order of the page. Sections without a figure are left out.
std::vector<Section> sections_of(const PageInput& input);

std::vector<Figure> time_figures(const PageInput& input, const Answers& answers);
std::vector<Figure> idle_figures(const PageInput& input, const Answers& answers);

}  // namespace hta::report::page
