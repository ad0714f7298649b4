#include "main.h"

#include <csignal>
#include <exception>
#include <new>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "parse.h"

namespace hta::cli {

namespace {

// What analyses need for a while goes back to the system when they are done. The C library would keep it: it takes
// freeing a large block as a sign that more such blocks will follow.
void give_back_large_blocks() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

}  // namespace

int run(int argc, char** argv) {
  give_back_large_blocks();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe shows as an error of write
  try {
    Parsed parsed = parse({argv + 1, argv + argc});
    if (parsed.command == nullptr) return static_cast<int>(parsed.status);
    return static_cast<int>(parsed.command->run(*parsed.command, parsed.invocation));
  } catch (const std::bad_alloc&) {
    return static_cast<int>(
        fail({ErrorCode::kInput, "", "out of memory; try fewer threads (-j) or fewer ranks (--rank)", {}}));
  } catch (const std::exception& e) {
    return static_cast<int>(fail({ErrorCode::kInput, "", std::string("unexpected failure: ") + e.what(), {}}));
  }
}

}  // namespace hta::cli
