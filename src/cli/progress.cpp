#include "progress.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

namespace hta::cli {
namespace {
constexpr auto kPatience = std::chrono::milliseconds(500);
constexpr auto kEvery = std::chrono::milliseconds(200);
}  // namespace

Progress::Progress(const std::vector<std::string>& files, const CommonOptions& common) : files_(files.size()) {
  if (common.no_progress || common.quiet || isatty(STDERR_FILENO) == 0) return;
  for (const std::string& file : files) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    if (!error) bytes_ += size;
  }
  thread_ = std::thread([this] { show(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Progress::show() {
  std::unique_lock lock(mutex_);
  auto pause = kPatience;
  bool shown = false;
  while (!changed_.wait_for(lock, pause, [&] { return stop_; })) {
    const std::uint64_t read = counters_.packed_bytes.load();
    const std::uint64_t percent = bytes_ > 0 ? std::min<std::uint64_t>(100, read * 100 / bytes_) : 0;
    fmt::print(stderr, "\r\033[Kreading: {} of {} files, {} % of {} MB", counters_.files_done.load(), files_, percent,
               bytes_ / 1'000'000);
    std::fflush(stderr);
    shown = true;
    pause = kEvery;
  }
  if (shown) {
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
  }
}

}  // namespace hta::cli
