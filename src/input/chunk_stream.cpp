#include "chunk_stream.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace hta::input {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kHeadRoom = std::size_t{64} << 10;
// Two threads pass whole buffers to each other, so large ones pay; one thread alone wants them to stay in its cache.
constexpr std::size_t kSharedChunk = (std::size_t{512} << 10) - kHeadRoom - kPadding;
constexpr std::size_t kOwnChunk = (std::size_t{256} << 10) - kHeadRoom - kPadding;
constexpr std::size_t kRing = 4;

}  // namespace

PageBuffer::PageBuffer(std::size_t bytes) : data_(nullptr), bytes_(bytes) {
  void* raw = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) throw std::bad_alloc();
  if (bytes >= kHugePage) madvise(raw, bytes, MADV_HUGEPAGE);
  data_ = static_cast<char*>(raw);
}
PageBuffer::~PageBuffer() {
  if (data_ != nullptr) munmap(data_, bytes_);
}
PageBuffer::PageBuffer(PageBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

ChunkStream::ChunkStream(ByteSource& source, ChunkBuffers& buffers, const ChunkSetting& setting)
    : source_(source), buffers_(buffers), ahead_(setting.ahead) {
  const std::size_t usual = ahead_ == ReadAhead::kYes ? kSharedChunk : kOwnChunk;
  const std::size_t chunk = setting.chunk_bytes > 0 ? setting.chunk_bytes : usual;
  head_room_ = std::min(kHeadRoom, chunk);
  const std::size_t bytes = head_room_ + chunk + kPadding;
  const std::size_t slots = ahead_ == ReadAhead::kYes ? kRing : 1;
  auto& ring = buffers_.ring;
  const bool usable =
      ring.size() >= slots && (ring[0]->size() == bytes || (setting.chunk_bytes == 0 && ring[0]->size() > bytes));
  if (!usable) ring.clear();
  while (ring.size() < slots) ring.push_back(std::make_unique<PageBuffer>(bytes));
  filled_.resize(slots);
  if (ahead_ == ReadAhead::kYes) reader_ = std::thread([this] { read_ahead(); });
}

ChunkStream::~ChunkStream() {
  if (!reader_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  reader_.join();
}

ChunkStream::Filled ChunkStream::fill(PageBuffer& buffer) {
  Filled filled;
  char* into = buffer.data() + head_room_;
  const std::size_t room = buffer.size() - head_room_ - kPadding;
  while (filled.size < room) {
    auto n = source_.read(into + filled.size, room - filled.size);
    if (!n) {
      filled.error = n.error();
      break;
    }
    if (*n == 0) break;
    filled.size += *n;
  }
  std::memset(into + filled.size, 0, kPadding);
  return filled;
}

void ChunkStream::read_ahead() {
  for (;;) {
    std::size_t slot = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stop_ || produced_ - released_ < filled_.size(); });
      if (stop_) return;
      slot = produced_ % filled_.size();
    }
    Filled filled = fill(*buffers_.ring[slot]);
    const bool end = filled.size == 0 || filled.error;
    {
      const std::lock_guard lock(mutex_);
      filled_[slot] = std::move(filled);
      ++produced_;
    }
    changed_.notify_all();
    if (end) return;
  }
}

std::size_t ChunkStream::wait_for_next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return produced_ > taken_; });
  return taken_++ % filled_.size();
}

void ChunkStream::give_back_previous() {
  {
    const std::lock_guard lock(mutex_);
    released_ = taken_ - 1;
  }
  changed_.notify_all();
}

Result<ChunkStream::Chunk> ChunkStream::next(std::string_view rest) {
  if (failed_) return *std::exchange(failed_, std::nullopt);
  if (ended_) return Chunk{rest.data(), rest.data() + rest.size(), true};
  const bool fits = rest.size() <= head_room_;
  std::size_t slot = 0;
  if (ahead_ == ReadAhead::kYes) {
    slot = wait_for_next();
    if (fits && !rest.empty()) std::memcpy(fresh(slot) - rest.size(), rest.data(), rest.size());
    if (fits) give_back_previous();
  } else {
    // The one buffer is filled again: what of it is still needed leaves first.
    if (fits && !rest.empty()) std::memmove(fresh(slot) - rest.size(), rest.data(), rest.size());
    if (!fits) {
      const Chunk kept = join_large(rest, {});
      rest = {kept.begin, rest.size()};
    }
    filled_[slot] = fill(*buffers_.ring[slot]);
  }
  Filled& filled = filled_[slot];
  failed_ = std::exchange(filled.error, std::nullopt);
  ended_ = filled.size == 0 || failed_;
  Chunk chunk{fresh(slot) - rest.size(), fresh(slot) + filled.size, ended_ && !failed_};
  if (!fits) {
    chunk = join_large(rest, {fresh(slot), filled.size});
    chunk.last = ended_ && !failed_;
    if (ahead_ == ReadAhead::kYes) give_back_previous();
  }
  return chunk;
}

// `rest` and then `more` in the buffer for large records, where `rest` may be already.
ChunkStream::Chunk ChunkStream::join_large(std::string_view rest, std::string_view more) {
  std::vector<char>& large = buffers_.large;
  const bool inside = !large.empty() && rest.data() >= large.data() && rest.data() < large.data() + large.size();
  if (inside) {
    const auto from = static_cast<std::size_t>(rest.data() - large.data());
    if (from > 0) std::memmove(large.data(), rest.data(), rest.size());
    large.resize(rest.size());
  } else {
    large.assign(rest.begin(), rest.end());
  }
  large.insert(large.end(), more.begin(), more.end());
  large.insert(large.end(), kPadding, '\0');
  return {large.data(), large.data() + rest.size() + more.size(), false};
}

}  // namespace hta::input
