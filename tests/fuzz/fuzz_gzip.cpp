// Packed bytes: never more than zlib unpacks, the same in every room, and a cut packing gives a part of the whole.
#include "hta/input/byte_source.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "expect.h"
#include "support/random.h"
#include <zlib.h>

namespace {

using hta::fuzz::expect;

constexpr std::size_t kMostBytes = std::size_t{4} << 20;

struct Unpacked {
  std::string text;
  hta::input::PackingTrouble trouble;
};

template <class Room>
Unpacked unpack(std::string_view packed, Room room) {
  const auto source = hta::input::memory_source(packed.data(), packed.size());
  Unpacked out;
  std::string piece;
  for (;;) {
    piece.resize(room());
    const auto n = source->read(piece.data(), piece.size());
    expect(n.ok(), "memory cannot be read");
    expect(*n <= piece.size(), "more bytes than there is room for");
    if (*n == 0 || out.text.size() > kMostBytes) break;
    out.text.append(piece, 0, *n);
  }
  out.trouble = source->trouble();
  expect(out.trouble.packed_offset <= packed.size(), "trouble outside of the file");
  return out;
}

std::string packed(std::string_view text) {
  z_stream zlib{};
  expect(deflateInit2(&zlib, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib");
  std::string out(deflateBound(&zlib, text.size()) + 64, '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  zlib.avail_in = static_cast<uInt>(text.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  expect(deflate(&zlib, Z_FINISH) == Z_STREAM_END, "zlib");
  out.resize(zlib.total_out);
  deflateEnd(&zlib);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  hta::test::Random random(data[0]);
  const auto large = [] { return std::size_t{64} << 10; };
  const auto small = [&] { return static_cast<std::size_t>(random.in(1, 1 + 8 * data[0])); };

  // As a file of unknown kind.
  const Unpacked whole = unpack(bytes, large);
  if (whole.text.size() < kMostBytes) {
    const Unpacked again = unpack(bytes, small);
    expect(again.text == whole.text, "what is unpacked depends on the room");
    expect(again.trouble.kind == whole.trouble.kind, "trouble depends on the room");
  }

  // As text to pack, in two members, and cut.
  const std::size_t half = bytes.size() / 2;
  const std::string both = packed(bytes.substr(0, half)) + packed(bytes.substr(half));
  const Unpacked text = unpack(both, small);
  expect(text.text == bytes && text.trouble.kind == hta::input::PackingTrouble::Kind::kNone,
         "packed text does not come back");
  const auto kept = static_cast<std::size_t>(random.in(2, static_cast<std::int64_t>(both.size())));
  const Unpacked part = unpack(std::string_view(both).substr(0, kept), large);
  expect(bytes.starts_with(part.text), "a cut packing gives other text");
  return 0;
}
