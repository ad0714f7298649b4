#include "hta/input/byte_source.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "inflater.h"

namespace hta::input {
namespace {

constexpr std::size_t kMagicBytes = 2;
bool is_gzip(const char* data, std::size_t size) {
  return size >= kMagicBytes && static_cast<unsigned char>(data[0]) == 0x1F &&
         static_cast<unsigned char>(data[1]) == 0x8B;
}

// Raw bytes, with the first ones looked at before.
class RawBytes {
 public:
  virtual ~RawBytes() = default;
  virtual Result<std::size_t> read(char* into, std::size_t room) = 0;
};

class FileBytes final : public RawBytes {
 public:
  FileBytes(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  ~FileBytes() override {
    if (fd_ != STDIN_FILENO) close(fd_);
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  Result<std::size_t> read(char* into, std::size_t room) override {
    for (;;) {
      const ssize_t n = ::read(fd_, into, room);
      if (n >= 0) return static_cast<std::size_t>(n);
      if (errno != EINTR)
        return Error{ErrorCode::kInput, path_, std::string("cannot be read: ") + std::strerror(errno), {}};
    }
  }

 private:
  int fd_;
  std::string path_;
};

class MemoryBytes final : public RawBytes {
 public:
  MemoryBytes(const char* data, std::size_t size) : next_(data), left_(size) {}
  Result<std::size_t> read(char* into, std::size_t room) override {
    const std::size_t n = std::min(room, left_);
    if (n > 0) std::memcpy(into, next_, n);
    next_ += n;
    left_ -= n;
    return n;
  }

 private:
  const char* next_;
  std::size_t left_;
};

class PlainSource final : public ByteSource {
 public:
  PlainSource(std::unique_ptr<RawBytes> raw, std::vector<char> head) : raw_(std::move(raw)), head_(std::move(head)) {}
  Result<std::size_t> read(char* into, std::size_t room) override {
    if (used_ < head_.size()) {
      const std::size_t n = std::min(room, head_.size() - used_);
      std::memcpy(into, head_.data() + used_, n);
      used_ += n;
      consumed_ += n;
      return n;
    }
    auto n = raw_->read(into, room);
    if (n) consumed_ += *n;
    return n;
  }
  std::uint64_t consumed() const override { return consumed_; }

 private:
  std::unique_ptr<RawBytes> raw_;
  std::vector<char> head_;
  std::size_t used_ = 0;
  std::atomic<std::uint64_t> consumed_{0};  // read by other threads, for progress
};

class GzipSource final : public ByteSource {
 public:
  GzipSource(std::unique_ptr<RawBytes> raw, const std::vector<char>& head)
      : raw_(std::move(raw)), packed_(kPackedBytes) {
    std::memcpy(packed_.data(), head.data(), head.size());
    inflater_.feed(packed_.data(), head.size());
    consumed_ = head.size();
  }
  Result<std::size_t> read(char* into, std::size_t room) override {
    std::size_t filled = 0;
    while (filled < room && !ended_) {
      const Inflater::Step step = inflater_.inflate(into + filled, room - filled);
      filled += step.produced;
      if (step.state == Inflater::State::kFailed) {
        end(PackingTrouble::Kind::kCorrupt);
      } else if (step.state == Inflater::State::kTrailingGarbage) {
        end(PackingTrouble::Kind::kTrailingBytes);
      } else if (step.state == Inflater::State::kNeedsInput) {
        auto n = raw_->read(packed_.data(), packed_.size());
        if (!n) return n.error();
        if (*n == 0) {
          end(inflater_.at_member_end() ? PackingTrouble::Kind::kNone : PackingTrouble::Kind::kCutShort);
        }
        inflater_.feed(packed_.data(), *n);
        consumed_ += *n;
      }
    }
    return filled;
  }
  PackingTrouble trouble() const override { return trouble_; }
  std::uint64_t consumed() const override { return consumed_; }

 private:
  void end(PackingTrouble::Kind kind) {
    trouble_ = {kind, consumed_ - inflater_.unused()};
    ended_ = true;
  }

  static constexpr std::size_t kPackedBytes = std::size_t{128} << 10;
  std::unique_ptr<RawBytes> raw_;
  std::vector<char> packed_;
  Inflater inflater_;
  PackingTrouble trouble_;
  std::atomic<std::uint64_t> consumed_{0};  // read by other threads, for progress
  bool ended_ = false;
};

Result<OpenedSource> wrap(std::unique_ptr<RawBytes> raw) {
  std::vector<char> head(kMagicBytes);
  std::size_t have = 0;
  while (have < kMagicBytes) {
    const auto n = raw->read(head.data() + have, kMagicBytes - have);
    if (!n) return n.error();
    if (*n == 0) break;
    have += *n;
  }
  head.resize(have);
  OpenedSource out;
  if (is_gzip(head.data(), have)) {
    out.packing = Packing::kGzip;
    out.source = std::make_unique<GzipSource>(std::move(raw), head);
  } else {
    out.source = std::make_unique<PlainSource>(std::move(raw), std::move(head));
  }
  return out;
}

}  // namespace

std::string PackingTrouble::text() const {
  const std::string where = " at byte " + std::to_string(packed_offset) + " of the file";
  switch (kind) {
    case Kind::kNone: return {};
    case Kind::kCutShort: return "the gzip data are cut short" + where;
    case Kind::kCorrupt: return "the gzip data are corrupt" + where;
    case Kind::kTrailingBytes: return "bytes that are no gzip follow the data" + where;
  }
  return {};
}

Result<OpenedSource> open_source(const std::string& path) {
  int fd = STDIN_FILENO;
  std::uint64_t bytes = 0;
  if (path != "-") {
    fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return Error{ErrorCode::kInput, path, std::string("cannot be opened: ") + std::strerror(errno), {}};
    struct stat facts {};
    if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode)) bytes = static_cast<std::uint64_t>(facts.st_size);
  }
  auto opened = wrap(std::make_unique<FileBytes>(fd, path));
  if (opened) {
    opened->file_bytes = bytes;
    if (bytes > 0) opened->file = path;
  }
  return opened;
}

std::unique_ptr<ByteSource> memory_source(const char* data, std::size_t size) {
  return std::move(wrap(std::make_unique<MemoryBytes>(data, size)).value().source);
}

}  // namespace hta::input
