#pragma once
// Words that every form of the summary shares.

#include "hta/result/table.h"

#include <string>
#include <string_view>

namespace hta::report {

/// "straggler-bound" for the bottleneck `straggler`.
std::string_view bottleneck_name(std::string_view kind);
/// Table `load` as a list: "cpu_op 28,128, kernel 11,616, ...".
std::string load_list(const result::Table& load);
/// With a capital at the beginning.
std::string capitalised(std::string text);

}  // namespace hta::report
