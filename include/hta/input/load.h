#pragma once
// One file to the traces of the ranks in it.

#include "hta/input/byte_source.h"
#include "hta/input/scanner.h"
#include "hta/model/trace.h"
#include "hta/model/trace_builder.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hta::input {

enum class FileStatus : std::uint8_t {
  kOk,
  kEmpty,           ///< no bytes, or no record
  kNotATrace,       ///< readable, but no trace: another kind of JSON, or no JSON
  kUnreadable,      ///< cannot be opened or read
  kSeveralWriters,  ///< documents of several writers mixed into each other
  kOwnOutput,       ///< written by hta itself
  kOverLimit,       ///< larger in some respect than a trace should be; limits are options
};
std::string_view file_status_text(FileStatus status);

/// Something a user should know about a file.
struct FileNote {
  std::string code;         ///< stable name, e.g. "truncated"
  std::string message;      ///< one sentence, without the path
  bool loses_data = false;  ///< damage: counts under --strict
};

struct LoadedFile {
  std::string path;
  FileStatus status = FileStatus::kOk;
  std::string problem;  ///< why it cannot be used, with what to do; empty when kOk
  std::vector<FileNote> notes;
  std::vector<Trace> traces;        ///< one, or one per label
  std::vector<std::string> labels;  ///< of the traces, when there are several: "TP00-DP01"
  Packing packing = Packing::kPlain;
  std::uint64_t text_bytes = 0;  ///< inflated
  std::uint64_t records = 0;     ///< of all phases
};

/// What a file may hold before it is refused as hostile.
struct LoadLimits {
  std::size_t names = 16'000'000;  ///< different texts (names, categories, arguments) of one rank
  std::size_t labels = 4'096;      ///< ranks told apart by labels in their pids
  std::size_t expansion = 200;     ///< inflated bytes for one packed byte, from a gigabyte on
};

/// How a file is read; results do not depend on it.
struct ReadSetting {
  std::size_t chunk_bytes = 0;  ///< read and scanned at once; 0 = what is best
  std::uint64_t read_ahead_from = std::uint64_t{512}
                                  << 10;              ///< packed size from which on unpacking gets its own thread
  std::uint64_t split_from = std::uint64_t{8} << 20;  ///< size from which on plain files are read in several parts
};

struct LoadOptions {
  BuildOptions build;
  ScanLimits scan;
  LoadLimits limits;
  ReadSetting reading;
};

/// What a worker keeps between files: buffers and columns, so that later files touch no fresh memory.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  /// Gives a trace back that is no longer needed.
  void recycle(Trace&& trace);

  struct Memory;
  Memory& memory() { return *memory_; }

 private:
  std::unique_ptr<Memory> memory_;
};

/// Progress of a load, read by another thread.
struct LoadProgress {
  std::atomic<std::uint64_t> packed_bytes{0};
  std::atomic<std::uint64_t> files_done{0};
};

/// Reads a whole file ("-": standard input) with at most `threads` threads. Never fails as a call: what is wrong is in
/// the status and the notes.
LoadedFile load_file(const std::string& path, const LoadOptions& options, std::size_t threads, Workspace& workspace,
                     LoadProgress* progress = nullptr);

/// The same from an opened source. `path` is only for messages.
LoadedFile load_source(const std::string& path, OpenedSource opened, const LoadOptions& options, std::size_t threads,
                       Workspace& workspace, LoadProgress* progress = nullptr);

}  // namespace hta::input
