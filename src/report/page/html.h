#pragma once
// Parts of the page as HTML.

#include "hta/report/out.h"
#include "hta/result/document.h"

#include <string>
#include <string_view>
#include <vector>

#include "figure.h"

namespace hta::report::page {

/// Rows of a table that stand in the page.
inline constexpr std::size_t kRowsInPage = 40;

/// One figure: title, caption, chart, table, and how it is computed. `paths` completes commands.
void write_figure(const Figure& figure, std::string_view paths, Out& out);

/// The verdict: main finding, bottleneck, findings, each with its figures.
void write_verdict(const result::Document& summary, const std::vector<FindingFigures>& figures, std::string_view paths,
                   Out& out);

/// What was loaded, and how good it is.
void write_load(const result::Document& summary, Out& out);

}  // namespace hta::report::page
