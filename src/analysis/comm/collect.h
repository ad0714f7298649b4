#pragma once
// What one rank tells about its collectives and about its own work: a plain value, small enough to hold for every rank.

#include "hta/analysis/options.h"
#include "hta/model/needs.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "own_work.h"
#include "rank_set.h"

namespace hta::analysis::comm {

/// Who takes part. No ranks if the trace does not name them; a size of 0 is unknown.
struct Group {
  std::string description;
  std::string name;
  std::int64_t size = 0;
  RankSet ranks;
  auto operator<=>(const Group&) const = default;
  /// For people and tables: description or name, then the ranks ("mesh_dp 0,4") or else the size.
  std::string label() const;
};

enum class Pairing : std::uint8_t {
  kGroup,     ///< everyone calls the same operation
  kPair,      ///< one rank sends, another receives
  kExchange,  ///< sends and receives in one kernel, with one rank or with several
};

/// What is done, apart from sizes. `kind` is one of collective_kind().
struct Signature {
  std::string_view kind;
  std::string dtype;
  Pairing pairing = Pairing::kGroup;
  auto operator<=>(const Signature&) const = default;
};

/// One communication kernel. Times on the rank's own clock.
struct Collective {
  Nanos start_ns = 0;
  Nanos dur_ns = 0;
  Nanos exposed_ns = 0;         ///< of dur_ns: while no computation ran
  std::uint32_t group = 0;      ///< RankComm::groups
  std::uint32_t signature = 0;  ///< RankComm::signatures
  std::uint64_t comms_id = 0;   ///< digest of `Comms Id`; 0 = none
  std::int64_t seq = -1;        ///< -1 = none
  std::int64_t in_elements = -1;
  std::int64_t out_elements = -1;
  std::int64_t uneven_elements = -1;  ///< of an uneven all-to-all: what crosses the wire; else -1
  std::int64_t source = -1;           ///< of a pair; of an exchange between two ranks the smaller one
  std::int64_t destination = -1;
  std::int64_t step = kNoStep;
  Nanos end_ns() const { return start_ns + dur_ns; }
};

/// The partial of `comm` and `stragglers`.
struct RankComm {
  std::vector<Group> groups;
  std::vector<Signature> signatures;
  std::vector<Collective> collectives;  ///< by start
  std::vector<StepWork> steps;          ///< by step number; kNoStep first if there is work outside of steps
  Nanos span_ns = 0;                    ///< first start to last end of the GPU events
};

Needs collective_needs(const Options&);
RankComm collect(const Trace& trace, const Options&);

/// Bytes of one element; 0 for a type that is not known.
std::int64_t element_bytes(std::string_view dtype);

}  // namespace hta::analysis::comm
