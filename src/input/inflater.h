#pragma once
// gzip, member after member, with ISA-L where the build has it and zlib everywhere.

#include <cstddef>
#include <cstdint>
#include <memory>

namespace hta::input {

class Inflater {
 public:
  enum class State : std::uint8_t {
    kOk,               ///< the output is full, or there is more to do
    kNeedsInput,       ///< all input is used up: feed() more
    kTrailingGarbage,  ///< what follows the last member is no gzip
    kFailed,           ///< corrupt data or checksum
  };
  struct Step {
    std::size_t produced = 0;
    State state = State::kOk;
  };

  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// The next packed bytes; they must stay until used up.
  void feed(const char* data, std::size_t size);
  Step inflate(char* into, std::size_t room);
  /// Packed bytes fed but not used yet.
  std::size_t unused() const;
  /// Whether the bytes so far end exactly at the end of a member.
  bool at_member_end() const;

 private:
  struct State_;
  std::unique_ptr<State_> state_;
};

}  // namespace hta::input
