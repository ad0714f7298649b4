#pragma once

namespace hta::cli {

/// The program: reads argv, runs one command, returns the exit status.
int run(int argc, char** argv);

}  // namespace hta::cli
