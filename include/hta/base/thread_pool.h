#pragma once

#include <cstddef>
#include <functional>

namespace hta {

/// Number of threads to use for `requested` (0 = one per core).
std::size_t thread_count(std::size_t requested);

/// Calls `work(item, worker)` for every item in [0, items), on up to `threads` threads; items are taken in order,
/// worker is in [0, threads). Returns when all are done; an exception of any call is rethrown after the others have
/// stopped.
void parallel_for(std::size_t items, std::size_t threads,
                  const std::function<void(std::size_t item, std::size_t worker)>& work);

}  // namespace hta
