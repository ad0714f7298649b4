#include "hta/input/excerpts.h"

#include "hta/input/byte_source.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>
#include <system_error>
#include <utility>

#include "chunk_stream.h"

namespace hta::input {
namespace {

Result<OpenedSource> open_again(const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) {
    return Error{ErrorCode::kInput, path == "-" ? "standard input" : path, "cannot be read twice; give a file", {}};
  }
  return open_source(path);
}

template <class T>
std::vector<std::size_t> sorted_order(std::span<const T> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

// Calls take(begin, end, last) with the text piece by piece; it returns what of it must come again, in front of the
// next piece, or nothing if it has seen enough.
template <class Take>
Status for_each_piece(const std::string& path, Take take) {
  auto opened = open_again(path);
  if (!opened) return opened.error();
  ChunkBuffers buffers;
  ChunkStream stream(*opened->source, buffers, ChunkSetting{});
  std::string_view rest;
  for (;;) {
    const auto chunk = stream.next(rest);
    if (!chunk) return chunk.error();
    const char* stop = take(chunk->begin, chunk->end, chunk->last);
    if (chunk->last || stop == nullptr) return {};
    rest = {stop, static_cast<std::size_t>(chunk->end - stop)};
  }
}

class OffsetSink final : public ScanSink {
 public:
  OffsetSink(std::span<const std::uint32_t> positions, std::vector<std::uint64_t>& offsets)
      : positions_(positions), order_(sorted_order(positions)), offsets_(offsets) {}
  void event(const RawEvent& event) override {
    for (; next_ < order_.size() && positions_[order_[next_]] == records_; ++next_)
      offsets_[order_[next_]] = event.offset;
    ++records_;
  }
  void metadata(std::string_view, std::string_view) override {}
  void fault(EventFault, std::uint64_t) override {}
  bool done() const { return next_ == order_.size(); }

 private:
  std::span<const std::uint32_t> positions_;
  std::vector<std::size_t> order_;
  std::vector<std::uint64_t>& offsets_;
  std::size_t next_ = 0;
  std::uint64_t records_ = 0;
};

}  // namespace

Result<std::vector<std::uint64_t>> offsets_of_records(const std::string& path, std::span<const std::uint32_t> positions,
                                                      const ScanLimits& limits) {
  std::vector<std::uint64_t> offsets(positions.size());
  OffsetSink sink(positions, offsets);
  Scanner scanner(ArgSet{}, sink, limits);
  const Status read = for_each_piece(path, [&](const char* begin, const char* end, bool last) -> const char* {
    const char* stop = scanner.scan(begin, end, last ? MoreBytes::kNo : MoreBytes::kYes);
    return sink.done() || scanner.done() ? nullptr : stop;
  });
  if (!read) return read.error();
  if (!sink.done()) return Error{ErrorCode::kInput, path, "has changed since it was read; run hta again", {}};
  return offsets;
}

Result<std::vector<std::string>> read_excerpts(const std::string& path, std::span<const std::uint64_t> offsets,
                                               std::size_t bytes) {
  std::vector<std::string> texts(offsets.size());
  const std::vector<std::size_t> order = sorted_order(offsets);
  std::size_t first_open = 0;  // excerpts before it are complete
  std::uint64_t at = 0;
  const Status read = for_each_piece(path, [&](const char* begin, const char* end, bool) -> const char* {
    const std::uint64_t behind = at + static_cast<std::uint64_t>(end - begin);
    for (std::size_t i = first_open; i < order.size() && offsets[order[i]] < behind; ++i) {
      std::string& text = texts[order[i]];
      const std::uint64_t wanted = offsets[order[i]] + text.size();
      if (wanted < behind && text.size() < bytes) {
        const auto n = std::min<std::uint64_t>(bytes - text.size(), behind - wanted);
        text.append(begin + (wanted - at), static_cast<std::size_t>(n));
      }
    }
    while (first_open < order.size() && texts[order[first_open]].size() == bytes) ++first_open;
    at = behind;
    return first_open == order.size() ? nullptr : end;
  });
  if (!read) return read.error();
  return texts;
}

}  // namespace hta::input
