#pragma once
// Cuts a ByteSource into buffers for the scanner: the rest of one stands in front of the next, zero bytes behind each.

#include "hta/input/byte_source.h"

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "event_parser.h"

namespace hta::input {

/// Plain memory whose pages are cheap to touch (2 MiB pages where possible). Not initialised.
class PageBuffer {
 public:
  explicit PageBuffer(std::size_t bytes);
  ~PageBuffer();
  PageBuffer(PageBuffer&& other) noexcept;
  PageBuffer& operator=(PageBuffer&&) = delete;
  PageBuffer(const PageBuffer&) = delete;
  PageBuffer& operator=(const PageBuffer&) = delete;
  char* data() { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  char* data_;
  std::size_t bytes_;
};

/// Buffers that outlive one file: a worker keeps them for the next.
struct ChunkBuffers {
  std::vector<std::unique_ptr<PageBuffer>> ring;
  std::vector<char> large;  // for records longer than the head room
};

enum class ReadAhead : std::uint8_t {
  kNo,   ///< read and inflate on the calling thread
  kYes,  ///< on a thread of its own, some buffers ahead
};

class ChunkStream {
 public:
  struct Chunk {
    const char* begin = nullptr;
    const char* end = nullptr;
    bool last = false;
  };

  ChunkStream(ByteSource& source, ChunkBuffers& buffers, ReadAhead ahead);
  ~ChunkStream();
  ChunkStream(const ChunkStream&) = delete;
  ChunkStream& operator=(const ChunkStream&) = delete;

  /// The next bytes with `rest` (of the chunk before) in front; valid until the call after. `last` marks the final one,
  /// which may be empty. Errors of the source are returned once.
  Result<Chunk> next(std::string_view rest);

 private:
  struct Filled {
    std::size_t size = 0;
    std::optional<Error> error;
  };
  Filled fill(PageBuffer& buffer);
  void run();
  std::optional<std::size_t> take();  // index of the next filled buffer

  ByteSource& source_;
  ChunkBuffers& buffers_;
  ReadAhead ahead_;
  std::size_t ring_size_ = 1;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Filled> filled_;
  std::size_t produced_ = 0;
  std::size_t consumed_ = 0;  // buffers given back
  bool stop_ = false;
  bool holding_ = false;
  bool ended_ = false;
  std::thread reader_;
};

}  // namespace hta::input
