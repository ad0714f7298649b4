#pragma once
// Map, then combine: the one way in which analyses run.
//
//   map(const Trace& one_rank, options)        -> Partial    a plain value, small, without views into the trace
//   combine(span of (rank, Partial), options)  -> Document   the answer over all ranks
//
// A rank is loaded, mapped and freed; only the partials of all ranks are held together.

#include "hta/analysis/options.h"
#include "hta/base/rank_key.h"
#include "hta/base/result.h"
#include "hta/model/needs.h"
#include "hta/model/trace.h"
#include "hta/result/document.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hta::analysis {

/// What combine knows of a rank besides its partial.
struct RankContext {
  RankKey rank;
  Side side = Side::kOnly;
  /// Added to a time of the rank's own clock it gives the reported one: relative to the earliest kept event of the run,
  /// clocks of ranks brought together by baseTimeNanoseconds where every rank has one.
  Nanos shift_ns = 0;
  std::string path;
  std::string label;
  std::shared_ptr<const TraceInfo> info;  ///< shared by all analyses of the rank; never null
  Nanos first_start_ns = 0;               ///< of all kept events, own clock
  Nanos last_end_ns = 0;
  std::uint64_t kept_events = 0;
  std::vector<std::int64_t> incomplete_steps;  ///< step numbers
};

/// The result of map, type-erased.
class Partial {
 public:
  virtual ~Partial() = default;
};

struct RankPartial {
  RankContext context;
  std::unique_ptr<Partial> partial;
};

/// How many runs a command takes.
enum class Runs : std::uint8_t { kOne, kTwo };

/// One row of the registry.
struct AnalysisSpec {
  std::string_view name;
  std::string_view summary;  ///< the question it answers, one line
  std::string_view details;  ///< further help
  Runs runs = Runs::kOne;
  std::span<const result::TableSpec> tables;  ///< the default one first
  std::span<const OptionSpec> options;
  Needs (*needs)(const Options&) = nullptr;
  /// Refuses values that only the analysis can judge, before anything is read; kUsage. May be null.
  Status (*validate)(const Options&) = nullptr;
  /// Whether map() must know Trace::clock_shift_ns; then the files are read twice. May be null.
  bool (*needs_clock)(const Options&) = nullptr;
  std::unique_ptr<Partial> (*map)(const Trace&, const Options&) = nullptr;
  /// `ranks` sorted by side, then rank. Fails with kInsufficient or kUsage.
  Status (*combine)(std::span<RankPartial> ranks, const Options&, result::Document&) = nullptr;
};

/// One rank's partial with its type back.
template <class P>
struct Ranked {
  const RankContext& context;
  P& partial;
};

namespace detail {
template <class P>
struct Held final : Partial {
  explicit Held(P p) : value(std::move(p)) {}
  P value;
};
}  // namespace detail

/// The partials of an analysis whose map returns P.
template <class P>
std::vector<Ranked<P>> typed_partials(std::span<RankPartial> ranks) {
  std::vector<Ranked<P>> typed;
  typed.reserve(ranks.size());
  for (RankPartial& rank : ranks) typed.push_back({rank.context, static_cast<detail::Held<P>&>(*rank.partial).value});
  return typed;
}

namespace detail {
template <auto Map>
std::unique_ptr<Partial> erased_map(const Trace& trace, const Options& options) {
  using P = decltype(Map(trace, options));
  return std::make_unique<Held<P>>(Map(trace, options));
}

template <class P, Status (*Combine)(std::span<Ranked<P>>, const Options&, result::Document&)>
Status erased_combine(std::span<RankPartial> ranks, const Options& options, result::Document& document) {
  std::vector<Ranked<P>> typed = typed_partials<P>(ranks);
  return Combine(typed, options, document);
}
}  // namespace detail

/// The registry row of an analysis with `P map(const Trace&, const Options&)` and
/// `Status combine(std::span<Ranked<P>>, const Options&, Document&)`.
template <class P, P (*Map)(const Trace&, const Options&),
          Status (*Combine)(std::span<Ranked<P>>, const Options&, result::Document&)>
constexpr AnalysisSpec make_spec(std::string_view name, std::string_view summary, std::string_view details,
                                 std::span<const result::TableSpec> tables, std::span<const OptionSpec> options,
                                 Needs (*needs)(const Options&), Runs runs = Runs::kOne,
                                 Status (*validate)(const Options&) = nullptr) {
  AnalysisSpec spec;
  spec.name = name;
  spec.summary = summary;
  spec.details = details;
  spec.runs = runs;
  spec.tables = tables;
  spec.options = options;
  spec.needs = needs;
  spec.validate = validate;
  spec.map = &detail::erased_map<Map>;
  spec.combine = &detail::erased_combine<P, Combine>;
  return spec;
}

/// The table of `specs` with that name (it must exist).
const result::TableSpec& table_spec(std::span<const result::TableSpec> specs, std::string_view name);

}  // namespace hta::analysis
