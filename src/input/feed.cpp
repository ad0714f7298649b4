#include "feed.h"

namespace hta::input {

void Feed::step() {
  auto chunk = stream_->next(rest_);
  if (!chunk) {
    error_ = chunk.error();
    chunk = ChunkStream::Chunk{rest_.data(), rest_.data() + rest_.size(), true};
  }
  const auto size = static_cast<std::size_t>(chunk->end - chunk->begin);
  head_ = text_bytes_ == 0 && rest_.empty() ? std::string_view(chunk->begin, size) : std::string_view();
  const char* stop = scanner_.scan(chunk->begin, chunk->end, chunk->last ? MoreBytes::kNo : MoreBytes::kYes);
  text_bytes_ += static_cast<std::uint64_t>(stop - chunk->begin);
  rest_ = {stop, static_cast<std::size_t>(chunk->end - stop)};
  done_ = chunk->last || scanner_.done();
}

}  // namespace hta::input
