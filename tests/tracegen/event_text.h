#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "byte_sink.h"
#include "options.h"

namespace tracegen {

/// Categories that are counted in truth.json and the manifest.
enum class Category : std::uint8_t {
  kCpuOp,
  kUserAnnotation,
  kPythonFunction,
  kRuntime,
  kKernel,
  kMemcpy,
  kSync,
  kGpuAnnotation,
  kFlow,
  kForwardBackward,
  kInstant,
  kTrace,
  kNone,
  kCount
};
[[nodiscard]] std::string_view category_name(Category category, Style style);

/// One `"key": value` of an event. Views must outlive the printing of the event.
struct Field {
  enum class Kind : std::uint8_t {
    kInt,
    kTime,  ///< nanoseconds, written as microseconds
    kText,  ///< inside of a JSON string
    kJson   ///< as it stands
  };
  /// What the Kineto layout puts before the key. The other styles have one separator for all.
  enum class Lead : std::uint8_t { kSpace, kNothing, kLine };

  std::string_view key;
  std::string_view text;
  std::int64_t number = 0;
  Kind kind = Kind::kInt;
  Lead lead = Lead::kSpace;
};

/// An event as fields in the order in which they are written. Made anew for each event, on one that is reused.
class EventFields {
 public:
  using Lead = Field::Lead;

  EventFields& begin(char phase, Category category) {
    top_size_ = args_size_ = 0;
    has_args_ = false;
    phase_ = phase;
    category_ = category;
    return *this;
  }
  EventFields& integer(std::string_view key, std::int64_t value, Lead lead = Lead::kSpace) {
    return add({key, {}, value, Field::Kind::kInt, lead});
  }
  EventFields& time(std::string_view key, Nanos value, Lead lead = Lead::kSpace) {
    return add({key, {}, value, Field::Kind::kTime, lead});
  }
  EventFields& text(std::string_view key, std::string_view value, Lead lead = Lead::kSpace) {
    return add({key, value, 0, Field::Kind::kText, lead});
  }
  EventFields& json(std::string_view key, std::string_view value, Lead lead = Lead::kSpace) {
    return add({key, value, 0, Field::Kind::kJson, lead});
  }
  /// What follows goes into `args`.
  EventFields& args() {
    has_args_ = true;
    return *this;
  }

  [[nodiscard]] char phase() const { return phase_; }
  [[nodiscard]] Category category() const { return category_; }
  [[nodiscard]] bool has_args() const { return has_args_; }
  void drop_args() {
    has_args_ = false;
    args_size_ = 0;
  }
  /// Editable, for those that spoil events on purpose. Null when there is no such key.
  [[nodiscard]] Field* find(std::string_view key);
  void remove(std::string_view key);

  [[nodiscard]] std::size_t top_size() const { return top_size_; }
  [[nodiscard]] std::size_t args_size() const { return args_size_; }
  [[nodiscard]] const Field& top(std::size_t i) const { return top_[i]; }
  [[nodiscard]] const Field& arg(std::size_t i) const { return args_[i]; }

 private:
  EventFields& add(const Field& field) {
    if (has_args_) {
      args_.at(args_size_++) = field;
    } else {
      top_.at(top_size_++) = field;
    }
    return *this;
  }

  std::array<Field, 16> top_;
  std::array<Field, 48> args_;
  std::size_t top_size_ = 0;
  std::size_t args_size_ = 0;
  bool has_args_ = false;
  char phase_ = 'X';
  Category category_ = Category::kNone;
};

/// Writes a trace file in one of the text styles: the frame with its header keys, and the events in between.
class TraceText {
 public:
  TraceText(const Options& options, int rank, ByteSink& out);

  /// A key of the file beside traceEvents; `json` may hold line breaks of the Kineto layout.
  void header(std::string_view key, std::string_view json);
  void begin_events();
  void event(const EventFields& event);
  void end_events();
  void end_file();

 private:
  void separate();
  void kineto(const EventFields& event);
  void indented(const EventFields& event);
  void compact(const EventFields& event);
  void shuffled(const EventFields& event);
  void key(std::string_view key, std::string_view after);
  void value(const Field& field);
  void compact_json(std::string_view json);
  void indented_json(std::string_view json, int depth);
  void new_line(int depth);
  void random_space(std::uint64_t& state);

  const Options& o_;
  int rank_;
  ByteSink& out_;
  bool first_key_ = true;
  bool first_event_ = true;
  std::uint64_t events_ = 0;
};

}  // namespace tracegen
