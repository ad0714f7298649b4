#include "hta/input/load.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/stat.h>

#include "chunk_stream.h"
#include "hta/base/text.h"
#include "ingest.h"

namespace hta::input {
namespace {

// Below this many packed bytes a second thread costs more than it brings.
constexpr std::uint64_t kReadAheadFrom = std::uint64_t{512} << 10;

std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
  return with_commas(static_cast<std::int64_t>(n)) + " " + std::string(n == 1 ? one : many);
}

void add_notes(LoadedFile& file, const ScanReport& report, const Ingest& ingest, const std::string& packing_trouble) {
  const auto note = [&](std::string code, std::string message, bool loses = false) {
    file.notes.push_back({std::move(code), std::move(message), loses});
  };
  if (!packing_trouble.empty()) {
    note(packing_trouble.find("cut short") != std::string::npos ? "gzip-truncated" : "gzip-damaged",
         packing_trouble + "; everything before it is used", true);
  }
  if (report.truncated) note("truncated", "the file is truncated: it ends inside the document; every whole event before the end is used", true);
  if (report.second_document) note("second-document", "a second JSON document follows the first and is ignored");
  if (report.trailing_garbage) note("trailing-bytes", "bytes that are no JSON follow the document and are ignored");
  if (report.trailing_comma) note("trailing-comma", "a comma stands before the end of the event array");
  if (report.control_characters > 0) {
    note("control-characters", counted(report.control_characters, "event holds", "events hold") + " raw control characters in a string; kept");
  }
  if (report.damaged_metadata + ingest.unreadable_metadata() > 0) {
    note("metadata-damaged", counted(report.damaged_metadata + ingest.unreadable_metadata(), "metadata member", "metadata members") + " cannot be read and is left out");
  }
  if (ingest.odd_escapes() > 0) {
    note("odd-escapes", counted(ingest.odd_escapes(), "escape is", "escapes are") + " not JSON (single backslashes?); kept as they stand");
  }
  if (ingest.repaired_texts() > 0) {
    note("bad-utf8", counted(ingest.repaired_texts(), "name is", "names are") + " not UTF-8; broken bytes are shown as U+FFFD");
  }
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
  }
  return "unknown";
}

struct Workspace::Memory {
  ChunkBuffers buffers;
  std::vector<Trace> spare;
};

Workspace::Workspace() : memory_(std::make_unique<Memory>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
void Workspace::recycle(Trace&& trace) {
  if (memory_->spare.empty()) memory_->spare.push_back(std::move(trace));
}

LoadedFile load_file(const std::string& path, const LoadOptions& options, Threads threads, Workspace& workspace,
                     LoadProgress* progress) {
  auto opened = open_source(path);
  if (opened) return load_source(path, std::move(opened).value(), options, threads, workspace, progress);
  LoadedFile file;
  file.path = path;
  file.status = FileStatus::kUnreadable;
  file.problem = opened.error().message;
  return file;
}

LoadedFile load_source(const std::string& path, OpenedSource opened, const LoadOptions& options, Threads threads,
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
  Ingest ingest(builder, options.build);
  Scanner scanner(wanted_args(builder.needs()), ingest, options.limits);
  const bool ahead = threads == Threads::kTwo && (opened.file_bytes == 0 || opened.file_bytes >= kReadAheadFrom);
  ChunkStream stream(*opened.source, workspace.memory().buffers, ahead ? ReadAhead::kYes : ReadAhead::kNo);
  std::string_view rest;
  std::uint64_t reported = 0;
  bool any_bytes = false;
  for (;;) {
    auto chunk = stream.next(rest);
    if (!chunk) {
      file.notes.push_back({"read-error", chunk.error().text() + "; everything before it is used", true});
      chunk = ChunkStream::Chunk{rest.data(), rest.data() + rest.size(), true};
    }
    any_bytes |= chunk->end > chunk->begin;
    const char* stop = scanner.scan(chunk->begin, chunk->end, chunk->last ? MoreBytes::kNo : MoreBytes::kYes);
    file.text_bytes += static_cast<std::uint64_t>(stop - chunk->begin);
    if (progress != nullptr) {
      const std::uint64_t consumed = opened.source->consumed();
      progress->packed_bytes += consumed - reported;
      reported = consumed;
    }
    if (chunk->last) break;
    rest = {stop, static_cast<std::size_t>(chunk->end - stop)};
  }
  const ScanReport& report = scanner.report();
  file.records = report.events;
  if (report.several_writers) {
    file.status = FileStatus::kSeveralWriters;
    file.problem = "documents of several writers are mixed into each other (ranks writing to one path?); give every rank a file of its own";
  } else if (!any_bytes) {
    file.status = FileStatus::kEmpty;
    file.problem = "is empty; was the job killed before it wrote the trace?";
  } else if (ingest.own_output()) {
    file.status = FileStatus::kOwnOutput;
    file.problem = "was written by hta";
  } else if (!ingest.has_phases()) {
    file.status = report.saw_event_array ? FileStatus::kEmpty : FileStatus::kNotATrace;
    file.problem = report.saw_event_array      ? "holds no events; was the profiler started?"
                   : ingest.foreign_schema() ? "is an execution trace, not a profiler trace; give the file that export_chrome_trace wrote"
                                             : "is no profiler trace (no traceEvents); skipped";
  }
  add_notes(file, report, ingest, opened.source->trouble());
  file.traces = ingest.finish(file.labels);
  if (file.status != FileStatus::kOk && file.status != FileStatus::kOwnOutput) file.traces.clear();
  return file;
}

}  // namespace hta::input
