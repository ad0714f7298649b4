#include "run_analysis.h"

#include "hta/base/human.h"

#include <algorithm>
#include <mutex>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "progress.h"

namespace hta::cli {
namespace {

using analysis::Side;

analysis::RankContext context_of(const input::RunInput& input, std::shared_ptr<const TraceInfo> info, Side side) {
  analysis::RankContext context;
  context.rank = *input.rank;
  context.side = side;
  context.shift_ns = input.shift_ns;
  context.path = input.path;
  context.label = input.label;
  context.info = std::move(info);
  context.first_start_ns = input.first_start_ns.value_or(0);
  context.last_end_ns = input.last_end_ns;
  context.kept_events = input.quality.kept;
  context.incomplete_steps = input.incomplete_steps;
  return context;
}

std::string_view side_name(std::size_t run, std::size_t runs) {
  return runs < 2 ? "" : run == 0 ? "base" : "test";
}

// --rank, unless the side has a choice of its own.
IntRanges ranks_of(Side side, const std::vector<Job>& jobs, const CommonOptions& common) {
  for (const Job& job : jobs) {
    if (side == Side::kOnly) break;
    IntRanges own = job.options.ranges(side == Side::kBase ? "base-rank" : "test-rank");
    if (!own.all()) return own;
  }
  return common.ranks;
}

// Ranks of this many events leave blocks behind that are worth giving back.
constexpr std::uint64_t kLargeRank = 500'000;

// What an analysis needed for a while goes back to the system; the C library would keep it, and the next analysis may
// need blocks of other sizes.
void give_back_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

// One pass over one run: partials[handle][job].
struct MappedRun {
  input::Run run;
  std::vector<std::vector<std::unique_ptr<analysis::Partial>>> partials;
};

// A pass that only finds out how the clocks of the ranks lie to each other, for analyses that are asked in reported
// time. Standard input cannot be read twice; its clock starts with its first event.
Status read_clocks(const input::FileList& files, input::RunOptions& options) {
  if (std::find(files.files.begin(), files.files.end(), "-") != files.files.end()) return {};
  input::RunOptions bare = options;
  bare.load.build.needs = Needs();
  const auto run = input::read_run(files, bare, [](std::size_t, const Trace&) {});
  if (!run) return run.error();
  for (const input::RunInput& input : run->inputs) options.clock_shifts[{input.path, input.label}] = input.shift_ns;
  return {};
}

Result<MappedRun> map_run(const RunPaths& from, std::vector<Job> jobs, const CommonOptions& common) {
  for (Job& job : jobs) {
    job.options.side = from.side;
    if (job.spec->validate == nullptr) continue;
    if (Status status = job.spec->validate(job.options); !status) return status.error();
  }
  auto files = input::list_files(from.paths, common.recursive);
  if (!files) return files.error();
  if (!files->runs.empty()) {
    std::string message = "holds several runs; give one of them:";
    for (const std::string& run : files->runs) message += " " + run;
    return Error{ErrorCode::kUsage, from.paths.front(), message, {}};
  }
  input::RunOptions options;
  for (const Job& job : jobs) options.load.build.needs |= job.spec->needs(job.options);
  options.load.build.filter = common.filter;
  options.load.build.kernel_rules = common.kernel_rules;
  if (common.max_event_dur_ns) options.load.build.max_event_dur_ns = *common.max_event_dur_ns;
  options.load.scan = common.scan_limits;
  options.load.limits = common.load_limits;
  options.ranks = ranks_of(from.side, jobs, common);
  options.rank_from = common.rank_from;
  options.assigned_ranks = common.assigned_ranks;
  options.threads = common.threads;
  const auto needs_clock = [](const Job& job) {
    return job.spec->needs_clock != nullptr && job.spec->needs_clock(job.options);
  };
  if (std::any_of(jobs.begin(), jobs.end(), needs_clock)) {
    if (Status status = read_clocks(*files, options); !status) return status.error();
  }

  Progress progress(files->files, common);
  options.progress = progress.counters();
  MappedRun mapped;
  std::mutex mutex;
  auto run = input::read_run(*files, options, [&](std::size_t handle, const Trace& trace) {
    std::vector<std::unique_ptr<analysis::Partial>> of_rank;
    for (const Job& job : jobs) {
      of_rank.push_back(job.spec->map(trace, job.options));
      if (trace.quality.kept >= kLargeRank) give_back_memory();
    }
    const std::lock_guard lock(mutex);
    if (mapped.partials.size() <= handle) mapped.partials.resize(handle + 1);
    mapped.partials[handle] = std::move(of_rank);
  });
  if (!run) return run.error();
  mapped.run = std::move(run).value();
  return mapped;
}

}  // namespace

void describe_inputs(const std::vector<input::Run>& runs, result::Document& document) {
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::string side(side_name(r, runs.size()));
    const std::string prefix = side.empty() ? "" : side + ": ";
    for (const input::RunInput& input : runs[r].inputs) {
      result::Input out;
      out.path = input.path;
      out.label = input.label;
      out.run = side;
      if (input.rank) {
        out.rank = input.rank->rank();
        out.rank_source = std::string(input::rank_source_text(input.source));
        if (input.rank->window() > 0) out.window = input.rank->window();
      }
      out.status = std::string(input::file_status_text(input.status));
      out.events = input.quality.kept;
      out.gpu_events = input.gpu_events;
      if (input.selected) {
        document.quality.events += input.quality.kept;
        document.quality.damaged += input.quality.damaged();
        document.quality.ignored += input.quality.ignored();
        document.quality.profiler_spans += input.quality[EventFault::kProfilerSpan].count;
        document.quality.suspect += input.quality.suspect();
        document.quality.gpu_events += input.gpu_events;
        document.quality.gpu_events_linked += input.gpu_events_linked;
        for (const input::FileNote& note : input.notes)
          document.note(note.code, prefix + input.path + ": " + note.message);
        if (input.status != input::FileStatus::kOk)
          document.note("file-skipped", prefix + input.path + ": " + input.problem);
        for (const std::int64_t step : input.incomplete_steps) {
          document.note(
              "step-incomplete",
              prefix + input.path + ": step " + std::to_string(step) +
                  " is incomplete: over a tenth of its launches have no GPU event (the capture ended too early)");
        }
        if (input.shared_launches > 0) {
          document.note("launch-shared",
                        prefix + input.path + ": " +
                            human_count(static_cast<std::int64_t>(input.shared_launches), "launch call has",
                                        "launch calls have") +
                            " several GPU events each, all of its correlation; the call counts once",
                        result::Severity::kInfo);
        }
        for (std::size_t f = 0; f < input.quality.faults.size(); ++f) {
          const FaultCount& fault = input.quality.faults[f];
          const auto kind = static_cast<EventFault>(f);
          const bool worth_a_line = kind != EventFault::kProfilerSpan && fault.count > 0;
          if (!worth_a_line) continue;
          std::string message = prefix + input.path + ": " +
                                human_count(static_cast<std::int64_t>(fault.count), "event", "events") + ": " +
                                std::string(event_fault_text(kind));
          if (!fault.first_offsets.empty())
            message += " (first at byte " + std::to_string(fault.first_offsets.front()) + ")";
          document.note("events", message, result::Severity::kInfo);
        }
      }
      document.inputs.push_back(std::move(out));
    }
    for (const input::RunNote& note : runs[r].notes) document.note(note.code, prefix + note.message);
  }
}

