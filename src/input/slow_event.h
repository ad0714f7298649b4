#pragma once
// Events of rare kinds, read with RapidJSON: escaped key names, deep or odd values, anything the fast path declines.

#include <memory>

#include "hta/input/raw_event.h"

namespace hta::input {

class SlowEventReader {
 public:
  explicit SlowEventReader(const ArgSet& wanted);
  ~SlowEventReader();
  SlowEventReader(const SlowEventReader&) = delete;
  SlowEventReader& operator=(const SlowEventReader&) = delete;

  /// Reads one JSON object that starts at `begin`; nullptr if there is no valid one before `end`, else the byte behind it.
  /// Views in `event` point into memory of this reader and hold until the next call; strings in it are already decoded.
  const char* read(const char* begin, const char* end, RawEvent& event);

 private:
  struct Memory;
  ArgSet wanted_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace hta::input
