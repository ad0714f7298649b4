#pragma once
// Files of assets/, and the chart library where the build has it, as text in the program. Sources made by
// cmake/embed_text.cmake.

#include <string_view>

namespace hta::report::page {

struct Asset {
  std::string_view text;
  std::string_view sha256;  ///< of the text, in hexadecimal digits
};

extern const Asset kPageTemplate;
extern const Asset kPageStyle;
extern const Asset kDarkStyle;
extern const Asset kPageScript;
extern const Asset kChartLibrary;  ///< empty text if the build has none

}  // namespace hta::report::page
