#include "file_range.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

namespace hta::input {
namespace {

Error failure(const std::string& path, const char* what) {
  return Error{ErrorCode::kInput, path, std::string(what) + std::strerror(errno), {}};
}

}  // namespace

FileRange::FileRange(int file, std::string path, std::uint64_t begin)
    : file_(file), path_(std::move(path)), begin_(begin), next_(begin) {}

FileRange::~FileRange() {
  close(file_);
}

Result<std::unique_ptr<FileRange>> FileRange::open(const std::string& path, std::uint64_t begin) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failure(path, "cannot be opened: ");
  return std::unique_ptr<FileRange>(new FileRange(file, path, begin));  // NOLINT: the constructor is private
}

Result<std::size_t> FileRange::read(char* into, std::size_t room) {
  const std::uint64_t at = next();
  const std::size_t wanted = std::min<std::uint64_t>(room, stop_ - std::min(stop_, at));
  for (;;) {
    const ssize_t n = pread(file_, into, wanted, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failure(path_, "cannot be read: ");
    next_.store(at + static_cast<std::uint64_t>(n), std::memory_order_relaxed);
    return static_cast<std::size_t>(n);
  }
}

}  // namespace hta::input
