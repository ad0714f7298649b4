#include "critical_path.h"

#include <algorithm>

namespace tracegen {

std::vector<PathPiece> CauseChain::path(Node last, Nanos start_ns, Nanos end_ns, Scope scope,
                                        std::span<const Meeting> meetings) const {
  std::vector<PathPiece> pieces;
  Nanos now = end_ns;
  for (Node node = last; node != kNone && now > start_ns;) {
    const Entry& entry = nodes_[node];
    Nanos from = entry.start_ns;
    Node cause = entry.cause;
    if (scope == Scope::kJob && entry.meeting >= 0) {
      const Meeting& meeting = meetings[static_cast<std::size_t>(entry.meeting)];
      from = meeting.transfer_start_ns;
      cause = meeting.cause;
    }
    from = std::max(from, start_ns);
    if (from < now) {
      if (!pieces.empty() && pieces.back().rank == entry.rank && pieces.back().resource == entry.resource) {
        pieces.back().ns += now - from;
      } else {
        pieces.push_back({entry.rank, entry.resource, now - from});
      }
      now = from;
    }
    node = cause;
  }
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

const char* resource_name(Resource resource) {
  switch (resource) {
    case Resource::kCpu: return "cpu";
    case Resource::kLoader: return "loader";
    case Resource::kLaunchLatency: return "launch_latency";
    case Resource::kCompute: return "compute";
    case Resource::kCopy: return "copy";
    case Resource::kCollective: return "collective";
  }
  return "";
}

}  // namespace tracegen
