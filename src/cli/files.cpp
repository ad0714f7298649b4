#include "files.h"

#include "hta/base/human.h"
#include "hta/report/overlay.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace hta::cli {
namespace {

namespace fs = std::filesystem;

std::string error_text() {
  return std::strerror(errno);
}

Error cannot_be_written(const std::string& path, const std::string& why) {
  return {ErrorCode::kOutput, path, "cannot be written: " + why, {}};
}

enum class Written : std::uint8_t { kAll, kClosed, kFailed };
Written write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EPIPE ? Written::kClosed : Written::kFailed;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return Written::kAll;
}

// What `fill` gives goes to `fd`; kOutput with the system's words if that fails.
Status fill_descriptor(int fd, const std::string& path, const std::function<Status(report::Out&)>& fill) {
  Written state = Written::kAll;
  std::string why;
  Status filled;
  {
    report::Out out([&](std::string_view bytes) {
      if (state != Written::kAll) return;
      state = write_all(fd, bytes);
      if (state == Written::kFailed) why = error_text();
    });
    filled = fill(out);
  }
  if (!filled) return filled;
  if (state == Written::kFailed) return cannot_be_written(path.empty() ? "standard output" : path, why);
  return {};
}

// A pipe, a terminal, /dev/null, /dev/stdout (whatever it leads to): there is nothing to be replaced, and renaming a
// file over it would destroy it.
bool is_device(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status) || fs::is_directory(status)) return false;
  return !fs::is_regular_file(status) || path.starts_with("/dev/") || path.starts_with("/proc/");
}

// Behind what stands there already: standard output may be a file that has been written to.
Status write_device(const std::string& path, const std::function<Status(report::Out&)>& fill) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) return cannot_be_written(path, error_text());
  Status status = fill_descriptor(fd, path, fill);
  ::close(fd);
  return status;
}

Status make_folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) return Error{ErrorCode::kOutput, folder.string(), "cannot be made: " + error.message(), {}};
  return {};
}

std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
  return human_count(static_cast<std::int64_t>(n), one, many);
}

}  // namespace

Status write_file(const std::string& path, const std::function<Status(report::Out&)>& fill) {
  if (path.empty()) return fill_descriptor(STDOUT_FILENO, path, fill);
  if (is_device(path)) return write_device(path, fill);
  std::string temporary = path + ".XXXXXX";
  const int fd = mkstemp(temporary.data());
  if (fd < 0) return cannot_be_written(path, error_text());
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(fd, 0666 & ~mask);
  Status status = fill_descriptor(fd, path, fill);
  if (::close(fd) != 0 && status) status = cannot_be_written(path, error_text());
  if (status && std::rename(temporary.c_str(), path.c_str()) != 0) status = cannot_be_written(path, error_text());
  if (!status) unlink(temporary.c_str());
  return status;
}

bool is_input(const std::string& target, const result::Document& document) {
  std::error_code error;
  return std::any_of(document.inputs.begin(), document.inputs.end(),
                     [&](const result::Input& input) { return fs::equivalent(target, input.path, error); });
}

Status write_side_files(const result::Document& document) {
  for (const result::SideFile& file : document.side_files) {
    if (is_input(file.path, document))
      return Error{ErrorCode::kUsage, file.path, "is an input; choose another name", {}};
    const auto fill = [&](report::Out& out) {
      out << file.content;
      return Status();
    };
    if (Status status = write_file(file.path, fill); !status) return status;
  }
  return {};
}

Status write_overlays(const CommonOptions& common, const result::Document& document) {
  for (const result::Overlay& overlay : document.overlays) {
    const std::string& target = overlay.target_path;
    if (is_input(target, document)) return Error{ErrorCode::kUsage, target, "is an input; choose another name", {}};
    if (Status status = make_folder_of(target); !status) return status;
    report::OverlayCounts counts;
    const auto fill = [&](report::Out& out) -> Status {
      auto written = report::write_overlay(overlay, out);
      if (!written) return written.error();
      counts = *written;
      return {};
    };
    if (Status status = write_file(target, fill); !status) return status;
    if (counts.lost > 0) {
      warn(common, target + ": " + counted(counts.lost, "damaged place", "damaged places") + " of " +
                       overlay.source_path + " left out");
    }
    if (common.quiet) continue;
    std::string line =
        "hta: wrote " + target + ": " + counted(counts.copied, "record", "records") + " of " + overlay.source_path;
    if (counts.dropped > 0) line += " (" + counted(counts.dropped, "other", "others") + " left out)";
    fmt::print(stderr, "{}, {}\n", line, counted(counts.added, "added", "added"));
  }
  return {};
}

}  // namespace hta::cli
