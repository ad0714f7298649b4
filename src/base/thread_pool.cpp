#include "hta/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace hta {

std::size_t thread_count(std::size_t requested) {
  if (requested > 0) return requested;
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t items, std::size_t threads,
                  const std::function<void(std::size_t item, std::size_t worker)>& work) {
  threads = std::min(std::max<std::size_t>(1, threads), items);
  if (threads <= 1) {
    for (std::size_t item = 0; item < items; ++item) work(item, 0);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::mutex failure_mutex;
  std::exception_ptr failure;
  const auto run = [&](std::size_t worker) {
    try {
      for (std::size_t item = next.fetch_add(1); item < items; item = next.fetch_add(1)) work(item, worker);
    } catch (...) {
      next.store(items);
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  others.reserve(threads - 1);
  for (std::size_t worker = 1; worker < threads; ++worker) others.emplace_back(run, worker);
  run(0);
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace hta
