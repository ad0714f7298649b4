#pragma once
// Ranks with collectives, for tests of what is compared across ranks.

#include <string>
#include <string_view>

#include "support/trace_sketch.h"

namespace hta::test {

/// What is recorded about a collective besides its times.
struct SketchCollective {
  std::string name = "allreduce";
  std::string group = "world";
  std::string ranks = "[0, 1, 2, 3]";
  std::int64_t size = 4;
  std::int64_t seq = 1;
  std::int64_t elements = 1'000'000;
  std::string dtype = "BFloat16";
};

inline void collective(TraceSketch& sketch, std::int64_t start_us, std::int64_t dur_us, const SketchCollective& what,
                       std::int64_t stream = 20) {
  sketch.event("kernel", "ncclDevKernel_Generic", TraceSketch::us(start_us), TraceSketch::us(dur_us), 0, stream,
               {{ArgKey::kDevice, 0, {}},
                {ArgKey::kStream, stream, {}},
                {ArgKey::kCollectiveName, 0, what.name},
                {ArgKey::kProcessGroupDescription, 0, what.group},
                {ArgKey::kProcessGroupRanks, 0, what.ranks},
                {ArgKey::kGroupSize, what.size, {}},
                {ArgKey::kSeq, what.seq, {}},
                {ArgKey::kInMsgNelems, what.elements, {}},
                {ArgKey::kOutMsgNelems, what.elements, {}},
                {ArgKey::kDtype, 0, what.dtype}});
}

}  // namespace hta::test
