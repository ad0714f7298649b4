#include "chunk_stream.h"

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

ChunkStream::ChunkStream(ByteSource& source, ChunkBuffers& buffers, ReadAhead ahead)
    : source_(source), buffers_(buffers), ahead_(ahead), ring_size_(ahead == ReadAhead::kYes ? kRing : 1) {
  const std::size_t chunk = ahead == ReadAhead::kYes ? kSharedChunk : kOwnChunk;
  const std::size_t bytes = kHeadRoom + chunk + kPadding;
  if (!buffers_.ring.empty() && (buffers_.ring.size() < ring_size_ || buffers_.ring[0]->size() < bytes))
    buffers_.ring.clear();
  while (buffers_.ring.size() < ring_size_) buffers_.ring.push_back(std::make_unique<PageBuffer>(bytes));
  filled_.resize(ring_size_);
  if (ahead_ == ReadAhead::kYes) reader_ = std::thread([this] { run(); });
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
  char* into = buffer.data() + kHeadRoom;
  const std::size_t room = buffer.size() - kHeadRoom - kPadding;
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

void ChunkStream::run() {
  for (;;) {
    std::size_t slot = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stop_ || produced_ - consumed_ < ring_size_; });
      if (stop_) return;
      slot = produced_ % ring_size_;
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

std::optional<std::size_t> ChunkStream::take() {
  if (ended_) return std::nullopt;
  if (ahead_ == ReadAhead::kNo) {
    filled_[0] = fill(*buffers_.ring[0]);
    return 0;
  }
  std::unique_lock lock(mutex_);
  if (holding_) {
    ++consumed_;
    changed_.notify_all();
  }
  holding_ = true;
  changed_.wait(lock, [&] { return produced_ > consumed_; });
  return consumed_ % ring_size_;
}

Result<ChunkStream::Chunk> ChunkStream::next(std::string_view rest) {
  // The rest lies in a buffer that is about to be given back: it must be saved first unless it fits in front of the
  // next.
  char small[kHeadRoom];  // NOLINT: one copy of a partial event, no allocation
  const bool fits = rest.size() <= kHeadRoom;
  const bool in_large = !buffers_.large.empty() && rest.data() >= buffers_.large.data() &&
                        rest.data() < buffers_.large.data() + buffers_.large.size();
  std::vector<char> joined;
  if (fits) {
    if (!rest.empty()) std::memcpy(small, rest.data(), rest.size());
  } else if (in_large) {
    joined = std::move(buffers_.large);
    const std::size_t from = static_cast<std::size_t>(rest.data() - joined.data());
    if (from > 0) std::memmove(joined.data(), joined.data() + from, rest.size());
    joined.resize(rest.size());
  } else {
    joined.assign(rest.begin(), rest.end());
  }
  const std::size_t carried = rest.size();

  const auto slot = take();
  if (!slot) return Chunk{nullptr, nullptr, true};
  Filled& filled = filled_[*slot];
  if (filled.error) {
    ended_ = true;
    return *filled.error;
  }
  char* fresh = buffers_.ring[*slot]->data() + kHeadRoom;
  Chunk chunk;
  chunk.last = filled.size == 0;
  ended_ = chunk.last;
  if (fits) {
    std::memcpy(fresh - carried, small, carried);
    chunk.begin = fresh - carried;
    chunk.end = fresh + filled.size;
  } else {
    joined.reserve(carried + filled.size + kPadding);
    joined.insert(joined.end(), fresh, fresh + filled.size);
    joined.insert(joined.end(), kPadding, '\0');
    buffers_.large = std::move(joined);
    chunk.begin = buffers_.large.data();
    chunk.end = chunk.begin + carried + filled.size;
  }
  return chunk;
}

}  // namespace hta::input
