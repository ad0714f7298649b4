#pragma once
// What takes the measures. Each function takes those of one field; a measure that cannot be taken is put as missing.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "measures.h"

namespace hta::report {

class Meter {
 public:
  explicit Meter(const Answers& answers);

  const Answers& answers() const { return answers_; }
  /// The type follows from the name.
  void put(std::string name, std::optional<std::int64_t> value, std::string subject = {},
           std::optional<std::int64_t> rank = {});
  /// `part_ns` as a share of GPU time: of the spans of all devices together.
  void share(std::string name, std::optional<std::int64_t> part_ns, std::string subject = {},
             std::optional<std::int64_t> rank = {});
  /// The value of such a share as text, for subjects.
  std::string share_text(std::int64_t part_ns) const;
  Measures take() && { return std::move(measures_); }

 private:
  const Answers& answers_;
  std::int64_t span_ns_;
  Measures measures_;
};

void measure_time(Meter& meter);           ///< shares of GPU time, kernels, copies
void measure_idle(Meter& meter);           ///< why devices are idle
void measure_communication(Meter& meter);  ///< overlap, waits, stragglers, groups
void measure_balance(Meter& meter);        ///< ranks and steps that differ from the others
void measure_capture(Meter& meter);        ///< how complete the recording is

}  // namespace hta::report
