#pragma once
// Errors as values: our own code returns Result<T>; only main() catches what libraries throw.

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace hta {

/// What kind of failure it is; the command line maps each kind to an exit status.
enum class ErrorCode : std::uint8_t {
  kUsage,         ///< the caller asked for something that does not exist or contradicts itself (exit 2)
  kInput,         ///< an input cannot be used at all (exit 3)
  kInsufficient,  ///< too little data for the verdict that was asked for (exit 3)
  kOutput,        ///< a result cannot be written (exit 3)
};

/// One failure, told in one line: `FILE: what is wrong; what to do`.
struct Error {
  ErrorCode code = ErrorCode::kInput;
  std::string path;                     ///< file or directory concerned; may be empty
  std::string message;                  ///< what is wrong and, after a semicolon, what to do about it
  std::optional<std::uint64_t> offset;  ///< byte offset in the (inflated) file, where one helps

  /// The line without the leading `hta: error: `.
  std::string text() const {
    std::string line = path.empty() ? message : path + ": " + message;
    if (offset) line += " (at byte " + std::to_string(*offset) + ")";
    return line;
  }
};

/// A value or an Error. Reading the value of a failed result is a bug (assert).
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    assert(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

/// Success or an Error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    assert(error_);
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace hta
