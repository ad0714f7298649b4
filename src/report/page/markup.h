#pragma once
// Text from traces on its way into the page: it must not become markup, whatever it holds.

#include <string>
#include <string_view>

namespace hta::report::page {

/// Text for elements and for quoted attributes: valid UTF-8, no markup, no control characters.
std::string escaped(std::string_view text);

/// JSON text that may stand inside a script element: no "<", so neither "</script" nor "<!--".
std::string script_safe(std::string_view json);

/// A kernel name that fits a label: readable_kernel_name with its middle left out beyond `width` columns.
std::string short_name(std::string_view name, std::size_t width);

}  // namespace hta::report::page
