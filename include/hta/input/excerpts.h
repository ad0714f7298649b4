#pragma once
// Single places of a file, read again for people to look at.

#include "hta/base/result.h"
#include "hta/input/scanner.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hta::input {

/// The offsets of records by their running numbers, in the order asked for. One pass over the file.
/// Errors (kInput): the file cannot be read, or not twice (standard input, pipes); a number that it does not have.
Result<std::vector<std::uint64_t>> offsets_of_records(const std::string& path, std::span<const std::uint32_t> positions,
                                                      const ScanLimits& limits);

/// What stands at these offsets of the inflated file, up to `bytes` each, in the order asked for. One pass; memory for
/// the excerpts alone. Errors as above; an offset behind the end gives an empty text.
Result<std::vector<std::string>> read_excerpts(const std::string& path, std::span<const std::uint64_t> offsets,
                                               std::size_t bytes);

}  // namespace hta::input
