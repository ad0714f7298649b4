#pragma once
// Raw memory timelines of PyTorch: a JSON list of [time_ns, action, bytes, category], plain or gzip.

#include "hta/base/result.h"
#include "hta/model/memory_timeline.h"

#include <cstdint>
#include <string>

namespace hta::input {

/// Whether the file begins like a list of lists of numbers; a trace never does. Reads only its first bytes; false for
/// standard input, which cannot be read twice, and for what cannot be opened.
bool is_memory_timeline(const std::string& path);

struct LoadedTimeline {
  MemoryTimeline timeline;
  bool damaged = false;  ///< cut off or broken behind the entries that are there
};

/// Reads it from front to back. Unknown categories count as unknown, entries keep the order of the file.
/// Errors: kInput if the file cannot be read, or if its first entry is none of the raw form.
Result<LoadedTimeline> read_memory_timeline(const std::string& path);

}  // namespace hta::input
