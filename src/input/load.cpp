#include "hta/input/load.h"

#include "hta/base/human.h"

#include <array>
#include <optional>
#include <utility>

#include "feed.h"
#include "ingest.h"
#include "split_reader.h"

namespace hta::input {
namespace {

// Small files may well unpack to much: only from here on it is suspicious.
constexpr std::uint64_t kExpansionFrom = std::uint64_t{1} << 30;

std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
  return human_count(static_cast<std::int64_t>(n), one, many);
}

std::string at_byte(std::uint64_t offset) {
  return "at byte " + std::to_string(offset);
}

// What files are that are given by mistake, by their first bytes.
std::string_view other_format(std::string_view head) {
  struct Magic {
    std::string_view bytes;
    std::string_view what;
  };
  constexpr std::array<Magic, 7> kMagic{{
      {"\xFF\xFE", "is UTF-16 text; convert it (iconv -f UTF-16 -t UTF-8)"},
      {"\xFE\xFF", "is UTF-16 text; convert it (iconv -f UTF-16 -t UTF-8)"},
      {"PK\x03\x04", "is a zip archive; unpack it first (unzip)"},
      {"\x28\xB5\x2F\xFD", "is packed with zstd; unpack it first (zstd -d)"},
      {"\xFD"
       "7zXZ",
       "is packed with xz; unpack it first (xz -d)"},
      {"BZh", "is packed with bzip2; unpack it first (bzip2 -d)"},
      {"SQLite format 3", "is a SQLite database (Nsight Systems?), not a PyTorch profiler trace"},
  }};
  for (const Magic& magic : kMagic) {
    if (head.starts_with(magic.bytes)) return magic.what;
  }
  constexpr std::string_view kTar = "ustar";
  constexpr std::size_t kTarMagicAt = 257;
  if (head.size() > kTarMagicAt && head.substr(kTarMagicAt).starts_with(kTar))
    return "is a tar archive; unpack it first (tar -x)";
  return {};
}

// What reading the text told, apart from the records.
struct Reading {
  ScanReport report;
  std::uint64_t text_bytes = 0;
  std::optional<Error> error;
  PackingTrouble packing;
  std::string_view head_format;  // see other_format()
  std::string passed_limit;
};

bool can_split(const OpenedSource& opened, const LoadOptions& options, std::size_t threads) {
  return threads > 1 && opened.packing == Packing::kPlain && !opened.file.empty() &&
         opened.file_bytes >= options.reading.split_from;
}

Reading read_split(const OpenedSource& opened, const LoadOptions& options, std::size_t threads, Ingest& ingest,
                   std::vector<std::unique_ptr<ChunkBuffers>>& buffers, LoadProgress* progress) {
  SplitReader reader({opened.file, opened.file_bytes, threads, {ReadAhead::kNo, options.reading.chunk_bytes}}, options,
                     ingest, buffers, progress);
  reader.read();
  return {reader.report(),
          reader.report().ended_at.value_or(reader.text_bytes()),
          reader.error(),
          {},
          other_format(reader.head()),
          {}};
}

Reading read_through(OpenedSource opened, const LoadOptions& options, std::size_t threads, Ingest& ingest,
                     std::vector<std::unique_ptr<ChunkBuffers>>& buffers, LoadProgress* progress) {
  const bool ahead = threads > 1 && (opened.file_bytes == 0 || opened.file_bytes >= options.reading.read_ahead_from);
  if (buffers.empty()) buffers.push_back(std::make_unique<ChunkBuffers>());
  Scanner scanner(wanted_args(options.build.needs), ingest, options.scan);
  Feed feed(*opened.source, *buffers.front(), {ahead ? ReadAhead::kYes : ReadAhead::kNo, options.reading.chunk_bytes},
            scanner);
  Reading reading;
  std::uint64_t reported = 0;
  while (!feed.done() && ingest.passed_limit().empty() && reading.passed_limit.empty()) {
    feed.step();
    if (!feed.head().empty()) reading.head_format = other_format(feed.head());
    const std::uint64_t consumed = opened.source->consumed();
    if (progress != nullptr) progress->packed_bytes += consumed - reported;
    reported = consumed;
    if (opened.packing == Packing::kGzip && feed.text_bytes() > kExpansionFrom &&
        feed.text_bytes() / consumed > options.limits.expansion) {
      reading.passed_limit = "unpacks to more than " + std::to_string(options.limits.expansion) +
                             " times its size (a gzip bomb?); raise --max-expansion if that is right";
    }
  }
  feed.close();
  reading.report = scanner.report();
  reading.text_bytes = reading.report.ended_at.value_or(feed.text_bytes());
  reading.error = feed.error();
  reading.packing = opened.source->trouble();
  return reading;
}

void add_notes(LoadedFile& file, const Reading& reading, const Ingest& ingest) {
  const ScanReport& report = reading.report;
  const PackingTrouble& packing = reading.packing;
  const auto note = [&](std::string code, std::string message, bool loses = false) {
    file.notes.push_back({std::move(code), std::move(message), loses});
  };
  switch (packing.kind) {
    case PackingTrouble::Kind::kNone: break;
    case PackingTrouble::Kind::kCutShort:
      note("gzip-truncated", packing.text() + "; every whole event before is used", true);
      break;
    case PackingTrouble::Kind::kCorrupt:
      note("gzip-damaged", packing.text() + "; every whole event before is used", true);
      break;
    case PackingTrouble::Kind::kTrailingBytes: note("gzip-trailing-bytes", packing.text() + " and are ignored"); break;
  }
  if (report.head_lost)
    note("head-lost", "the file does not begin as JSON; events are read from where they can be told", true);
  if (report.interrupted_at) {
    note("second-document",
         "a second JSON document begins inside the first, " + at_byte(*report.interrupted_at) +
             "; only what stands before it is used",
         true);
  } else if (report.truncated) {
    note("truncated",
         "the file is truncated: it ends inside the document, " + at_byte(file.text_bytes) +
             "; every whole event before is used",
         true);
  }
  if (report.second_document) note("second-document", "a second JSON document follows the first and is ignored");
  if (report.trailing_garbage)
    note("trailing-bytes", "bytes that do not belong to it follow the document and are ignored");
  if (report.trailing_comma) note("trailing-comma", "a comma stands before the end of the event array");
  if (report.control_characters > 0) {
    note("control-characters", counted(report.control_characters, "event holds", "events hold") +
                                   " raw control characters in a string; kept");
  }
  if (const std::uint64_t damaged = report.damaged_metadata + ingest.unreadable_metadata(); damaged > 0) {
    note("metadata-damaged", counted(damaged, "member", "members") +
                                 " of the document besides the events cannot be read and " +
                                 (damaged == 1 ? "is" : "are") + " left out");
  }
  if (ingest.repaired_metadata() > 0) {
    note("metadata-repaired", counted(ingest.repaired_metadata(), "member", "members") +
                                  " of the document besides the events " +
                                  (ingest.repaired_metadata() == 1 ? "holds" : "hold") +
                                  " words that are no JSON (N/A?), which count as missing");
  }
  if (ingest.odd_escapes() > 0) {
    note("odd-escapes", counted(ingest.odd_escapes(), "escape is", "escapes are") +
                            " not JSON (single backslashes?); kept as they stand");
  }
  if (ingest.repaired_texts() > 0) {
    note("bad-utf8",
         counted(ingest.repaired_texts(), "text is", "texts are") + " not UTF-8; broken bytes are shown as U+FFFD");
  }
  if (ingest.unlabelled_events() > 0) {
    note("label-missing", counted(ingest.unlabelled_events(), "event carries", "events carry") +
                              " no rank label and count with the first rank in the file, " + ingest.first_label());
  }
}

// Whether the file gives a trace, and if not, why.
void judge(LoadedFile& file, const Reading& reading, const Ingest& ingest) {
  const ScanReport& report = reading.report;
  const auto is = [&](FileStatus status, std::string problem) {
    file.status = status;
    file.problem = std::move(problem);
  };
  if (!reading.passed_limit.empty()) return is(FileStatus::kOverLimit, reading.passed_limit);
  if (!ingest.passed_limit().empty()) return is(FileStatus::kOverLimit, ingest.passed_limit());
  if (report.several_writers) {
    return is(FileStatus::kSeveralWriters,
              "documents of several writers are mixed into each other (ranks writing to one path?); give every rank a "
              "file of its own");
  }
  if (report.hopeless) return is(FileStatus::kNotATrace, "is damaged beyond reading; record it again");
  if (ingest.own_output()) return is(FileStatus::kOwnOutput, "was written by hta");
  if (ingest.names_come_late()) {
    return is(FileStatus::kNotATrace,
              "is an Ascend trace whose process names follow their events, which hta cannot read; export it again with "
              "the names first");
  }
  if (ingest.has_phases()) return;
  if (report.saw_event_array) return is(FileStatus::kEmpty, "holds no events; was the profiler started?");
  if (file.text_bytes == 0) return is(FileStatus::kEmpty, "is empty; was the job killed before it wrote the trace?");
  if (!reading.head_format.empty()) return is(FileStatus::kNotATrace, std::string(reading.head_format));
  if (ingest.foreign_schema()) {
    return is(FileStatus::kNotATrace,
              "is an execution trace, not a profiler trace; give the file that export_chrome_trace wrote");
  }
  is(FileStatus::kNotATrace, "is no profiler trace (no traceEvents); give the file that export_chrome_trace wrote");
}

}  // namespace

