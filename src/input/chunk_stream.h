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
  std::vector<char> large;  ///< for records longer than the head room
};

enum class ReadAhead : std::uint8_t {
  kNo,   ///< read and inflate on the calling thread
  kYes,  ///< on a thread of its own, some buffers ahead
};

struct ChunkSetting {
  ReadAhead ahead = ReadAhead::kNo;
  std::size_t chunk_bytes = 0;  ///< read at once; 0 = what is best
};

class ChunkStream {
 public:
  struct Chunk {
    const char* begin = nullptr;
    const char* end = nullptr;
    bool last = false;
  };

  ChunkStream(ByteSource& source, ChunkBuffers& buffers, const ChunkSetting& setting);
  ~ChunkStream();
  ChunkStream(const ChunkStream&) = delete;
  ChunkStream& operator=(const ChunkStream&) = delete;

  /// The next bytes with `rest` (the tail of the chunk before) in front; valid until the call after. `last` marks the
  /// final one, which has nothing but the rest. An error of the source is returned once, after what was read before it;
  /// `rest` stays as it is then. Copies of `rest` cost O(text) in total as long as at most a constant part of what is
  /// given back is new.
  Result<Chunk> next(std::string_view rest);

 private:
  struct Filled {
    std::size_t size = 0;
    std::optional<Error> error;
  };
  Filled fill(PageBuffer& buffer);
  void read_ahead();
  std::size_t wait_for_next();  // the buffer, filled
  void give_back_previous();
  char* fresh(std::size_t slot) { return buffers_.ring[slot]->data() + head_room_; }
  Chunk join_large(std::string_view rest, std::string_view more);

  ByteSource& source_;
  ChunkBuffers& buffers_;
  ReadAhead ahead_;
  std::size_t head_room_ = 0;
  std::optional<Error> failed_;  // to be told with the next call
  bool ended_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Filled> filled_;  // by slot
  std::size_t produced_ = 0;
  std::size_t taken_ = 0;  // the last of these is in use
  std::size_t released_ = 0;
  bool stop_ = false;
  std::thread reader_;
};

}  // namespace hta::input
