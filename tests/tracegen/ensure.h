#pragma once

#include <stdexcept>

namespace tracegen {

/// Throws when the generator has a bug: what it simulates must not become a trace then.
inline void ensure(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

}  // namespace tracegen
