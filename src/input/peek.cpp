#include "peek.h"

#include "hta/input/byte_source.h"
#include "hta/input/scanner.h"

#include <cstddef>
#include <filesystem>
#include <system_error>
#include <vector>

#include "event_parser.h"
#include "metadata.h"

namespace hta::input {
namespace {

constexpr std::size_t kHeadBytes = std::size_t{256} << 10;

// Metadata in front of the first record; what follows is of no interest.
class HeadSink final : public ScanSink {
 public:
  void event(const RawEvent&) override { in_head_ = false; }
  void metadata(std::string_view key, std::string_view json) override {
    if (in_head_ && read_metadata(key, json, info) == MetadataOutcome::kUnreadable) in_head_ = false;
  }
  void fault(EventFault, std::uint64_t) override { in_head_ = false; }

  TraceInfo info;

 private:
  bool in_head_ = true;
};

}  // namespace

std::optional<TraceInfo> peek_info(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  auto opened = open_source(path);
  if (!opened) return std::nullopt;
  std::vector<char> head(kHeadBytes + kPadding);
  std::size_t size = 0;
  while (size < kHeadBytes) {
    const auto n = opened->source->read(head.data() + size, kHeadBytes - size);
    if (!n || *n == 0) break;
    size += *n;
  }
  HeadSink sink;
  Scanner scanner(ArgSet{}, sink);
  scanner.scan(head.data(), head.data() + size, MoreBytes::kYes);
  if (!sink.info.rank || *sink.info.rank < 0) return std::nullopt;
  return sink.info;
}

}  // namespace hta::input
