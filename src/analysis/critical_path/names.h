#pragma once
// What the name of an event says, worked out once for each distinct text.

#include "hta/base/ids.h"
#include "hta/model/string_table.h"

#include <cstdint>
#include <regex>
#include <vector>

namespace hta::analysis::critical_path {

/// What a call of this name waits for, if it waits.
enum class WaitKind : std::uint8_t {
  kNone,
  kEvent,   ///< for a recorded event
  kStream,  ///< for a stream
  kDevice,  ///< for everything
  kCopy,    ///< for its own copy, if it has one and blocks
};

class NameTraits {
 public:
  /// `loader`: names of further data-loading events; may be null. O(texts).
  NameTraits(const StringTable& strings, const std::regex* loader);

  bool is_step(StringId name) const { return has(name, kStep); }               ///< exactly ProfilerStep#N
  bool is_autograd(StringId name) const { return has(name, kAutograd); }       ///< evaluates a backward function
  bool is_loader(StringId name) const { return has(name, kLoader); }           ///< data loading, whatever the category
  bool is_loader_file(StringId name) const { return has(name, kLoaderFile); }  ///< of python frames only
  bool is_async(StringId name) const { return has(name, kAsync); }
  bool is_pageable(StringId name) const { return has(name, kPageable); }
  bool is_synchronize(StringId name) const { return has(name, kSynchronize); }
  WaitKind wait(StringId name) const { return name.valid() ? waits_[name.value()] : WaitKind::kNone; }

 private:
  enum Bit : std::uint8_t {
    kStep = 1,
    kAutograd = 2,
    kLoader = 4,
    kLoaderFile = 8,
    kAsync = 16,
    kPageable = 32,
    kSynchronize = 64,
  };
  bool has(StringId name, Bit bit) const { return name.valid() && (bits_[name.value()] & bit) != 0; }

  std::vector<std::uint8_t> bits_;  // by StringId
  std::vector<WaitKind> waits_;
};

}  // namespace hta::analysis::critical_path
