#pragma once

#include "hta/input/scanner.h"

#include <cstdint>
#include <optional>
#include <string_view>

#include "chunk_stream.h"

namespace hta::input {

/// Feeds the text of a source to a scanner, buffer by buffer.
class Feed {
 public:
  Feed(ByteSource& source, ChunkBuffers& buffers, const ChunkSetting& setting, Scanner& scanner)
      : stream_(std::in_place, source, buffers, setting), scanner_(scanner) {}

  /// Reads and scans the next buffer; the last one when the source has no more, or fails.
  void step();
  /// Offers what is left once more, if there is something: perhaps it is whole by now.
  void offer_rest();
  /// Whether the scanner has had everything, or wants no more.
  bool done() const { return done_; }
  /// Ends the reading, so that the source can be asked.
  void close() { stream_.reset(); }

  /// Whether the scanner has taken all it was given.
  bool nothing_left() const { return rest_.empty(); }
  std::uint64_t text_bytes() const { return text_bytes_; }  ///< scanned
  /// The first bytes of the text, from its first step to the next one.
  std::string_view head() const { return head_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  void scan(const char* begin, const char* end, MoreBytes more);

  std::optional<ChunkStream> stream_;
  Scanner& scanner_;
  std::string_view rest_;
  std::string_view head_;
  std::uint64_t text_bytes_ = 0;
  std::optional<Error> error_;
  bool done_ = false;
};

}  // namespace hta::input
