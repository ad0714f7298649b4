#pragma once
// Files that a command leaves behind: whole or not at all, and never in the place of an input.

#include "hta/cli/command.h"
#include "hta/report/out.h"

#include <functional>
#include <string>

namespace hta::cli {

/// Calls `fill` with an Out to standard output (empty path), or to a temporary file that becomes `path` when all is
/// written and `fill` succeeded. A closed pipe is no error: the reader has seen enough.
Status write_file(const std::string& path, const std::function<Status(report::Out&)>& fill);

/// Whether `target` is one of the files that were read, by whatever name or link.
bool is_input(const std::string& target, const result::Document& document);

/// The text files that come with the result.
Status write_side_files(const result::Document& document);

/// Writes the traces that the document asks for and says on standard error what was written (unless -q).
Status write_overlays(const CommonOptions& common, const result::Document& document);

}  // namespace hta::cli
