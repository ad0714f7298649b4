#pragma once

#include <string>

#include "event_text.h"

namespace tracegen {

/// Spoils events in the ways that `--hostile` names, each on its own share of them.
class Spoiler {
 public:
  Spoiler(const Options& options, int rank);
  /// Changes `event` in place. Views in it stay valid until the next call.
  void spoil(EventFields& event);

 private:
  const Options& o_;
  Draws draws_;
  std::uint64_t events_ = 0;
  std::string exponent_;
  std::string pid_;
  std::string huge_;
};

}  // namespace tracegen
