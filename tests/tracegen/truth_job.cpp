#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "byte_sink.h"
#include "truth.h"
#include <fmt/format.h>

namespace tracegen {
namespace {

struct Blame {
  int rank = 0;
  std::int64_t last = 0;    ///< collectives it reached last
  Nanos caused_ns = 0;      ///< waits of the others in those
  Nanos exclusive_ns = 0;   ///< what would have been saved by being as late as the second last
  std::int64_t joined = 0;  ///< collectives it took part in
};

std::string numbers(auto begin, auto end) {
  return fmt::format("[{}]", fmt::join(begin, end, ","));
}

void collective_rows(std::string& out, const Job& job, int group_index, std::vector<Blame>& blame) {
  const Group& group = job.layout.groups()[static_cast<std::size_t>(group_index)];
  const auto collectives = job.table.of_group(group_index);
  for (std::size_t seq = 0; seq < collectives.size(); ++seq) {
    const CollectiveTable::Collective& c = collectives[seq];
    const auto starts = job.table.starts(group_index, static_cast<int>(seq));
    std::vector<Nanos> waits;
    Nanos second_last_ns = 0;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      waits.push_back(c.max_start_ns - starts[i]);
      if (static_cast<int>(i) != c.last_index) second_last_ns = std::max(second_last_ns, starts[i]);
      ++blame[static_cast<std::size_t>(group.members[i])].joined;
    }
    const int last_rank = group.members[static_cast<std::size_t>(c.last_index)];
    Blame& last = blame[static_cast<std::size_t>(last_rank)];
    ++last.last;
    last.caused_ns += std::accumulate(waits.begin(), waits.end(), Nanos{0});
    last.exclusive_ns += c.max_start_ns - second_last_ns;
    fmt::format_to(std::back_inserter(out),
                   "{}\n{{\"group\":{},\"seq\":{},\"name\":\"{}\",\"bytes\":{},\"start_ns\":{},\"end_ns\":{},"
                   "\"last_rank\":{},\"wait_ns\":{},\"transfer_ns\":{}}}",
                   out.empty() ? "" : ",", group_index, seq + 1, collective_spec(c.kind).name, c.bytes,
                   numbers(starts.begin(), starts.end()), c.end_ns, last_rank, numbers(waits.begin(), waits.end()),
                   c.transfer_ns);
  }
}

/// What was put into the run on purpose, with the steps that feel it: -1 for all.
std::string injected(const Options& o) {
  std::string out;
  const auto add = [&](std::string_view fault, std::string_view where, int index, int step, std::string_view amount,
                       std::int64_t value) {
    fmt::format_to(std::back_inserter(out), "{}\n{{\"fault\":\"{}\",\"{}\":{},\"step\":{},\"{}\":{}}}",
                   out.empty() ? "" : ",", fault, where, index, step, amount, value);
  };
  for (const RankFactor& f : o.slow_rank) add("slow_rank", "rank", f.rank, -1, "pct", f.pct);
  for (const RankFactor& f : o.extra_work) add("extra_work", "rank", f.rank, -1, "pct", f.pct);
  for (const RankFactor& f : o.slow_copy) add("slow_copy", "rank", f.rank, -1, "pct", f.pct);
  for (const RankFactor& f : o.slow_link) add("slow_link", "group", f.rank, -1, "pct", f.pct);
  for (const RankCount& f : o.sync_every) add("sync_every", "rank", f.rank, -1, "layers", f.count);
  for (const Stall& f : o.stall) add("stall", "rank", f.rank, f.step, "ns", f.ns);
  for (const StepFactor& f : o.launch_delay) add("launch_delay", "rank", f.rank, f.step, "pct", f.pct);
  for (const StepFactor& f : o.slow_step) add("slow_step", "rank", f.rank, f.step, "pct", f.pct);
  for (const RankStep& f : o.alloc) add("alloc", "rank", f.rank, f.step, "count", 1);
  return out;
}

}  // namespace

void write_truth(const std::string& path, const Job& job, const std::vector<std::string>& ranks) {
  const std::unique_ptr<Backend> file = open_file(path);
  ByteSink out(*file);
  out.put("{\"version\":1,\n\"groups\":[");
  const auto& groups = job.layout.groups();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    out.put(fmt::format("{}\n{{\"group\":{},\"name\":\"{}\",\"description\":\"{}\",\"ranks\":{}}}", i == 0 ? "" : ",",
                        i, groups[i].name, groups[i].description,
                        numbers(groups[i].members.begin(), groups[i].members.end())));
  }
  out.put("],\n\"injected\":[");
  out.put(injected(job.options));
  out.put("],\n\"collectives\":[");
  std::vector<Blame> blame(static_cast<std::size_t>(job.layout.ranks()));
  for (std::size_t rank = 0; rank < blame.size(); ++rank) blame[rank].rank = static_cast<int>(rank);
  bool first = true;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    std::string rows;
    collective_rows(rows, job, static_cast<int>(group), blame);
    if (rows.empty()) continue;
    if (!std::exchange(first, false)) out.put(',');
    out.put(rows);
  }
  out.put("],\n\"stragglers\":[");
  std::stable_sort(blame.begin(), blame.end(),
                   [](const Blame& a, const Blame& b) { return a.caused_ns > b.caused_ns; });
  for (std::size_t i = 0; i < blame.size(); ++i) {
    const Blame& b = blame[i];
    out.put(fmt::format("{}\n{{\"rank\":{},\"wait_caused_ns\":{},\"exclusive_ns\":{},\"last\":{},\"collectives\":{}}}",
                        i == 0 ? "" : ",", b.rank, b.caused_ns, b.exclusive_ns, b.last, b.joined));
  }
  out.put("],\n\"ranks\":[");
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    out.put(i == 0 ? "\n" : ",\n");
    out.put(ranks[i]);
  }
  out.put("]}\n");
  out.flush();
  file->finish();
}

}  // namespace tracegen