std::string_view file_status_text(FileStatus status) {
  switch (status) {
    case FileStatus::kOk: return "ok";
    case FileStatus::kEmpty: return "empty";
    case FileStatus::kNotATrace: return "not a trace";
    case FileStatus::kUnreadable: return "unreadable";
    case FileStatus::kSeveralWriters: return "several writers";
    case FileStatus::kOwnOutput: return "written by hta";
    case FileStatus::kOverLimit: return "over a limit";
  }
  return "unknown";
}

struct Workspace::Memory {
  std::vector<std::unique_ptr<ChunkBuffers>> buffers;  // of the threads that read one file
  std::vector<Trace> spare;
};

Workspace::Workspace() : memory_(std::make_unique<Memory>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
void Workspace::recycle(Trace&& trace) {
  if (memory_->spare.empty()) memory_->spare.push_back(std::move(trace));
}

LoadedFile load_file(const std::string& path, const LoadOptions& options, std::size_t threads, Workspace& workspace,
                     LoadProgress* progress) {
  auto opened = open_source(path);
  if (opened) return load_source(path, std::move(opened).value(), options, threads, workspace, progress);
  LoadedFile file;
  file.path = path;
  file.status = FileStatus::kUnreadable;
  file.problem = opened.error().message;
  return file;
}

LoadedFile load_source(const std::string& path, OpenedSource opened, const LoadOptions& options, std::size_t threads,
                       Workspace& workspace, LoadProgress* progress) {
  LoadedFile file;
  file.path = path;
  file.packing = opened.packing;
  TraceBuilder builder(options.build);
  auto& spare = workspace.memory().spare;
  if (!spare.empty()) {
    builder.recycle(std::move(spare.back()));
    spare.pop_back();
  }
  Ingest ingest(builder, options.build, options.limits);
  const Reading reading =
      can_split(opened, options, threads)
          ? read_split(opened, options, threads, ingest, workspace.memory().buffers, progress)
          : read_through(std::move(opened), options, threads, ingest, workspace.memory().buffers, progress);
  file.text_bytes = reading.text_bytes;
  file.records = reading.report.events;
  if (reading.error)
    file.notes.push_back({"read-error", reading.error->text() + "; everything before it is used", true});
  judge(file, reading, ingest);
  if (file.status == FileStatus::kOverLimit) return file;
  add_notes(file, reading, ingest);
  file.traces = ingest.finish(file.labels);
  const bool readable =
      file.status == FileStatus::kOk || (file.status == FileStatus::kOwnOutput && ingest.has_phases());
  if (!readable) file.traces.clear();
  return file;
}

}  // namespace hta::input
