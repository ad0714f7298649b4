#include "gzip_writer.h"

#include <array>
#include <cassert>
#include <new>

#include <zlib.h>

namespace hta::report {
namespace {

constexpr int kGzipFormat = 15 + 16;
constexpr int kMemoryLevel = 8;
constexpr std::size_t kLargestPiece = std::size_t{1} << 30;  // zlib counts in 32 bits

}  // namespace

struct GzipWriter::Packer {
  z_stream zlib{};
  std::array<char, std::size_t{64} << 10> packed;
  ~Packer() { deflateEnd(&zlib); }
};

GzipWriter::GzipWriter(Out& out) : out_(out), packer_(std::make_unique<Packer>()) {
  // Traces are repetitive: the fastest level packs them nearly as well as the others do.
  const int code =
      deflateInit2(&packer_->zlib, Z_BEST_SPEED, Z_DEFLATED, kGzipFormat, kMemoryLevel, Z_DEFAULT_STRATEGY);
  if (code != Z_OK) throw std::bad_alloc();
}
GzipWriter::~GzipWriter() = default;

void GzipWriter::write(std::string_view text) {
  for (; text.size() > kLargestPiece; text.remove_prefix(kLargestPiece))
    pack(text.substr(0, kLargestPiece), Z_NO_FLUSH);
  pack(text, Z_NO_FLUSH);
}

void GzipWriter::finish() {
  pack({}, Z_FINISH);
}

void GzipWriter::pack(std::string_view text, int flush) {
  z_stream& zlib = packer_->zlib;
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // NOLINT: the C interface is not const
  zlib.avail_in = static_cast<uInt>(text.size());
  do {
    zlib.next_out = reinterpret_cast<Bytef*>(packer_->packed.data());
    zlib.avail_out = static_cast<uInt>(packer_->packed.size());
    [[maybe_unused]] const int code = deflate(&zlib, flush);
    assert(code != Z_STREAM_ERROR);
    out_ << std::string_view(packer_->packed.data(), packer_->packed.size() - zlib.avail_out);
  } while (zlib.avail_out == 0);
}

}  // namespace hta::report
