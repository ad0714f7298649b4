#pragma once
// Random trace files as text: every kind of record, damage of every kind, and text made to look like the start of a
// record.

#include <cstdint>
#include <random>
#include <string>

namespace hta::test {

struct TextOptions {
  std::size_t records = 400;
  bool pretty = false;  ///< line breaks and indents as some writers put them
  bool bare_array = false;
  bool pairs = false;       ///< B and E records
  bool labels = false;      ///< ranks named in pids
  bool traps = false;       ///< records within arguments and names
  std::size_t damages = 0;  ///< places where bytes are overwritten, lost, doubled, or the text ends
};

std::string random_trace_text(std::mt19937_64& random, const TextOptions& options);

}  // namespace hta::test
