#include "hta/input/run.h"

#include "hta/base/text.h"
#include "hta/base/thread_pool.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <numeric>

#include "peek.h"
#include "ranks.h"

namespace hta::input {
namespace {

RunInput facts_of(const LoadedFile& file) {
  RunInput input;
  input.path = file.path;
  input.status = file.status;
  input.problem = file.problem;
  input.notes = file.notes;
  input.packing = file.packing;
  input.text_bytes = file.text_bytes;
  input.records = file.records;
  return input;
}

void add_trace_facts(const Trace& trace, RunInput& input) {
  input.info = trace.info;
  input.quality = trace.quality;
  for (const Category& category : trace.categories) {
    if (category.kept > 0) input.kept_by_category[std::string(trace.text(category.text))] += category.kept;
  }
  input.gpu_events = trace.gpu.size();
  input.gpu_events_linked = trace.gpu_events_linked;
  input.launch_calls = trace.launches.size();
  for (const LaunchId call : IdRange<LaunchId>(trace.launches.size())) {
    // A graph launch has many GPU events by nature, any other call one.
    const bool several = trace.launches.gpu_events(call).size() > 1;
    if (several && !contains_ignoring_case(trace.name(call), "graph")) ++input.shared_launches;
  }
  for (const Step& step : trace.steps) input.steps.push_back(step.number);
  for (const StepId step : trace.incomplete_steps) input.incomplete_steps.push_back(trace.step(step).number);
  input.first_start_ns = trace.first_start_ns;
  input.last_end_ns = trace.last_end_ns;
}

// The facts of a file that tells by itself, without being loaded, that --rank leaves it out; nothing if it must be
// loaded.
std::optional<RunInput> left_out(const std::string& path, const RunOptions& options) {
  if (options.ranks.all() || path == "-" || options.rank_from == RankFrom::kName ||
      options.assigned_ranks.contains(path))
    return std::nullopt;
  auto info = peek_info(path);
  if (!info || options.ranks.contains(*info->rank)) return std::nullopt;
  RunInput input;
  input.path = path;
  input.loaded = false;
  input.info = std::move(*info);
  return input;
}

// Clocks that are further apart than this (31 years) do not belong to one run. With the limit on event times it keeps
// all sums of times within 64 bits.
constexpr Nanos kFarthestBase = 1'000'000'000 * kNanosPerSecond;

// Brings the clocks of the ranks together where every file tells its base, and moves the origin to the first event.
void align_clocks(std::vector<RunInput>& inputs, std::vector<RunNote>& notes) {
  std::vector<RunInput*> ranks;
  for (RunInput& input : inputs) {
    if (input.rank && input.selected) ranks.push_back(&input);
  }
  std::size_t with_base = 0;
  std::optional<Nanos> smallest;
  std::optional<Nanos> largest;
  for (const RunInput* input : ranks) {
    const auto base = input->info.base_time_ns;
    if (!base) continue;
    ++with_base;
    smallest = std::min(smallest.value_or(*base), *base);
    largest = std::max(largest.value_or(*base), *base);
  }
  const bool far = smallest && Int128{*largest} - *smallest > kFarthestBase;
  if (with_base > 0 && with_base < ranks.size()) {
    notes.push_back({"base-time-missing",
                     "only " + std::to_string(with_base) + " of " + std::to_string(ranks.size()) +
                         " ranks tell their base time; clocks are taken as recorded",
                     false});
  } else if (far) {
    notes.push_back(
        {"base-time-apart", "the base times of the ranks are decades apart; clocks are taken as recorded", false});
  }
  const bool aligned = smallest && !far && with_base == ranks.size();
  std::optional<Nanos> earliest;
  for (RunInput* input : ranks) {
    input->shift_ns = aligned ? *input->info.base_time_ns - *smallest : 0;
    if (input->first_start_ns)
      earliest = std::min(earliest.value_or(INT64_MAX), *input->first_start_ns + input->shift_ns);
  }
  for (RunInput* input : ranks) input->shift_ns -= earliest.value_or(0);
}

// Why nothing can be used: what the file says that looks most like a trace.
Error unusable(const std::vector<RunInput>& inputs) {
  const auto telling = std::find_if(inputs.begin(), inputs.end(), [](const RunInput& input) {
    return input.status != FileStatus::kNotATrace && input.status != FileStatus::kOwnOutput;
  });
  const RunInput& input = telling != inputs.end() ? *telling : inputs.front();
  std::string problem = input.problem.empty() ? "no usable trace" : input.problem;
  if (inputs.size() > 1)
    problem += " (none of the " + std::to_string(inputs.size()) + " files gives a trace; hta info lists them)";
  return {ErrorCode::kInput, input.path, std::move(problem), {}};
}

// A large file begun last would keep one worker busy when all others are done.
std::vector<std::size_t> largest_first(const std::vector<std::string>& files) {
  std::vector<std::uintmax_t> sizes;
  for (const std::string& file : files) {
    std::error_code unknown;
    const std::uintmax_t size = std::filesystem::file_size(file, unknown);
    sizes.push_back(unknown ? 0 : size);
  }
  std::vector<std::size_t> order(files.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  return order;
}

}  // namespace

Result<Run> read_run(const FileList& files, const RunOptions& options,
                     const std::function<void(std::size_t handle, const Trace& trace)>& use) {
  const std::size_t threads = thread_count(options.threads);
  const std::size_t workers = std::max<std::size_t>(1, std::min(threads, files.files.size()));
  const std::size_t per_file = threads / workers;
  std::vector<Workspace> workspaces(workers);
  std::vector<std::vector<RunInput>> by_file(files.files.size());
  std::mutex mutex;
  std::size_t next_handle = 0;

  const std::vector<std::size_t> order = largest_first(files.files);
  parallel_for(order.size(), workers, [&](std::size_t item, std::size_t worker) {
    const std::size_t at = order[item];
    if (auto input = left_out(files.files[at], options)) {
      by_file[at].push_back(std::move(*input));
      if (options.progress != nullptr) ++options.progress->files_done;
      return;
    }
    LoadedFile file = load_file(files.files[at], options.load, per_file, workspaces[worker], options.progress);
    if (file.status == FileStatus::kOwnOutput && !files.from_directory && !file.traces.empty()) {
      file.status = FileStatus::kOk;  // named on purpose: read it
      file.problem.clear();
    }
    std::vector<RunInput>& inputs = by_file[at];
    if (file.status != FileStatus::kOk || file.traces.empty()) inputs.push_back(facts_of(file));
    for (std::size_t i = 0; file.status == FileStatus::kOk && i < file.traces.size(); ++i) {
      RunInput input = facts_of(file);
      if (i > 0) input.notes.clear();
      if (!file.labels.empty()) input.label = file.labels[i];
      add_trace_facts(file.traces[i], input);
      {
        const std::lock_guard lock(mutex);
        input.handle = next_handle++;
      }
      const auto shift = options.clock_shifts.find({input.path, input.label});
      if (shift != options.clock_shifts.end()) file.traces[i].clock_shift_ns = shift->second;
      use(input.handle, file.traces[i]);
      inputs.push_back(std::move(input));
    }
    for (Trace& trace : file.traces) workspaces[worker].recycle(std::move(trace));
    if (options.progress != nullptr) ++options.progress->files_done;
  });

  Run run;
  for (auto& inputs : by_file) {
    for (RunInput& input : inputs) run.inputs.push_back(std::move(input));
  }
  if (const Status ranks = assign_ranks(run.inputs, options, run.notes); !ranks) return ranks.error();

  std::size_t usable = 0;
  std::size_t selected = 0;
  for (RunInput& input : run.inputs) {
    if (input.rank) {
      ++usable;
      input.selected = options.ranks.contains(input.rank->rank());
      if (!input.selected) continue;
      ++selected;
    }
    const bool skipped = input.status != FileStatus::kOk && input.status != FileStatus::kOwnOutput;
    run.lost_data |=
        skipped || input.quality.damaged() > 0 ||
        std::any_of(input.notes.begin(), input.notes.end(), [](const FileNote& note) { return note.loses_data; });
  }
  if (usable == 0) return unusable(run.inputs);
  if (selected == 0) return Error{ErrorCode::kInput, "", "no rank is left by --rank; hta info lists the ranks", {}};
  std::stable_sort(run.inputs.begin(), run.inputs.end(), [](const RunInput& a, const RunInput& b) {
    if (a.rank.has_value() != b.rank.has_value()) return a.rank.has_value();
    return a.rank && *a.rank < *b.rank;
  });
  align_clocks(run.inputs, run.notes);
  return run;
}

}  // namespace hta::input
