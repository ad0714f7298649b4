#pragma once

#include <string>
#include <string_view>

namespace hta::report {

/// The text broken at blanks into lines of at most `width` columns (0 = one line), further lines indented.
std::string wrapped(std::string_view text, std::size_t width, std::string_view indent);

/// Text as Markdown shows it literally: what Markdown or HTML would act on is escaped.
std::string markdown_escaped(std::string_view text);

}  // namespace hta::report
