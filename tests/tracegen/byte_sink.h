#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "random.h"

namespace tracegen {

/// Where the bytes of a file end up.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;
  virtual void write(std::string_view bytes) = 0;
  /// Must be called once, at the end. Throws std::runtime_error when something could not be written.
  virtual void finish() = 0;
};

/// Plain file.
[[nodiscard]] std::unique_ptr<Backend> open_file(const std::string& path);
/// gzip file of `members` members: small ones first, the last takes the rest. Its bytes depend on nothing but the
/// input.
[[nodiscard]] std::unique_ptr<Backend> open_gzip(const std::string& path, int level, int members);
/// Keeps nothing; for measuring.
[[nodiscard]] std::unique_ptr<Backend> open_counter();

/// Buffered writer of text, 1 MiB at a time.
class ByteSink {
 public:
  /// Bytes after the first `limit` are dropped; a negative limit drops none.
  explicit ByteSink(Backend& backend, std::int64_t limit = -1) : backend_(backend), limit_(limit), buffer_(kCapacity) {}
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  void put(char c) {
    if (used_ == kCapacity) flush();
    buffer_[used_++] = c;
  }
  void put(std::string_view text) {
    if (text.size() > kCapacity - used_) {
      put_across(text);
      return;
    }
    std::memcpy(buffer_.data() + used_, text.data(), text.size());
    used_ += text.size();
  }
  void put_int(std::int64_t value);
  /// Microseconds with exactly three decimals.
  void put_micros(Nanos ns);

  void flush();
  /// Bytes put so far, dropped ones included.
  [[nodiscard]] std::int64_t size() const { return flushed_ + static_cast<std::int64_t>(used_); }

 private:
  static constexpr std::size_t kCapacity = std::size_t{1} << 20U;
  void put_across(std::string_view text);

  Backend& backend_;
  std::int64_t limit_;
  std::int64_t flushed_ = 0;
  std::size_t used_ = 0;
  std::vector<char> buffer_;
};

}  // namespace tracegen
