#include "hta/input/run.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <numeric>

#include "hta/base/text.h"
#include "hta/base/thread_pool.h"
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
  for (const Step& step : trace.steps) input.steps.push_back(step.number);
  for (const StepId step : trace.incomplete_steps) input.incomplete_steps.push_back(trace.step(step).number);
  input.first_start_ns = trace.first_start_ns;
  input.last_end_ns = trace.last_end_ns;
}

// Brings the clocks of the ranks together where every file tells its base, and moves the origin to the first event.
void align_clocks(std::vector<RunInput>& inputs, std::vector<RunNote>& notes) {
  bool all_have_base = true;
  std::optional<std::int64_t> smallest_base;
  std::size_t ranks = 0;
  std::size_t with_base = 0;
  for (const RunInput& input : inputs) {
    if (!input.rank || !input.selected) continue;
    ++ranks;
    const auto base = input.info.base_time_ns;
    if (base) {
      ++with_base;
      smallest_base = std::min(smallest_base.value_or(*base), *base);
    }
    all_have_base &= base.has_value();
  }
  if (with_base > 0 && !all_have_base) {
    notes.push_back({"base-time-missing", "only " + std::to_string(with_base) + " of " + std::to_string(ranks) +
                         " ranks tell their base time; clocks are taken as recorded", false});
  }
  std::optional<Nanos> earliest;
  for (RunInput& input : inputs) {
    if (!input.rank || !input.selected) continue;
    input.shift_ns = all_have_base && smallest_base ? *input.info.base_time_ns - *smallest_base : 0;
    if (input.first_start_ns) earliest = std::min(earliest.value_or(INT64_MAX), *input.first_start_ns + input.shift_ns);
  }
  for (RunInput& input : inputs) input.shift_ns -= earliest.value_or(0);
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
    LoadedFile file = load_file(files.files[at], options.load, per_file, workspaces[worker], options.progress);
    if (file.status == FileStatus::kOwnOutput && !files.from_directory) {
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
    for (const FileNote& note : input.notes) run.lost_data |= note.loses_data;
    if (input.status != FileStatus::kOk) run.lost_data = true;
    if (input.quality.damaged() > 0) run.lost_data = true;
    if (!input.rank) continue;
    ++usable;
    input.selected = options.ranks.contains(input.rank->rank());
    if (input.selected) ++selected;
  }
  if (usable == 0) {
    const RunInput& first = run.inputs.front();
    return Error{ErrorCode::kInput, first.path, first.problem.empty() ? "no usable trace" : first.problem, {}};
  }
  if (selected == 0) return Error{ErrorCode::kInput, "", "no rank is left by --rank; hta info lists the ranks", {}};
  std::stable_sort(run.inputs.begin(), run.inputs.end(), [](const RunInput& a, const RunInput& b) {
    if (a.rank.has_value() != b.rank.has_value()) return a.rank.has_value();
    return a.rank && *a.rank < *b.rank;
  });
  align_clocks(run.inputs, run.notes);
  return run;
}

}  // namespace hta::input
