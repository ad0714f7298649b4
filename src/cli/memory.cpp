#include "memory.h"

#include "hta/analysis/memory.h"
#include "hta/input/memory_timeline.h"

#include <algorithm>
#include <set>

#include "run_analysis.h"

namespace hta::cli {
namespace {

// Ranks by the names of the files; their order where a name has none or two have one.
std::vector<std::int64_t> ranks_of(const std::vector<std::string>& files, std::string_view& source) {
  std::vector<std::int64_t> ranks;
  for (const std::string& file : files) {
    const auto rank = input::rank_in_name(file.substr(file.rfind('/') + 1));
    if (rank) ranks.push_back(*rank);
  }
  source = "name";
  if (std::set<std::int64_t>(ranks.begin(), ranks.end()).size() == files.size()) return ranks;
  source = "assigned";
  ranks.clear();
  for (std::size_t i = 0; i < files.size(); ++i) ranks.push_back(static_cast<std::int64_t>(i));
  return ranks;
}

ExitStatus run_timelines(const Command& command, Invocation& invocation, const std::vector<std::string>& files) {
  const CommonOptions& common = invocation.common;
  result::Document document;
  document.command = "memory";
  std::vector<analysis::RankTimeline> timelines;
  bool lost_data = false;
  std::string_view source;
  const std::vector<std::int64_t> ranks = ranks_of(files, source);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!common.ranks.contains(ranks[i])) continue;
    auto loaded = input::read_memory_timeline(files[i]);
    if (!loaded) return fail(loaded.error());
    if (loaded->damaged) {
      document.note("timeline-damaged",
                    files[i] + ": the memory timeline is cut off or broken; every entry before that place is used");
      lost_data = true;
    }
    result::Input input;
    input.path = files[i];
    input.rank = ranks[i];
    input.rank_source = std::string(source);
    input.status = std::string(input::file_status_text(input::FileStatus::kOk));
    input.events = loaded->timeline.entries.size();
    document.quality.events += input.events;
    document.inputs.push_back(std::move(input));
    timelines.push_back({ranks[i], std::move(loaded->timeline)});
  }
  if (timelines.empty()) return fail({ErrorCode::kInput, "", "no file is of the chosen ranks", {}});
  std::sort(timelines.begin(), timelines.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  analysis::tabulate_timelines(timelines, invocation.options, document);
  return deliver(command, common, invocation.options, document, lost_data);
}

}  // namespace

ExitStatus run_memory_command(const Command& command, Invocation& invocation) {
  const CommonOptions& common = invocation.common;
  const auto files = input::list_files(common.paths, common.recursive);
  if (files && !files->files.empty() &&
      std::all_of(files->files.begin(), files->files.end(), &input::is_memory_timeline)) {
    return run_timelines(command, invocation, files->files);
  }
  return run_analysis_command(command, invocation);
}

}  // namespace hta::cli
