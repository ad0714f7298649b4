#pragma once
// Texts that are the same on every rank of a run, kept once.

#include <compare>
#include <string>
#include <string_view>

namespace hta {

/// An immutable text of which the process has one copy, however often it is made: what each of thousands of ranks tells
/// about its kernels names the same kernels. Copying costs nothing; making one takes a lock and a lookup, and the text
/// stays until the process ends. Compares as text.
class SharedText {
 public:
  SharedText();  ///< the empty text
  explicit SharedText(std::string_view text);

  std::string_view view() const { return *text_; }
  operator std::string_view() const { return *text_; }  // NOLINT(google-explicit-constructor): it is one
  bool empty() const { return text_->empty(); }

  bool operator==(const SharedText& other) const { return text_ == other.text_; }
  std::strong_ordering operator<=>(const SharedText& other) const {
    return text_ == other.text_ ? std::strong_ordering::equal : view() <=> other.view();
  }

 private:
  const std::string* text_;
};

}  // namespace hta
