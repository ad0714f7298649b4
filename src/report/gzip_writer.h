#pragma once

#include "hta/report/out.h"

#include <memory>
#include <string_view>

namespace hta::report {

/// Packs what is written to it into one gzip member on `out`. The same text gives the same bytes.
class GzipWriter {
 public:
  explicit GzipWriter(Out& out);
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  void write(std::string_view text);
  /// Ends the member. Without it the file is cut short.
  void finish();

 private:
  struct Packer;
  void pack(std::string_view text, int flush);

  Out& out_;
  std::unique_ptr<Packer> packer_;
};

}  // namespace hta::report
