#include "hta/analysis/patterns.h"

#include "hta/base/human.h"
#include "hta/base/text.h"

#include <algorithm>
#include <unordered_map>

#include "pattern_calls.h"

namespace hta::analysis {
namespace patterns {
namespace {

using result::ColumnSpec;
using enum result::CellType;

constexpr std::int64_t kMarkedByDefault = 5;
constexpr int kMicroDecimals = 3;

constexpr std::array kColumns{
    ColumnSpec{"rank", kRank},     ColumnSpec{"operator", kText}, ColumnSpec{"pattern", kText},
    ColumnSpec{"count", kInteger}, ColumnSpec{"gpu_us", kTime},   ColumnSpec{"cpu_us", kTime},
};
constexpr std::array kTables{
    result::TableSpec{"patterns", "GPU event sequences that operators launch again and again", kColumns},
};
constexpr std::array kOptions{
    OptionSpec{"operator", OptionKind::kText, "", "TEXT",
               "host events whose name contains this, instead of all outermost operators", ""},
    OptionSpec{"min-length", OptionKind::kInteger, "3", "N", "leave out calls with fewer GPU events", ""},
    OptionSpec{"overlay", OptionKind::kText, "", "FILE",
               "write the trace of the rank with the calls of the first patterns marked (5, or --top)", ""},
};

Needs needs(const Options& options) {
  Needs needs;
  needs.call_tree = true;
  needs.python_tree = true;                       // an operator may end with the frame around it
  needs.python_frames = options.has("operator");  // it may name one
  return needs;
}

// A span in a track of its own, which may overlap others of its kind; viewers draw it, hta ignores it.
void mark(std::string_view name, std::string_view track, Interval time, std::size_t id, std::string_view args,
          std::vector<std::string>& out) {
  const std::string head = R"("cat":"hta_pattern","name":)" + json_quoted(name) + R"(,"pid":"hta patterns: )" +
                           std::string(track) + R"(","tid":0,"id":)" + std::to_string(id) + R"(,"ts":)";
  out.push_back(R"({"ph":"b",)" + head + fixed_point(time.begin, kMicroDecimals) + R"(,"args":{)" + std::string(args) +
                "}}");
  out.push_back(R"({"ph":"e",)" + head + fixed_point(time.end, kMicroDecimals) + "}");
}

struct Found {
  Pattern pattern;
  NameSequences::Sequence sequence = NameSequences::kEmpty;
};

std::vector<Found> group(const Trace& trace, std::span<const PatternCall> calls, const NameSequences& sequences) {
  std::unordered_map<NameSequences::Sequence, std::size_t> index;
  std::vector<Found> found;
  for (const PatternCall& call : calls) {
    const auto [at, fresh] = index.try_emplace(call.sequence, found.size());
    if (fresh) {
      const std::vector<StringId> names = sequences.names(call.sequence);
      found.push_back(
          {{std::string(trace.name(call.root)), join(trace.strings, names, 0, "|"), call.events}, call.sequence});
    }
    Pattern& pattern = found[at->second].pattern;
    ++pattern.count;
    pattern.gpu_ns += call.gpu_ns;
    pattern.cpu_ns += trace.host.dur_ns[call.root];
  }
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return a.pattern.count != b.pattern.count ? a.pattern.count > b.pattern.count : a.pattern.text < b.pattern.text;
  });
  return found;
}

std::vector<std::string> marks(const Trace& trace, std::span<const PatternCall> calls, std::span<const Found> marked) {
  std::unordered_map<NameSequences::Sequence, std::size_t> place;
  for (std::size_t i = 0; i < marked.size(); ++i) place.emplace(marked[i].sequence, i);
  std::vector<std::string> out;
  for (const PatternCall& call : calls) {
    const auto at = place.find(call.sequence);
    if (at == place.end()) continue;
    const Pattern& pattern = marked[at->second].pattern;
    const std::string name = "#" + std::to_string(at->second + 1) + " " + pattern.op;
    const std::string args =
        R"("pattern":)" + json_quoted(pattern.text) + R"(,"count":)" + std::to_string(pattern.count);
    const std::size_t id = out.size();  // one for both ends; unique in its track
    mark(name, "host", {trace.host.start_ns[call.root], trace.host.end_ns(call.root)}, id, args, out);
    mark(name, "GPU", call.gpu_extent, id, args, out);
  }
  return out;
}

void add_table(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  result::Table table(kTables[0]);
  for (const auto& [context, partial] : ranks) {
    Pattern others;
    std::int64_t shown = 0;
    for (const Pattern& pattern : partial.patterns) {
      if (options.top == 0 || shown++ < options.top) {
        table.add({context.rank, pattern.op, pattern.text, pattern.count, pattern.gpu_ns, pattern.cpu_ns});
        continue;
      }
      others.count += pattern.count;
      others.gpu_ns += pattern.gpu_ns;
      others.cpu_ns += pattern.cpu_ns;
    }
    if (others.count > 0) table.add({context.rank, "others", std::nullopt, others.count, others.gpu_ns, others.cpu_ns});
  }
  document.tables.push_back(std::move(table));
}

