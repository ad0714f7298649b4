#include "main.h"

#include <csignal>
#include <exception>
#include <new>

#include "parse.h"

namespace hta::cli {

int run(int argc, char** argv) {
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
