#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "observer.h"

namespace tracegen {

/// What a piece of a critical path was spent on.
enum class Resource : std::uint8_t { kCpu, kLoader, kLaunchLatency, kCompute, kCopy, kCollective };

/// One piece of a path: `ns` nanoseconds of `resource` on `rank`.
struct PathPiece {
  int rank;
  Resource resource;
  Nanos ns;
};

/// The chain of causes that the simulation leaves behind. A node is a stretch of time in which one resource of one rank
/// was the cause of what followed; it has no end, since others branch off it at any time. A busy stream is a single
/// node, however many kernels ran back to back, so the chain is much shorter than the trace.
class CauseChain {
 public:
  using Node = std::uint32_t;
  static constexpr Node kNone = 0;

  /// Where one collective's transfer began, and why. Known when its last member arrived.
  struct Meeting {
    Nanos transfer_start_ns = 0;
    Node cause = kNone;
  };

  CauseChain() : nodes_(1) {}

  /// With recording off every node is kNone and paths are empty.
  void disable() { enabled_ = false; }

  [[nodiscard]] Node add(int rank, Resource resource, Nanos start_ns, Node cause) {
    if (!enabled_) return kNone;
    nodes_.push_back({start_ns, cause, -1, rank, resource});
    return static_cast<Node>(nodes_.size() - 1);
  }
  [[nodiscard]] Node add_collective(int rank, Nanos start_ns, Node cause, int meeting) {
    if (!enabled_) return kNone;
    nodes_.push_back({start_ns, cause, meeting, rank, Resource::kCollective});
    return static_cast<Node>(nodes_.size() - 1);
  }
  [[nodiscard]] Resource resource(Node node) const { return nodes_[node].resource; }
  [[nodiscard]] bool enabled() const { return enabled_; }

  enum class Scope : std::uint8_t {
    kRank,  ///< stay on the rank: waiting in a collective counts as collective
    kJob    ///< walk on to the rank that arrived last
  };
  /// The pieces that fill [start_ns, end_ns) ending at `last`, earliest first. Neighbours of one rank and resource are
  /// joined. Cost: linear in the nodes visited.
  [[nodiscard]] std::vector<PathPiece> path(Node last, Nanos start_ns, Nanos end_ns, Scope scope,
                                            std::span<const Meeting> meetings) const;

 private:
  struct Entry {
    Nanos start_ns = 0;
    Node cause = kNone;
    int meeting = -1;
    int rank = 0;
    Resource resource = Resource::kCpu;
  };
  std::vector<Entry> nodes_;
  bool enabled_ = true;
};

[[nodiscard]] const char* resource_name(Resource resource);

}  // namespace tracegen
