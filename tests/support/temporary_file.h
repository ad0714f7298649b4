#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>

namespace hta::test {

/// A file of these bytes for the time of a test.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view bytes = {})
      : path_((std::filesystem::temp_directory_path() / "hta-test-XXXXXX.json").string()) {
    constexpr int kSuffix = 5;
    const int fd = mkstemps(path_.data(), kSuffix);
    if (fd < 0) throw std::runtime_error("no temporary file can be made: " + path_);
    close(fd);
    write(bytes);
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::string_view bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace hta::test
