#pragma once
// Seeded random trace files that are valid JSON, in every style that profilers and other programs write.

#include <cstdint>
#include <string>

namespace hta::test {

/// A whole document: object or bare array, compact or spread, metadata at either end, events of all phases with odd
/// keys, escapes, numbers and nesting. About `events` records.
std::string random_document(std::uint64_t seed, int events);

}  // namespace hta::test
