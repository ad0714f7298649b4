#pragma once
// Where bytes come from: plain or gzip, file or standard input.

#include "hta/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace hta::input {

/// What is wrong with the packing although bytes could be read.
struct PackingTrouble {
  enum class Kind : std::uint8_t { kNone, kCutShort, kCorrupt, kTrailingBytes };
  Kind kind = Kind::kNone;
  std::uint64_t packed_offset = 0;  ///< where in the packed file
  /// What is wrong, as part of a sentence; empty if nothing is.
  std::string text() const;
};

/// A stream of inflated bytes, read once from front to back.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills up to `room` bytes; 0 at the end. Not thread safe, but may be called from another thread than the maker's.
  virtual Result<std::size_t> read(char* into, std::size_t room) = 0;
  /// To be asked when nobody reads any more.
  virtual PackingTrouble trouble() const { return {}; }
  /// Bytes of the file consumed so far (packed size). Thread safe.
  virtual std::uint64_t consumed() const = 0;
};

enum class Packing : std::uint8_t { kPlain, kGzip };

struct OpenedSource {
  std::unique_ptr<ByteSource> source;
  Packing packing = Packing::kPlain;
  std::uint64_t file_bytes = 0;  ///< 0 if not known
  std::string file;              ///< to be opened again, for reading anywhere; empty if it is no regular file
};

/// Opens `path` ("-" is standard input); gzip is recognised by its first bytes, never by the name. Errors: kInput.
Result<OpenedSource> open_source(const std::string& path);

/// A source over bytes in memory (which must outlive it); gzip is recognised as in open_source. For tests.
std::unique_ptr<ByteSource> memory_source(const char* data, std::size_t size);

}  // namespace hta::input
