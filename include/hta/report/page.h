#pragma once
// One HTML page that tells everything: opened from disk, without network, with or without JavaScript.

#include "hta/report/out.h"
#include "hta/result/document.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hta::report {

/// An analysis that the page draws, beside those of the digest.
struct PageAnalysis {
  std::string_view name;
  std::span<const std::string_view> tables;  ///< to ask it for
};
/// With very many files tables that hold much for each rank are not asked for.
std::vector<PageAnalysis> page_analyses(std::size_t files);

struct PageInput {
  const result::Document* summary = nullptr;  ///< what stands on top: the digest; of two runs the answer of diff
  std::span<const result::Document> answers;  ///< one per analysis; what is missing has no charts
  std::string paths;                          ///< as they stand in a command line, for commands that tell more
};

/// Writes the page. The same input gives the same bytes.
void render_page(const PageInput& input, Out& out);

/// Whether the build has the library for interactive charts.
bool has_chart_library();

}  // namespace hta::report
