#pragma once
// Growable storage for one column of plain values, made for millions of rows.

#include "hta/base/ids.h"

#include <cassert>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace hta {

namespace detail {
/// Grows a block of `old_bytes` to `new_bytes` (contents kept); `old == nullptr` allocates. Small blocks live on the
/// heap; large ones are mapped in 2 MiB pages and grow by remapping, so growing neither copies nor holds both sizes at
/// once. Both sizes are what an earlier call was given. Throws std::bad_alloc.
void* grow_block(void* old, std::size_t old_bytes, std::size_t new_bytes);
void free_block(void* block, std::size_t bytes) noexcept;
/// Gives the memory behind the first `used_bytes` back to the system; the block keeps its size, the rest of it is lost.
void trim_block(void* block, std::size_t used_bytes, std::size_t bytes) noexcept;
}  // namespace detail

/// A column of `T` indexed by `Index` (a strong id). Move-only. clear() keeps the memory for the next rank.
template <class Index, class T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;
  Column(Column&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Column& operator=(Column&& other) noexcept {
    if (this != &other) {
      detail::free_block(data_, capacity_ * sizeof(T));
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, 0);
    }
    return *this;
  }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;
  ~Column() { detail::free_block(data_, capacity_ * sizeof(T)); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](Index i) {
    assert(i.value() < size_);
    return data_[i.value()];
  }
  const T& operator[](Index i) const {
    assert(i.value() < size_);
    return data_[i.value()];
  }
  T* data() { return data_; }
  const T* data() const { return data_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  T& back() {
    assert(size_ > 0);
    return data_[size_ - 1];
  }
  /// Valid until the column grows.
  std::span<const T> view() const { return {data_, size_}; }

  void push_back(T value) {
    if (size_ == capacity_) reserve(capacity_ == 0 ? 64 : capacity_ * 2);
    data_[size_++] = value;
  }
  void reserve(std::size_t rows) {
    if (rows <= capacity_) return;
    data_ = static_cast<T*>(detail::grow_block(data_, capacity_ * sizeof(T), rows * sizeof(T)));
    capacity_ = rows;
  }
  /// New rows are zero-filled only where `fill` says so.
  void resize(std::size_t rows, T fill = T{}) {
    reserve(rows);
    for (std::size_t i = size_; i < rows; ++i) data_[i] = fill;
    size_ = rows;
  }
  void clear() { size_ = 0; }
  /// Gives the memory behind the last row back to the system: up to 2 MiB, and what earlier contents needed.
  void trim() { detail::trim_block(data_, size_ * sizeof(T), capacity_ * sizeof(T)); }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// All ids of a table of `n` rows, for range-for.
template <class Index>
class IdRange {
 public:
  explicit IdRange(std::size_t n) : n_(n) {}
  struct Iterator {
    std::size_t i;
    Index operator*() const { return Index(i); }
    Iterator& operator++() {
      ++i;
      return *this;
    }
    bool operator==(const Iterator&) const = default;
  };
  Iterator begin() const { return {0}; }
  Iterator end() const { return {n_}; }

 private:
  std::size_t n_;
};

}  // namespace hta
