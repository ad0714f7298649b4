#pragma once
// Options that critical-path and whatif share.

#include "hta/analysis/options.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace hta::analysis::critical_path {

inline constexpr std::array kWindowOptions{
    OptionSpec{"step", OptionKind::kText, "", "N|A-B",
               "this ProfilerStep, or all from the first to the last of a range", ""},
    OptionSpec{"annotation", OptionKind::kText, "", "NAME", "the user annotation of exactly this name", ""},
    OptionSpec{"instance", OptionKind::kInteger, "", "K",
               "which annotation of that name, from 0; negative counts from the end (default: 0)", ""},
    OptionSpec{"time", OptionKind::kText, "", "A:B", "from A to B, in microseconds as reported", ""},
    OptionSpec{"trace", OptionKind::kFlag, "", "", "the whole trace", ""},
    OptionSpec{"clock-slack", OptionKind::kTime, "10", "US", "how far clocks of host and GPU may disagree", ""},
    OptionSpec{"kernel-gap", OptionKind::kTime, "30", "US", "GPU gaps up to this need no further explanation", ""},
    OptionSpec{"no-infer", OptionKind::kFlag, "", "", "infer no waits between streams where the trace records none",
               ""},
    OptionSpec{"data-loading", OptionKind::kText, "", "REGEX", "names of further events that load data", ""},
};

/// Both lists behind each other.
template <std::size_t N, std::size_t M>
constexpr std::array<OptionSpec, N + M> joined(const std::array<OptionSpec, N>& a, const std::array<OptionSpec, M>& b) {
  std::array<OptionSpec, N + M> out{};
  std::copy(a.begin(), a.end(), out.begin());
  std::copy(b.begin(), b.end(), out.begin() + N);
  return out;
}

}  // namespace hta::analysis::critical_path
