#pragma once
// Where reading can go on behind damaged text.

#include "hta/input/scanner.h"

#include <cstdint>
#include <memory>

#include "event_parser.h"

namespace hta::input {

struct Landmark {
  enum class Kind : std::uint8_t {
    kNone,          ///< nothing up to the end of the text
    kMore,          ///< whether there is one at `at` cannot be told before more bytes are here
    kEvent,         ///< an intact record
    kRecordStart,   ///< the start of one that seems damaged as well
    kDocumentHead,  ///< the opening brace of another document
    kArrayEnd,      ///< the bracket that ends the events
  };
  Kind kind = Kind::kNone;
  const char* at = nullptr;    ///< none stands before it
  bool opens_array = false;    ///< kEvent: an opening bracket stands in front of it
  const char* keep = nullptr;  ///< kMore: where to look again from; it takes part in what can be told then
};

/// Records of this size and less are told apart by parsing them; a larger one that does not end is suspected of having
/// lost a quote or a bracket.
inline constexpr std::size_t kOrdinaryRecord = std::size_t{16} << 10;

class LandmarkFinder {
 public:
  /// The first landmark in [from, end). Which one it is depends on the text alone, not on where `end` is. O(n) for text
  /// of profilers; `wasted()` tells how much was parsed in vain, since text can be made that costs kOrdinaryRecord per
  /// brace.
  Landmark find(const char* from, const char* end, MoreBytes more) { return find(from, from, end, more); }
  /// The same, where the text before `from`, which holds no landmark, is at hand from `text` on: what stands before a
  /// place decides what it is.
  Landmark find(const char* text, const char* from, const char* end, MoreBytes more);
  std::uint64_t wasted() const { return wasted_; }

 private:
  std::unique_ptr<EventParser> parser_;  // made when there is damage
  RawEvent scratch_;
  std::uint64_t wasted_ = 0;
};

}  // namespace hta::input
