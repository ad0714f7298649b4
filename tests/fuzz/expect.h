#pragma once

#include <cstdio>
#include <cstdlib>

namespace hta::fuzz {

/// What must hold for every input; a fuzzer and a sanitizer both see the abort.
inline void expect(bool holds, const char* otherwise) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", otherwise);
  std::abort();
}

}  // namespace hta::fuzz