std::string describe(const RankContext& context, const Pattern& pattern, bool name_rank) {
  return pattern.op + " launches the same " + std::to_string(pattern.events) + " GPU events " +
         human_count(pattern.count, "time", "times") +
         (name_rank ? " on rank " + std::to_string(context.rank.rank()) : std::string());
}

void add_heading(std::span<Ranked<Partial>> ranks, result::Document& document) {
  const Ranked<Partial>* frequent_at = nullptr;
  const Ranked<Partial>* costly_at = nullptr;
  const Pattern* costly = nullptr;  // most host time beyond its GPU time, among those that repeat
  std::size_t distinct = 0;
  for (const auto& rank : ranks) {
    const auto& patterns = rank.partial.patterns;
    distinct += patterns.size();
    if (!patterns.empty() &&
        (frequent_at == nullptr || patterns.front().count > frequent_at->partial.patterns.front().count))
      frequent_at = &rank;
    for (const Pattern& pattern : patterns) {
      if (pattern.count < 2 || pattern.cpu_ns <= pattern.gpu_ns) continue;
      if (costly != nullptr && pattern.cpu_ns - pattern.gpu_ns <= costly->cpu_ns - costly->gpu_ns) continue;
      costly = &pattern;
      costly_at = &rank;
    }
  }
  if (frequent_at == nullptr) {
    document.heading.push_back("No operator launches that many GPU events (--min-length) under this name.");
    return;
  }
  const bool several = ranks.size() > 1;
  const Pattern& frequent = frequent_at->partial.patterns.front();
  document.heading.push_back("Most frequent of " +
                             human_count(static_cast<std::int64_t>(distinct), "pattern", "patterns") + ": " +
                             describe(frequent_at->context, frequent, several) + ": " + human_time(frequent.gpu_ns) +
                             " on the GPU, " + human_time(frequent.cpu_ns) + " on the host.");
  if (costly == nullptr) return;
  document.heading.push_back("Most host time beyond its GPU time: " + describe(costly_at->context, *costly, several) +
                             ", " + human_time(costly->cpu_ns) + " on the host for " + human_time(costly->gpu_ns) +
                             " on the GPU. Fusing them, torch.compile or CUDA graphs would save most here.");
}

Status add_overlay(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  if (!options.has("overlay")) return {};
  const std::string target = options.text("overlay");
  if (target.empty()) return Error{ErrorCode::kUsage, "", "--overlay needs the name of the file to write", {}};
  if (ranks.size() != 1)
    return Error{ErrorCode::kUsage, "", "--overlay writes the trace of one rank; choose it with --rank N", {}};
  auto& [context, partial] = ranks.front();
  if (context.path == "-") {
    return Error{
        ErrorCode::kUsage, "", "--overlay reads the trace a second time; give a file instead of standard input", {}};
  }
  result::Overlay overlay;
  overlay.source_path = context.path;
  overlay.target_path = target;
  overlay.elements = std::move(partial.elements);
  document.overlays.push_back(std::move(overlay));
  return {};
}

}  // namespace

Partial map(const Trace& trace, const Options& options) {
  NameSequences sequences;
  const auto name_part = options.has("operator") ? std::optional(options.text("operator")) : std::nullopt;
  const auto min_events = static_cast<std::size_t>(std::max<std::int64_t>(1, options.integer("min-length")));
  const std::vector<PatternCall> calls = pattern_calls(trace, name_part, min_events, sequences);
  std::vector<Found> found = group(trace, calls, sequences);
  Partial out;
  if (options.has("overlay")) {
    const std::int64_t top = options.top_given ? options.top : kMarkedByDefault;
    const std::size_t marked = top == 0 ? found.size() : std::min(found.size(), static_cast<std::size_t>(top));
    out.elements = marks(trace, calls, std::span(found).first(marked));
  }
  out.patterns.reserve(found.size());
  for (Found& each : found) out.patterns.push_back(std::move(each.pattern));
  return out;
}

Status combine(std::span<Ranked<Partial>> ranks, const Options& options, result::Document& document) {
  if (options.integer("min-length") < 1) return Error{ErrorCode::kUsage, "", "--min-length must be 1 or more", {}};
  add_heading(ranks, document);
  add_table(ranks, options, document);
  return add_overlay(ranks, options, document);
}

}  // namespace patterns

constexpr AnalysisSpec kPatterns = make_spec<patterns::Partial, &patterns::map, &patterns::combine>(
    "patterns", "which kernel sequences does an operator launch again and again?",
    "Takes every outermost operator call, or with --operator every host event whose name contains TEXT and that lies "
    "in no other such "
    "event, and lists the sequences of GPU events that such calls launch, directly or through what they call, with how "
    "often each "
    "occurs. Sequences that repeat often and keep the host busier than the GPU are what fusion or CUDA graphs save. "
    "With --overlay "
    "the trace is written again with the calls marked, for Perfetto and chrome://tracing.",
    patterns::kTables, patterns::kOptions, &patterns::needs);

}  // namespace hta::analysis
