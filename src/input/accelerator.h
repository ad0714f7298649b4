#pragma once
// Traces whose events have no category: the name of the process says which of them ran on the device (Ascend NPU).

#include "hta/input/raw_event.h"

#include <cstdint>
#include <string_view>
#include <unordered_set>

namespace hta::input {

/// Remembers which processes are devices.
class UnnamedTracks {
 public:
  /// A metadata record (ph M).
  void metadata(const RawEvent& raw);
  /// The category that stands for the missing one of this event: `kernel`, `gpu_memcpy`, or empty for host work.
  std::string_view category(const RawEvent& raw, std::string_view task_type);
  /// Whether category() was ever needed.
  bool asked() const { return asked_; }
  /// Adds the metadata records of a later part of the file, in which category() was not needed.
  void append(const UnnamedTracks& later);
  /// The collective that such an event carries out, as its name and task tell; empty if none.
  static std::string_view collective(std::string_view name, std::string_view task_type);
  /// Whether events came before the name that says what they are: then the categories given are not to be trusted.
  bool names_come_late() const { return names_come_late_; }

 private:
  void add_device(std::int64_t pid);

  std::unordered_set<std::int64_t> devices_;
  std::unordered_set<std::int64_t> others_;  // with events so far
  bool asked_ = false;
  bool names_come_late_ = false;
};

}  // namespace hta::input
