#pragma once
// Events of rare kinds, read with RapidJSON: escaped key names, and anything else that is valid and the fast path
// declines.

#include "hta/input/raw_event.h"

#include <cstddef>

namespace hta::input {

class SlowEventReader {
 public:
  explicit SlowEventReader(const ArgSet& wanted) : wanted_(wanted) {}

  struct Outcome {
    const char* behind = nullptr;  ///< the byte behind the object; nullptr if there is no valid one
    std::size_t looked_at = 0;     ///< bytes
  };
  /// Reads the JSON object that starts at `begin`. Views in `event` point into the text.
  Outcome read(const char* begin, const char* end, RawEvent& event) const;

 private:
  ArgSet wanted_;
};

}  // namespace hta::input
