#pragma once

#include "hta/cli/command.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace hta::cli {

/// A progress line on standard error, if that is a terminal and the work takes long enough to wonder.
class Progress {
 public:
  Progress(const std::vector<std::string>& files, const CommonOptions& common);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  input::LoadProgress* counters() { return &counters_; }

 private:
  void show();

  input::LoadProgress counters_;
  std::size_t files_;
  std::uint64_t bytes_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace hta::cli
