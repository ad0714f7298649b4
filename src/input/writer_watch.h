#pragma once
// Tells a file that several writers wrote into at once from one that is damaged, or holds one document after another.

#include <cstdint>

namespace hta::input {

/// Blocks of several documents mixed into each other show in two ways. Inside of the first document another one begins,
/// which no damage of a single writer brings about. And behind that, records are torn where blocks meet: the second
/// document does not go on undisturbed to its end, as it would had it been appended to one that was cut short.
class WriterWatch {
 public:
  /// Another document begins, or shows a member that a document has once, before the first one has ended.
  void another_document() { ++heads_; }
  bool seen_another() const { return heads_ > 0; }
  /// A torn record that is not the end of a document in front of the head of another.
  void torn_record() {
    if (heads_ > 0) ++scars_;
  }
  /// Records go on behind the end of a document.
  void records_behind_end() {
    if (heads_ > 0) scars_ += kSure;
  }
  /// One document says two different things about what it is.
  void contradiction() {
    ++heads_;
    scars_ += kSure;
  }
  bool several() const { return heads_ > 0 && scars_ >= kSure; }

 private:
  static constexpr std::uint64_t kSure = 2;
  std::uint64_t heads_ = 0;
  std::uint64_t scars_ = 0;
};

}  // namespace hta::input
