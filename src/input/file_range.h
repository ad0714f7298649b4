#pragma once

#include "hta/input/byte_source.h"

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>

namespace hta::input {

/// The bytes of a plain file from one offset up to another that can be moved on.
class FileRange final : public ByteSource {
 public:
  /// Errors: kInput.
  static Result<std::unique_ptr<FileRange>> open(const std::string& path, std::uint64_t begin);
  ~FileRange() override;
  FileRange(const FileRange&) = delete;
  FileRange& operator=(const FileRange&) = delete;

  static constexpr std::uint64_t kToTheEnd = std::numeric_limits<std::uint64_t>::max();
  /// Where read() stops as if the file ended there.
  void stop_at(std::uint64_t offset) { stop_ = offset; }
  /// The offset of the next byte.
  std::uint64_t next() const { return next_.load(std::memory_order_relaxed); }

  Result<std::size_t> read(char* into, std::size_t room) override;
  std::uint64_t consumed() const override { return next() - begin_; }

 private:
  FileRange(int file, std::string path, std::uint64_t begin);

  int file_;
  std::string path_;
  std::uint64_t begin_;
  std::uint64_t stop_ = kToTheEnd;
  std::atomic<std::uint64_t> next_;
};

}  // namespace hta::input
