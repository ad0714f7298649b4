#include "hta/base/column.h"

#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace hta::detail {
namespace {

// Fresh 4 KiB pages are dear, above all on virtual machines; 2 MiB pages make them cheap. Below this size the heap is
// better: a small trace then touches only what it needs.
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kMapFrom = kHugePage;

constexpr std::size_t kPage = 4096;

std::size_t rounded(std::size_t bytes, std::size_t unit = kHugePage) {
  return (bytes + unit - 1) / unit * unit;
}

// Maps `bytes` (a multiple of kHugePage) at an address that is a multiple of kHugePage, else the kernel cannot use huge
// pages.
void* map_aligned(std::size_t bytes) {
  const std::size_t padded = bytes + kHugePage;
  void* raw = mmap(nullptr, padded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) throw std::bad_alloc();
  auto* first = static_cast<char*>(raw);
  const auto misfit = reinterpret_cast<std::uintptr_t>(first) % kHugePage;  // NOLINT: alignment needs the number
  char* start = misfit == 0 ? first : first + (kHugePage - misfit);
  if (start > first) munmap(first, static_cast<std::size_t>(start - first));
  if (char* end = start + bytes; end < first + padded) munmap(end, static_cast<std::size_t>(first + padded - end));
  madvise(start, bytes, MADV_HUGEPAGE);
  return start;
}

}  // namespace

void* grow_block(void* old, std::size_t old_bytes, std::size_t new_bytes) {
  if (new_bytes < kMapFrom) {
    void* block = std::realloc(old, new_bytes);
    if (block == nullptr) throw std::bad_alloc();
    return block;
  }
  if (old != nullptr && old_bytes >= kMapFrom && rounded(old_bytes) == rounded(new_bytes)) return old;
  void* block = map_aligned(rounded(new_bytes));
  if (old == nullptr) return block;
  if (old_bytes < kMapFrom) {
    std::memcpy(block, old, old_bytes);
    std::free(old);
    return block;
  }
  // Moves the pages themselves: the old range becomes the front of the new one.
  if (mremap(old, rounded(old_bytes), rounded(old_bytes), MREMAP_MAYMOVE | MREMAP_FIXED, block) == MAP_FAILED) {
    munmap(block, rounded(new_bytes));
    throw std::bad_alloc();
  }
  return block;
}

void trim_block(void* block, std::size_t used_bytes, std::size_t bytes) noexcept {
  if (bytes < kMapFrom) return;
  const std::size_t kept = rounded(used_bytes, kPage);
  if (kept < rounded(bytes)) madvise(static_cast<char*>(block) + kept, rounded(bytes) - kept, MADV_DONTNEED);
}

void free_block(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return;
  if (bytes >= kMapFrom) munmap(block, rounded(bytes));
  else std::free(block);
}

}  // namespace hta::detail
