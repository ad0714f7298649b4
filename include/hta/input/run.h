#pragma once
// A run: files and directories to ranks, each loaded, handed to the caller, and freed.

#include "hta/base/int_ranges.h"
#include "hta/base/rank_key.h"
#include "hta/base/result.h"
#include "hta/input/load.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hta::input {

enum class RankFrom : std::uint8_t { kAuto, kMetadata, kName };
enum class RankSource : std::uint8_t { kMetadata, kName, kAssigned, kOption, kLabel };
std::string_view rank_source_text(RankSource source);

/// Files to read, in natural order, without duplicates.
struct FileList {
  std::vector<std::string> files;
  bool from_directory = false;  ///< listed, not named: files that hta wrote are skipped there
  /// With `recursive`: the run folders found, if there are several. Then `files` is empty.
  std::vector<std::string> runs;
};

enum class Recursive : std::uint8_t { kNo, kYes };

/// Expands directories to the trace files directly in them (`*.json`, `*.json.gz`). kInput if there is nothing to read.
Result<FileList> list_files(const std::vector<std::string>& paths, Recursive recursive);

struct RunOptions {
  LoadOptions load;
  IntRanges ranks;  ///< only these
  RankFrom rank_from = RankFrom::kAuto;
  std::map<std::string, std::int64_t> assigned_ranks;  ///< --assign-rank PATH=N
  std::size_t threads = 0;                             ///< 0 = one per core
  LoadProgress* progress = nullptr;
  /// Trace::clock_shift_ns by path and label, from an earlier pass over the same files.
  std::map<std::pair<std::string, std::string>, Nanos> clock_shifts;
};

/// One rank of the run, or one file that gives none.
struct RunInput {
  std::string path;
  std::string label;
  FileStatus status = FileStatus::kOk;
  std::string problem;
  std::vector<FileNote> notes;
  std::optional<RankKey> rank;
  RankSource source = RankSource::kMetadata;
  bool selected = true;  ///< by RunOptions::ranks
  bool loaded = true;    ///< false if the head of the file told that it is not selected: then only `info` is filled in
  Packing packing = Packing::kPlain;
  std::uint64_t text_bytes = 0;
  std::uint64_t records = 0;

  // Facts of the trace, kept after it is freed.
  TraceInfo info;
  Quality quality;
  std::map<std::string, std::uint64_t> kept_by_category;
  std::uint64_t gpu_events = 0;
  std::uint64_t gpu_events_linked = 0;
  std::uint64_t launch_calls = 0;
  std::uint64_t shared_launches =
      0;  ///< calls, other than graph launches, with several GPU events of their correlation
  std::vector<std::int64_t> steps;
  std::vector<std::int64_t> incomplete_steps;
  std::optional<Nanos> first_start_ns;
  Nanos last_end_ns = 0;
  Nanos shift_ns = 0;      ///< own clock + shift = reported time
  std::size_t handle = 0;  ///< which call of `use` it was
};

struct RunNote {
  std::string code;
  std::string message;
  bool loses_data = false;
};

struct Run {
  std::vector<RunInput> inputs;  ///< ranks in order of rank, then files that give none, in natural order
  std::vector<RunNote> notes;
  bool lost_data = false;  ///< something was damaged or skipped: --strict
};

/// Loads every file once and calls `use(handle, trace)` for each trace, from several threads; the trace is freed when
/// it returns. Which rank it was is known only afterwards: Run::inputs name the handles. Handles are dense from 0.
/// Fails if no file gives a trace, or if two files claim one rank.
Result<Run> read_run(const FileList& files, const RunOptions& options,
                     const std::function<void(std::size_t handle, const Trace& trace)>& use);

/// The rank in a file name: rank3, rank_3, rank-3, rank[3], worker3; nothing if there is none.
std::optional<std::int64_t> rank_in_name(std::string_view file_name);

}  // namespace hta::input
