// Any text, cut into buffers in any way: no crash, offsets inside the text, and the same records however it was cut.

#include "hta/input/scanner.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace hta;
using namespace hta::input;

namespace {

constexpr std::size_t kPaddingBytes = 64;

void require(bool condition) {
  if (!condition) std::abort();
}

// Writes down what the scanner finds, so that two runs can be compared.
class Recorder final : public ScanSink {
 public:
  explicit Recorder(std::size_t size) : size_(size) {}
  void event(const RawEvent& event) override {
    require(event.offset < size_);
    found += std::to_string(event.offset) + event.phase + std::string(event.name.text) + "|" +
             std::string(event.category.text) + "|" + std::to_string(event.time.nanos) + "|" +
             std::to_string(event.dur.nanos) + "|" + std::to_string(event.arg_count) + "\n";
  }
  void metadata(std::string_view key, std::string_view json) override {
    found += std::string(key) + ":" + std::string(json) + "\n";
  }
  void fault(EventFault fault, std::uint64_t offset) override {
    require(offset <= size_);
    found += event_fault_text(fault);
    found += std::to_string(offset) + "\n";
  }
  std::string found;

 private:
  std::size_t size_;
};

std::string scanned(const std::uint8_t* data, std::size_t size, std::size_t chunk) {
  Recorder recorder(size);
  Scanner scanner({ArgKey::kDevice, ArgKey::kStream, ArgKey::kCorrelation, ArgKey::kInputDims}, recorder, {});
  std::vector<char> buffer;
  std::size_t given = 0;
  for (;;) {
    const std::size_t fresh = std::min(chunk, size - given);
    buffer.insert(buffer.end(), data + given, data + given + fresh);
    given += fresh;
    const bool last = fresh == 0;
    const std::size_t length = buffer.size();
    buffer.resize(length + kPaddingBytes, '\0');
    const char* stop = scanner.scan(buffer.data(), buffer.data() + length, last ? MoreBytes::kNo : MoreBytes::kYes);
    require(stop >= buffer.data() && stop <= buffer.data() + length);
    buffer.resize(length);
    buffer.erase(buffer.begin(), buffer.begin() + (stop - buffer.data()));
    if (last) {
      require(buffer.empty());
      return recorder.found;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string whole = scanned(data, size, size + 1);
  require(scanned(data, size, 7) == whole);
  require(scanned(data, size, 256) == whole);
  return 0;
}
