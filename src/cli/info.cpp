#include "info.h"

#include "hta/base/human.h"
#include "hta/base/text.h"

#include <array>
#include <map>
#include <mutex>
#include <set>

#include "faults.h"
#include "list_events.h"
#include "progress.h"
#include "run_analysis.h"

namespace hta::cli {
namespace {

using result::Bar;
using result::ColumnSpec;
using result::Fit;
using result::Presence;
using enum result::CellType;

constexpr std::array kRankColumns{
    ColumnSpec{"path", kText},
    ColumnSpec{"label", kText, Presence::kOptional},
    ColumnSpec{"rank", kRank},
    ColumnSpec{"rank_source", kText},
    ColumnSpec{"status", kText},
    ColumnSpec{"packing", kText, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"text_bytes", kBytes, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"records", kInteger, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"events", kInteger},
    ColumnSpec{"gpu_events", kInteger},
    ColumnSpec{"linked_pct", kPercent},
    ColumnSpec{"steps", kText},
    ColumnSpec{"duration_us", kTime},
};
constexpr std::array kFaultColumns{
    ColumnSpec{"path", kText},  ColumnSpec{"rank", kRank},     ColumnSpec{"consequence", kText},
    ColumnSpec{"fault", kText}, ColumnSpec{"count", kInteger}, ColumnSpec{"first_offsets", kText},
};
constexpr std::array kCategoryColumns{ColumnSpec{"category", kText}, ColumnSpec{"events", kInteger}};
constexpr std::array kEnvironmentColumns{ColumnSpec{"ranks", kText}, ColumnSpec{"item", kText},
                                         ColumnSpec{"value", kText}};
constexpr std::array kCommandColumns{ColumnSpec{"command", kText}, ColumnSpec{"possible", kText},
                                     ColumnSpec{"because", kText}};
constexpr std::array kTables{
    result::TableSpec{"ranks", "Files, and the rank of each", kRankColumns},
    result::TableSpec{"faults", "Events that are lost, ignored or doubtful", kFaultColumns},
    result::TableSpec{"categories", "Events by category, all ranks together", kCategoryColumns},
    result::TableSpec{"environment", "Devices, software and capture settings", kEnvironmentColumns},
    result::TableSpec{"commands", "What can be answered from these traces", kCommandColumns},
    kListTable,
};
constexpr std::array kOptions{kListOption};

// What the traces hold beyond plain events; decides which questions can be answered.
struct Contents {
  bool gpu_events = false;
  bool links = false;
  bool steps = false;
  bool collectives = false;       // communication kernels
  bool collective_names = false;  // with metadata
  bool copies = false;
  bool memory_events = false;
  bool operators = false;
  bool python = false;
  bool profiler_ranges = false;
  bool gpu_annotations = false;
  std::size_t ranks = 0;
};

void look(const Trace& trace, Contents& contents) {
  contents.gpu_events |= trace.gpu.size() > 0;
  contents.links |= trace.gpu_events_linked > 0;
  contents.steps |= !trace.steps.empty();
  contents.memory_events |= !trace.memory_events.empty();
  for (const KernelType type : trace.gpu.type) {
    contents.collectives |= type == KernelType::kCommunication;
    contents.copies |= type == KernelType::kMemory;
  }
  contents.collective_names |= trace.gpu_args[ArgKey::kCollectiveName].size() > 0;
  for (const Category& category : trace.categories) {
    if (category.kept == 0) continue;
    contents.operators |= category.kind == CategoryKind::kOperator;
    contents.python |= category.kind == CategoryKind::kPython;
    contents.profiler_ranges |= category.kind == CategoryKind::kProfilerRange;
    contents.gpu_annotations |= category.kind == CategoryKind::kGpuAnnotation;
  }
}

std::string step_text(const std::vector<std::int64_t>& steps) {
  if (steps.empty()) return "";
  if (steps.size() == 1) return std::to_string(steps.front());
  return std::to_string(steps.front()) + "-" + std::to_string(steps.back()) + " (" + std::to_string(steps.size()) + ")";
}

void add_ranks(const input::Run& run, result::Document& document) {
  bool labels = false;
  for (const input::RunInput& input : run.inputs) labels |= !input.label.empty();
  result::Table table = labels ? result::Table(kTables[0], {"label"}) : result::Table(kTables[0]);
  for (const input::RunInput& input : run.inputs) {
    std::vector<result::Cell> cells{input.path};
    if (labels) cells.emplace_back(input.label);
    const bool usable = input.rank.has_value();
    cells.push_back(usable ? result::Cell(*input.rank) : result::Cell(std::nullopt));
    cells.push_back(usable ? result::Cell(input::rank_source_text(input.source)) : result::Cell(std::nullopt));
    cells.emplace_back(input.loaded ? input::file_status_text(input.status) : "not selected");
    cells.emplace_back(input.packing == input::Packing::kGzip ? "gzip" : "plain");
    cells.emplace_back(input.text_bytes);
    cells.emplace_back(input.records);
    cells.emplace_back(input.quality.kept);
    cells.emplace_back(input.gpu_events);
    cells.push_back(input.gpu_events == 0
                        ? result::Cell(std::nullopt)
                        : result::Cell(static_cast<std::int64_t>(input.gpu_events_linked * 10'000 / input.gpu_events)));
    const std::string steps = step_text(input.steps);
    cells.push_back(steps.empty() ? result::Cell(std::nullopt) : result::Cell(steps));
    cells.push_back(input.first_start_ns ? result::Cell(input.last_end_ns - *input.first_start_ns)
                                         : result::Cell(std::nullopt));
    table.add(cells);
  }
  document.tables.push_back(std::move(table));
}

void add_faults(const input::Run& run, result::Document& document) {
  result::Table table(kTables[1]);
  for (const input::RunInput& input : run.inputs) {
    for (std::size_t f = 0; f < input.quality.faults.size(); ++f) {
      const FaultCount& fault = input.quality.faults[f];
      if (fault.count == 0) continue;
      std::string offsets;
      for (const std::uint64_t offset : fault.first_offsets)
        offsets += (offsets.empty() ? "" : " ") + std::to_string(offset);
      const auto kind = static_cast<EventFault>(f);
      table.add({input.path, input.rank ? result::Cell(*input.rank) : result::Cell(std::nullopt),
                 consequence_text(kind), event_fault_text(kind), fault.count,
                 offsets.empty() ? result::Cell(std::nullopt) : result::Cell(offsets)});
    }
  }
  document.tables.push_back(std::move(table));
}

void add_categories(const input::Run& run, result::Document& document) {
  std::map<std::string, std::uint64_t> sums;
  for (const input::RunInput& input : run.inputs) {
    for (const auto& [category, count] : input.kept_by_category) sums[category] += count;
  }
  std::vector<std::pair<std::string, std::uint64_t>> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  result::Table table(kTables[2]);
  for (const auto& [category, count] : rows) table.add({category, count});
  document.tables.push_back(std::move(table));
}

std::string rank_list(const std::set<std::int64_t>& ranks, std::size_t of) {
  if (ranks.size() == of) return "all";
  std::string text;
  for (auto at = ranks.begin(); at != ranks.end();) {
    auto end = at;
    std::int64_t last = *at;
    while (std::next(end) != ranks.end() && *std::next(end) == last + 1) last = *++end;
    text += (text.empty() ? "" : ",") + std::to_string(*at) + (last > *at ? "-" + std::to_string(last) : "");
    at = std::next(end);
  }
  return text;
}

void add_environment(const input::Run& run, result::Document& document) {
  std::map<std::pair<std::string, std::string>, std::set<std::int64_t>> items;
  std::set<std::int64_t> all;
  for (const input::RunInput& input : run.inputs) {
    if (!input.rank) continue;
    const std::int64_t rank = input.rank->rank();
    all.insert(rank);
    const auto item = [&](const std::string& name, const std::string& value) {
      if (!value.empty()) items[{name, value}].insert(rank);
    };
    std::map<std::string, int> devices;
    for (const DeviceProperties& device : input.info.devices) {
      std::string text = device.name.empty() ? "(no name)" : device.name;
      if (device.total_memory_bytes > 0) text += ", " + std::to_string(device.total_memory_bytes >> 20) + " MiB";
      if (device.multiprocessors > 0) text += ", " + std::to_string(device.multiprocessors) + " SMs";
      if (!device.compute_capability.empty()) text += ", compute capability " + device.compute_capability;
      ++devices[text];
    }
    for (const auto& [text, count] : devices) item("device", std::to_string(count) + " × " + text);
    if (input.info.world_size) item("world_size", std::to_string(*input.info.world_size));
    item("backend", input.info.backend);
    for (const auto& [name, value] : input.info.versions) item(name, value);
    for (const auto& [name, on] : input.info.capture_flags) item(name, on ? "on" : "off");
  }
  result::Table table(kTables[3]);
  for (const auto& [key, ranks] : items) table.add({rank_list(ranks, all.size()), key.first, key.second});
  document.tables.push_back(std::move(table));
}

// What each command needs, and what to switch on if it is not there.
std::string missing_for(std::string_view command, const Contents& has) {
  const auto need = [](bool there, std::string_view why) { return there ? std::string() : std::string(why); };
  constexpr std::string_view kNoGpu = "no GPU events: record with activities=[CPU, CUDA]";
  constexpr std::string_view kNoLinks = "no launch calls linked to GPU events: record CPU activity as well";
  if (command == "launch" || command == "counters")
    return has.gpu_events ? need(has.links, kNoLinks) : std::string(kNoGpu);
  if (command == "patterns")
    return has.gpu_events ? need(has.operators && has.links, "no operators: record CPU activity as well")
                          : std::string(kNoGpu);
  if (command == "overlap" || command == "comm")
    return has.gpu_events ? need(has.collectives, "no communication kernels in these traces") : std::string(kNoGpu);
  if (command == "stragglers") {
    if (has.ranks < 2) return "one rank only: give the directory with all ranks";
    return need(has.collectives || has.steps, "neither collectives nor steps to compare ranks by");
  }
  if (command == "steps") return need(has.steps, "no ProfilerStep: call prof.step() in the training loop");
  if (command == "memory") return need(has.memory_events, "no memory events: record with profile_memory=True");
  if (command == "breakdown" || command == "idle") return need(has.gpu_events, kNoGpu);
  return {};
}

void add_commands(const Contents& has, result::Document& document) {
  result::Table table(kTables[4]);
  for (const Command& command : commands()) {
    if (command.analysis == nullptr || command.paths != Paths::kOneRun) continue;
    const std::string missing = missing_for(command.name, has);
    table.add({command.name, missing.empty() ? "yes" : "no",
               missing.empty() ? result::Cell(std::nullopt) : result::Cell(missing)});
  }
  const auto capture = [&](std::string_view what, bool there, std::string_view how) {
    table.add({what, there ? "yes" : "no", there ? result::Cell(std::nullopt) : result::Cell(how)});
  };
  capture("python frames", has.python, "record with with_stack=True");
  capture("collective names and sizes", has.collective_names, "needs PyTorch 2.4 or later with NCCL");
  capture("GPU annotations", has.gpu_annotations, "wrap regions in torch.profiler.record_function");
  capture("hardware counters", has.profiler_ranges, "record with CUPTI range profiling");
  document.tables.push_back(std::move(table));
}

ExitStatus run(const Command& command, Invocation& invocation) {
  const CommonOptions& common = invocation.common;
  auto files = input::list_files(common.paths, common.recursive);
  if (!files) return fail(files.error());
  if (!files->runs.empty()) {
    std::string message = "holds several runs; give one of them:";
    for (const std::string& folder : files->runs) message += " " + folder;
    return fail({ErrorCode::kUsage, common.paths.front(), message, {}});
  }
  const std::string listed = invocation.options.text("list-events");
  input::RunOptions options;
  if (!listed.empty()) {
    if (Status known = check_kind(listed); !known) return fail(known.error());
    options.load.build.fault_places =
        invocation.options.top > 0 ? static_cast<std::size_t>(invocation.options.top) : kMostListed;
  }
  options.load.build.needs.memory_events = true;
  options.load.build.needs.gpu_args = {ArgKey::kCollectiveName};
  options.load.build.filter = common.filter;
  options.load.build.kernel_rules = common.kernel_rules;
  if (common.max_event_dur_ns) options.load.build.max_event_dur_ns = *common.max_event_dur_ns;
  options.load.scan = common.scan_limits;
  options.load.limits = common.load_limits;
  options.ranks = common.ranks;
  options.rank_from = common.rank_from;
  options.assigned_ranks = common.assigned_ranks;
  options.threads = common.threads;
  Contents contents;
  std::mutex mutex;
  std::optional<Progress> progress(std::in_place, files->files, common);
  options.progress = progress->counters();
  auto read = input::read_run(*files, options, [&](std::size_t, const Trace& trace) {
    const std::lock_guard lock(mutex);
    look(trace, contents);
  });
  progress.reset();
  if (!read) return fail(read.error());
  for (const input::RunInput& input : read->inputs) contents.ranks += input.rank && input.selected ? 1u : 0u;

  result::Document document;
  document.command = "info";
  std::vector<input::Run> runs;
  runs.push_back(std::move(read).value());
  describe_inputs(runs, document);
  add_ranks(runs.front(), document);
  add_faults(runs.front(), document);
  add_categories(runs.front(), document);
  add_environment(runs.front(), document);
  add_commands(contents, document);
  if (!listed.empty()) {
    if (Status done = list_events(runs.front(), listed, common, document); !done) return fail(done.error());
  }
  for (const result::Table& table : document.tables) {
    const bool aside = !listed.empty() && table.name() != kListTable.name;
    if (table.rows() > 0 && !aside) document.shown.push_back(table.name());
  }
  if (document.shown.empty()) document.shown.push_back(document.tables.back().name());
  document.heading.push_back(human_count(static_cast<std::int64_t>(document.quality.events), "event", "events") +
                             " of " + human_count(static_cast<std::int64_t>(contents.ranks), "rank", "ranks") + ", " +
                             with_commas(static_cast<std::int64_t>(document.quality.gpu_events)) + " of them on GPUs.");
  document.next = {contents.gpu_events ? "breakdown" : "steps"};
  return deliver(command, common, invocation.options, document, runs.front().lost_data);
}

}  // namespace

Command info_command() {
  return {"info",
          "what is in these files, what is damaged or missing, what can be answered?",
          "Lists files, ranks and where each rank comes from, devices and software, events by category, faults with "
          "their place in the file, "
          "and which commands will work. --list-events shows the text of events that were lost, ignored or doubtful.",
          Paths::kOneRun,
          kTables,
          kOptions,
          nullptr,
          &run};
}

}  // namespace hta::cli
