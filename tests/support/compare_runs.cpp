#include "support/compare_runs.h"

namespace hta::test {

std::vector<analysis::RankPartial> map_both(const std::vector<const Trace*>& base,
                                            const std::vector<const Trace*>& test, const analysis::Options& options) {
  std::vector<analysis::RankPartial> partials;
  for (const analysis::Side side : {analysis::Side::kBase, analysis::Side::kTest}) {
    analysis::Options of_side = options;
    of_side.side = side;
    std::int64_t rank = 0;
    for (const Trace* trace : side == analysis::Side::kBase ? base : test) {
      analysis::RankContext context;
      context.rank = RankKey(rank++, 0);
      context.side = side;
      context.info = std::make_shared<const TraceInfo>(trace->info);
      partials.push_back({std::move(context), analysis::kDiff.map(*trace, of_side)});
    }
  }
  return partials;
}

Outcome compare_runs(const std::vector<const Trace*>& base, const std::vector<const Trace*>& test,
                     const analysis::Options& options) {
  auto partials = map_both(base, test, options);
  Outcome outcome;
  outcome.document.command = "diff";
  outcome.status = analysis::kDiff.combine(partials, options, outcome.document);
  return outcome;
}

Outcome compare_runs(const Trace& base, const Trace& test,
                     std::initializer_list<std::pair<std::string_view, std::string_view>> options) {
  return compare_runs({&base}, {&test}, options_of(analysis::kDiff, options));
}

}  // namespace hta::test
