#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tracegen {

/// The presets and what they stand for, one a line, for the help text.
[[nodiscard]] std::string preset_help();

/// The flags that the preset stands for. Throws UsageError for an unknown name.
[[nodiscard]] std::vector<std::string> preset_flags(std::string_view name);

}  // namespace tracegen
