#include "chunk_stream.h"

#include <string>

#include <catch2/catch.hpp>

namespace hta::input {
namespace {

// Gives `text` in pieces of at most `piece` bytes, then fails if it has to.
class Pieces final : public ByteSource {
 public:
  Pieces(std::string text, std::size_t piece, bool fails = false)
      : text_(std::move(text)), piece_(piece), fails_(fails) {}
  Result<std::size_t> read(char* into, std::size_t room) override {
    const std::size_t n = std::min({room, piece_, text_.size() - used_});
    if (n == 0 && fails_) return Error{ErrorCode::kInput, "pieces", "cannot be read: broken", {}};
    text_.copy(into, n, used_);
    used_ += n;
    return n;
  }
  std::uint64_t consumed() const override { return used_; }

 private:
  std::string text_;
  std::size_t piece_;
  bool fails_;
  std::size_t used_ = 0;
};

std::string numbers(std::size_t lines) {
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) text += std::to_string(i) + "\n";
  return text;
}

// Takes lines as a scanner would: whole ones only, but none before `hold` bytes of text are there.
std::string taken(ByteSource& source, const ChunkSetting& setting, std::size_t hold = 0) {
  ChunkBuffers buffers;
  ChunkStream stream(source, buffers, setting);
  std::string out;
  std::string_view rest;
  for (;;) {
    const std::string before(rest);
    const auto chunk = stream.next(rest);
    REQUIRE(chunk);
    const std::string_view text(chunk->begin, static_cast<std::size_t>(chunk->end - chunk->begin));
    REQUIRE(text.starts_with(before));
    for (std::size_t i = 0; i < kPadding; ++i) REQUIRE(chunk->end[i] == '\0');
    if (chunk->last) return out + std::string(text);
    const std::size_t whole = text.size() < hold ? 0 : text.rfind('\n') + 1;
    out += text.substr(0, whole);
    rest = text.substr(whole);
  }
}

}  // namespace

TEST_CASE("chunk stream: all bytes arrive, the rest of a chunk in front of the next one") {
  const std::string text = numbers(5000);
  for (const ReadAhead ahead : {ReadAhead::kNo, ReadAhead::kYes}) {
    for (const std::size_t chunk : {std::size_t{3}, std::size_t{100}, std::size_t{0}}) {
      for (const std::size_t piece : {std::size_t{7}, std::size_t{100'000}}) {
        Pieces source(text, piece);
        INFO("chunk " << chunk << ", pieces " << piece);
        CHECK(taken(source, {ahead, chunk}) == text);
      }
    }
  }
}

TEST_CASE("chunk stream: a rest larger than the room in front of a chunk is carried along") {
  const std::string text = numbers(20'000);
  for (const ReadAhead ahead : {ReadAhead::kNo, ReadAhead::kYes}) {
    Pieces source(text, 1000);
    CHECK(taken(source, {ahead, 512}, 60'000) == text);
  }
}

TEST_CASE("chunk stream: an error is told after the bytes before it, and leaves the rest as it is") {
  for (const ReadAhead ahead : {ReadAhead::kNo, ReadAhead::kYes}) {
    Pieces source("12\n34", 100, true);
    ChunkBuffers buffers;
    ChunkStream stream(source, buffers, {ahead, 64});
    const auto chunk = stream.next({});
    REQUIRE(chunk);
    CHECK_FALSE(chunk->last);
    const std::string_view rest(chunk->begin + 3, 2);
    const auto failed = stream.next(rest);
    REQUIRE_FALSE(failed);
    CHECK(failed.error().message == "cannot be read: broken");
    CHECK(rest == "34");
  }
}

TEST_CASE("chunk stream: it can be dropped while the reader is ahead") {
  Pieces source(numbers(100'000), 1000);
  ChunkBuffers buffers;
  ChunkStream stream(source, buffers, {ReadAhead::kYes, 256});
  CHECK(stream.next({}));
}

}  // namespace hta::input
