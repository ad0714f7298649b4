#pragma once
// One plain file read by several threads.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "feed.h"
#include "file_range.h"
#include "ingest.h"

namespace hta::input {

/// Cuts a plain file into parts, one for each thread, and reads them at once. Where a part begins is a guess: some
/// place where a record seems to start. The guess is verified and not trusted: only if the scanner of the part before
/// it, itself in the right, arrives exactly there between two records and without any damage, the two are joined; else
/// what the thread found is thrown away, and the scanner before it reads on through its part. So the result is the same
/// as if one scanner had read the whole file, whatever is in it.
class SplitReader {
 public:
  struct Setting {
    std::string path;
    std::uint64_t file_bytes = 0;
    std::size_t parts = 2;
    ChunkSetting chunks;
  };
  /// Takes the records into `ingest`, whose builder has the options `load`. `buffers`: as many as parts, or fewer to
  /// begin with. `progress` may be null.
  SplitReader(const Setting& setting, const LoadOptions& load, Ingest& ingest,
              std::vector<std::unique_ptr<ChunkBuffers>>& buffers, LoadProgress* progress);
  ~SplitReader();
  SplitReader(const SplitReader&) = delete;
  SplitReader& operator=(const SplitReader&) = delete;

  /// Reads the whole file.
  void read();

  // Afterwards:
  const ScanReport& report() const { return report_; }
  std::uint64_t text_bytes() const { return text_bytes_; }
  const std::optional<Error>& error() const { return error_; }  ///< what ended the reading too early
  std::string_view head() const { return head_; }               ///< the first bytes of the text
  std::size_t parts_joined() const { return parts_joined_; }    ///< guesses that were right, plus one

 private:
  struct Part;

  void read_head();
  void make_guesses();
  std::optional<std::uint64_t> guess_near(std::uint64_t offset) const;
  Status add_part(std::uint64_t begin);
  void read_parts();
  void join_parts();

  Setting setting_;
  const LoadOptions& load_;
  Ingest& ingest_;
  std::vector<std::unique_ptr<ChunkBuffers>>& buffers_;
  LoadProgress* progress_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<std::uint64_t> ends_;  // of the parts
  ScanReport report_;
  std::string head_;
  std::uint64_t text_bytes_ = 0;
  std::optional<Error> error_;
  std::size_t parts_joined_ = 1;
};

}  // namespace hta::input
