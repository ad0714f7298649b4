#include "byte_sink.h"

#include <cstdio>
#include <stdexcept>

#include <fmt/format.h>
#include <zlib.h>

namespace tracegen {
namespace {

/// Every member but the last holds this much text.
constexpr std::size_t kMemberBytes = std::size_t{64} << 10U;

class File {
 public:
  explicit File(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
    if (file_ == nullptr) throw std::runtime_error(fmt::format("cannot create {}", path));
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (file_ != nullptr) std::fclose(file_);
  }
  void write(const void* data, std::size_t size) {
    if (std::fwrite(data, 1, size, file_) != size) throw std::runtime_error(fmt::format("cannot write {}", path_));
  }
  void close() {
    std::FILE* file = file_;
    file_ = nullptr;
    if (std::fclose(file) != 0) throw std::runtime_error(fmt::format("cannot write {}", path_));
  }

 private:
  std::string path_;
  std::FILE* file_;
};

class PlainFile final : public Backend {
 public:
  explicit PlainFile(const std::string& path) : file_(path) {}
  void write(std::string_view bytes) override { file_.write(bytes.data(), bytes.size()); }
  void finish() override { file_.close(); }

 private:
  File file_;
};

class GzipFile final : public Backend {
 public:
  GzipFile(const std::string& path, int level, int members)
      : file_(path), members_left_(members), room_(kMemberBytes), out_(std::size_t{1} << 18U) {
    constexpr int kGzipFormat = 15 + 16;
    if (deflateInit2(&stream_, level, Z_DEFLATED, kGzipFormat, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::runtime_error("zlib does not start");
    }
  }
  ~GzipFile() override { deflateEnd(&stream_); }

  void write(std::string_view bytes) override {
    while (members_left_ > 1 && bytes.size() >= room_) {
      deflate_all(bytes.substr(0, room_), Z_FINISH);
      next_member();
      bytes.remove_prefix(room_);
      room_ = kMemberBytes;
    }
    if (bytes.empty()) return;
    deflate_all(bytes, Z_NO_FLUSH);
    room_ -= members_left_ > 1 ? bytes.size() : 0;
  }
  void finish() override {
    deflate_all({}, Z_FINISH);
    // A text too short for all members ends in empty ones, which are valid.
    for (; members_left_ > 1;) {
      next_member();
      deflate_all({}, Z_FINISH);
    }
    file_.close();
  }

 private:
  void next_member() {
    --members_left_;
    deflateReset(&stream_);
  }
  void deflate_all(std::string_view bytes, int flush) {
    // zlib's interface is not const, but deflate only reads its input.
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = out_.data();
      stream_.avail_out = static_cast<uInt>(out_.size());
      deflate(&stream_, flush);
      file_.write(out_.data(), out_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  File file_;
  z_stream stream_{};
  int members_left_;
  std::size_t room_;
  std::vector<Bytef> out_;
};

class Counter final : public Backend {
 public:
  void write(std::string_view /*bytes*/) override {}
  void finish() override {}
};

constexpr char kDigitPairs[] =
    "000102030405060708091011121314151617181920212223242526272829303132333435363738394041424344454647484950515253545556"
    "57"
    "58596061626364656667686970717273747576777879808182838485868788899091929394959697989900";

/// Writes `value` right-aligned before `end` and returns its first character.
char* digits_before(char* end, std::uint64_t value) {
  while (value >= 100) {
    const auto pair = (value % 100) * 2;
    value /= 100;
    *--end = kDigitPairs[pair + 1];
    *--end = kDigitPairs[pair];
  }
  if (value >= 10) {
    *--end = kDigitPairs[value * 2 + 1];
    *--end = kDigitPairs[value * 2];
  } else {
    *--end = static_cast<char>('0' + value);
  }
  return end;
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

}  // namespace

std::unique_ptr<Backend> open_file(const std::string& path) {
  return std::make_unique<PlainFile>(path);
}
std::unique_ptr<Backend> open_gzip(const std::string& path, int level, int members) {
  return std::make_unique<GzipFile>(path, level, members);
}
std::unique_ptr<Backend> open_counter() {
  return std::make_unique<Counter>();
}

void ByteSink::put_int(std::int64_t value) {
  char text[24];
  char* const end = text + sizeof text;
  char* begin = digits_before(end, magnitude(value));
  if (value < 0) *--begin = '-';
  put({begin, static_cast<std::size_t>(end - begin)});
}

void ByteSink::put_micros(Nanos ns) {
  char text[28];
  char* const end = text + sizeof text;
  const std::uint64_t value = magnitude(ns);
  const std::uint64_t below = value % 1000;
  char* begin = end;
  *--begin = static_cast<char>('0' + below % 10);
  *--begin = static_cast<char>('0' + below / 10 % 10);
  *--begin = static_cast<char>('0' + below / 100);
  *--begin = '.';
  begin = digits_before(begin, value / 1000);
  if (ns < 0) *--begin = '-';
  put({begin, static_cast<std::size_t>(end - begin)});
}

void ByteSink::put_across(std::string_view text) {
  while (!text.empty()) {
    if (used_ == kCapacity) flush();
    const std::size_t part = std::min(text.size(), kCapacity - used_);
    std::memcpy(buffer_.data() + used_, text.data(), part);
    used_ += part;
    text.remove_prefix(part);
  }
}

void ByteSink::flush() {
  std::size_t keep = used_;
  if (limit_ >= 0) {
    keep = flushed_ >= limit_ ? 0 : std::min(used_, static_cast<std::size_t>(limit_ - flushed_));
  }
  if (keep > 0) backend_.write({buffer_.data(), keep});
  flushed_ += static_cast<std::int64_t>(used_);
  used_ = 0;
}

}  // namespace tracegen
