#include "hta/input/memory_timeline.h"

#include "hta/input/byte_source.h"

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include <rapidjson/error/error.h>
#include <rapidjson/reader.h>

namespace hta::input {
namespace {

constexpr std::size_t kFields = 4;
enum Field : std::size_t { kTime, kAction, kBytes, kCategory };

// A ByteSource as RapidJSON wants to read it.
class Stream {
 public:
  using Ch = char;
  explicit Stream(ByteSource& source) : source_(source), buffer_(kRoom) { fill(); }
  Ch Peek() const { return at_ < filled_ ? buffer_[at_] : '\0'; }
  Ch Take() {
    const Ch c = Peek();
    if (at_ < filled_ && ++at_ == filled_) fill();
    return c;
  }
  std::size_t Tell() const { return before_ + at_; }
  // The rest of the concept is for writers; parsing without in-situ strings never calls it.
  Ch* PutBegin() { return nullptr; }
  void Put(Ch) {}
  std::size_t PutEnd(Ch*) { return 0; }
  const std::optional<Error>& error() const { return error_; }

 private:
  static constexpr std::size_t kRoom = std::size_t{256} << 10;
  void fill() {
    before_ += filled_;
    at_ = filled_ = 0;
    auto n = source_.read(buffer_.data(), buffer_.size());
    if (n) filled_ = *n;
    else error_ = n.error();
  }
  ByteSource& source_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  std::size_t before_ = 0;
  std::optional<Error> error_;
};

// Takes whole entries; stops at whatever is none.
class Entries : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Entries> {
 public:
  explicit Entries(MemoryTimeline& into) : into_(into) {}
  bool Default() { return false; }
  bool StartArray() { return ++depth_ <= 2; }
  bool EndArray(rapidjson::SizeType) {
    if (--depth_ == 0) return true;
    if (count_ != kFields) return false;
    const bool known = fields_[kCategory] >= 0 && fields_[kCategory] < static_cast<std::int64_t>(kUnknownMemory);
    into_.entries.push_back(
        {fields_[kTime], fields_[kBytes], known ? static_cast<std::size_t>(fields_[kCategory]) : kUnknownMemory});
    count_ = 0;
    return true;
  }
  bool Int(int value) { return number(value); }
  bool Uint(unsigned value) { return number(value); }
  bool Int64(std::int64_t value) { return number(value); }
  bool Uint64(std::uint64_t value) { return value <= INT64_MAX && number(static_cast<std::int64_t>(value)); }

 private:
  bool number(std::int64_t value) {
    if (depth_ != 2 || count_ == kFields) return false;
    fields_[count_++] = value;
    return true;
  }
  MemoryTimeline& into_;
  std::array<std::int64_t, kFields> fields_{};
  std::size_t count_ = 0;
  int depth_ = 0;
};

}  // namespace

bool is_memory_timeline(const std::string& path) {
  if (path == "-") return false;
  const auto opened = open_source(path);
  if (!opened) return false;
  std::array<char, 64> head{};
  std::size_t filled = 0;
  for (std::size_t n = 1; n > 0; filled += n) {
    const auto read = opened->source->read(head.data() + filled, head.size() - filled);
    n = read ? *read : 0;
  }
  std::size_t brackets = 0;
  for (std::size_t i = 0; i < filled; ++i) {
    const char c = head[i];
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    if (c != '[') return brackets == 2 && (c == '-' || (c >= '0' && c <= '9'));
    ++brackets;
  }
  return false;
}

Result<LoadedTimeline> read_memory_timeline(const std::string& path) {
  auto opened = open_source(path);
  if (!opened) return opened.error();
  LoadedTimeline loaded;
  Stream stream(*opened->source);
  Entries entries(loaded.timeline);
  rapidjson::Reader reader;
  const rapidjson::ParseResult parsed = reader.Parse(stream, entries);
  if (stream.error()) return *stream.error();
  loaded.damaged = parsed.IsError() || opened->source->trouble().kind != PackingTrouble::Kind::kNone;
  if (loaded.timeline.entries.empty() && loaded.damaged) {
    return Error{
        ErrorCode::kInput, path, "is no raw memory timeline; export it to a name that ends in .raw.json.gz", {}};
  }
  return loaded;
}

}  // namespace hta::input
