#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace hta::report {

/// Where rendered bytes go: a buffer that is handed on in large pieces.
class Out {
 public:
  using Write = std::function<void(std::string_view)>;
  explicit Out(Write write) : write_(std::move(write)) { buffer_.reserve(kFlushAt + 4096); }
  ~Out() { flush(); }
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;

  Out& operator<<(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kFlushAt) flush();
    return *this;
  }
  void put(char c) {
    buffer_ += c;
    if (buffer_.size() >= kFlushAt) flush();
  }
  void flush() {
    if (!buffer_.empty()) write_(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kFlushAt = 64 << 10;
  Write write_;
  std::string buffer_;
};

}  // namespace hta::report
