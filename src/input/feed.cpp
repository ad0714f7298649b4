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
  scan(chunk->begin, chunk->end, chunk->last ? MoreBytes::kNo : MoreBytes::kYes);
  done_ = chunk->last || scanner_.done();
}

void Feed::offer_rest() {
  if (rest_.empty()) return;
  scanner_.look_again();
  scan(rest_.data(), rest_.data() + rest_.size(), MoreBytes::kYes);
}

void Feed::scan(const char* begin, const char* end, MoreBytes more) {
  const char* stop = scanner_.scan(begin, end, more);
  text_bytes_ += static_cast<std::uint64_t>(stop - begin);
  rest_ = {stop, static_cast<std::size_t>(end - stop)};
}

}  // namespace hta::input
