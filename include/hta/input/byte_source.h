#pragma once
// Where bytes come from: plain or gzip, file or standard input.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "hta/base/result.h"

namespace hta::input {

/// A stream of inflated bytes, read once from front to back.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills up to `room` bytes; 0 at the end. Not thread safe, but may be called from another thread than the maker's.
  virtual Result<std::size_t> read(char* into, std::size_t room) = 0;
  /// What went wrong with the packing although bytes could be read: a cut or corrupt gzip stream. Empty if nothing.
  virtual std::string trouble() const { return {}; }
  /// Bytes of the file consumed so far (packed size), for progress.
  virtual std::uint64_t consumed() const = 0;
};

enum class Packing : std::uint8_t { kPlain, kGzip };

struct OpenedSource {
  std::unique_ptr<ByteSource> source;
  Packing packing = Packing::kPlain;
  std::uint64_t file_bytes = 0;  ///< 0 if not known
};

/// Opens `path` ("-" is standard input); gzip is recognised by its first bytes, never by the name. Errors: kInput.
Result<OpenedSource> open_source(const std::string& path);

/// A source over bytes in memory (which must outlive it); gzip is recognised as in open_source. For tests.
std::unique_ptr<ByteSource> memory_source(const char* data, std::size_t size);

}  // namespace hta::input