Result<MappedRuns> map_runs(const std::vector<RunPaths>& runs, const std::vector<Job>& jobs,
                            const CommonOptions& common) {
  MappedRuns out;
  out.partials.resize(jobs.size());
  for (const RunPaths& run : runs) {
    auto mapped = map_run(run, jobs, common);
    if (!mapped) return mapped.error();
    for (const input::RunInput& input : mapped->run.inputs) {
      if (!input.rank || !input.selected) continue;
      const auto info = std::make_shared<const TraceInfo>(input.info);
      auto& partials = mapped->partials[input.handle];
      for (std::size_t j = 0; j < jobs.size(); ++j) {
        out.partials[j].push_back({context_of(input, info, run.side), std::move(partials[j])});
      }
    }
    out.lost_data |= mapped->run.lost_data;
    out.runs.push_back(std::move(mapped->run));
  }
  return out;
}

Result<Analysed> combine_runs(MappedRuns mapped, const std::vector<Job>& jobs) {
  Analysed out;
  out.lost_data = mapped.lost_data;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    result::Document document;
    document.command = std::string(jobs[j].spec->name);
    describe_inputs(mapped.runs, document);
    if (Status status = jobs[j].spec->combine(mapped.partials[j], jobs[j].options, document); !status)
      return status.error();
    out.documents.push_back(std::move(document));
  }
  out.runs = std::move(mapped.runs);
  return out;
}

Result<Analysed> analyse(const std::vector<Job>& jobs, const CommonOptions& common, Paths paths) {
  std::vector<RunPaths> runs{{common.paths, Side::kOnly}};
  if (paths == Paths::kTwoRuns) runs = {{{common.paths[0]}, Side::kBase}, {{common.paths[1]}, Side::kTest}};
  auto mapped = map_runs(runs, jobs, common);
  if (!mapped) return mapped.error();
  return combine_runs(std::move(mapped).value(), jobs);
}

ExitStatus run_analysis_command(const Command& command, Invocation& invocation) {
  auto analysed = analyse({{command.analysis, invocation.options}}, invocation.common, command.paths);
  if (!analysed) return fail(analysed.error());
  return deliver(command, invocation.common, invocation.options, analysed->documents.front(), analysed->lost_data);
}

}  // namespace hta::cli
