#include "options.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>
#include <map>

#include "presets.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace tracegen {
namespace {

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(by);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

template <class Number>
Number number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw UsageError(fmt::format("'{}' is not a number", text));
  }
  return value;
}

/// The numbers of `a:b:c`; exactly `count` of them.
std::vector<std::int64_t> fields(std::string_view item, std::size_t count, std::string_view form) {
  std::vector<std::int64_t> values;
  for (const std::string_view part : split(item, ':')) values.push_back(number<std::int64_t>(part));
  if (values.size() != count) throw UsageError(fmt::format("'{}' is not {}", item, form));
  return values;
}

/// One option whose value is a list; `add` takes one item of it.
struct ListOption {
  std::string flag;
  std::string help;
  std::function<void(std::string_view)> add;
};

std::vector<ListOption> list_options(Options& o) {
  const auto rank_pct = [](std::vector<RankFactor>& list, std::string_view form) {
    return [&list, form](std::string_view item) {
      const auto v = fields(item, 2, form);
      list.push_back({static_cast<int>(v[0]), static_cast<int>(v[1])});
    };
  };
  const auto step_pct = [](std::vector<StepFactor>& list) {
    return [&list](std::string_view item) {
      const auto v = fields(item, 3, "r:step:pct");
      list.push_back({static_cast<int>(v[0]), static_cast<int>(v[1]), static_cast<int>(v[2])});
    };
  };
  const auto rank_count = [](std::vector<RankCount>& list, std::string_view form) {
    return [&list, form](std::string_view item) {
      const bool every = item.starts_with("all:");
      const auto v = every ? fields(item.substr(4), 1, form) : fields(item, 2, form);
      list.push_back({every ? -1 : static_cast<int>(v[0]), v.back()});
    };
  };
  return {
      {"--slow-rank", "r:pct  computation of rank r takes pct % of the usual time", rank_pct(o.slow_rank, "r:pct")},
      {"--extra-work", "r:pct  rank r has pct % more layers to compute", rank_pct(o.extra_work, "r:pct")},
      {"--slow-copy", "r:pct  copies of rank r take pct % of the usual time", rank_pct(o.slow_copy, "r:pct")},
      {"--slow-link", "g:pct  collectives of data-parallel group g take pct % of the usual time",
       rank_pct(o.slow_link, "g:pct")},
      {"--stall", "r:step:ns  the data loader of rank r needs that much longer in that step",
       [&o](std::string_view item) {
         const auto v = fields(item, 3, "r:step:ns");
         o.stall.push_back({static_cast<int>(v[0]), static_cast<int>(v[1]), v[2]});
       }},
      {"--launch-delay", "r:step:pct  operators and launches of rank r take pct % of the usual time in that step",
       step_pct(o.launch_delay)},
      {"--slow-step", "r:step:pct  computation of rank r takes pct % of the usual time in that step",
       step_pct(o.slow_step)},
      {"--sync-every", "r:n  rank r (or 'all') reads a value back after every n-th layer, which blocks",
       rank_count(o.sync_every, "r:n")},
      {"--alloc", "r:step  rank r calls cudaFree and cudaMalloc in that step",
       [&o](std::string_view item) {
         const auto v = fields(item, 2, "r:step");
         o.alloc.push_back({static_cast<int>(v[0]), static_cast<int>(v[1])});
       }},
      {"--truncate", "r:bytes  the text of rank r ends after that many bytes", rank_count(o.truncate, "r:bytes")},
      {"--truncate-file", "r:bytes  the file of rank r, compressed or not, ends after that many bytes",
       rank_count(o.truncate_file, "r:bytes")},
      {"--drop", "launches:pct, kernels:pct or corr:pct  leave out that share of calls, kernels or correlations",
       [&o](std::string_view item) {
         const auto parts = split(item, ':');
         if (parts.size() != 2) throw UsageError(fmt::format("'{}' is not what:pct", item));
         const double pct = number<double>(parts[1]);
         if (parts[0] == "launches") {
           o.drop.launches_pct = pct;
         } else if (parts[0] == "kernels") {
           o.drop.kernels_pct = pct;
         } else if (parts[0] == "corr") {
           o.drop.corr_pct = pct;
         } else {
           throw UsageError(fmt::format("--drop knows launches, kernels and corr, not '{}'", parts[0]));
         }
       }},
      {"--hostile",
       "exp-ts, string-ts, missing-dur, negative-dur, string-pid, missing-args, deep-arg, huge-arg, nul, surrogate, "
       "bare-array, nan, trailing-comma",
       [&o](std::string_view item) {
         Hostile& h = o.hostile;
         const std::map<std::string_view, bool*> names = {{"exp-ts", &h.exponent_ts},
                                                          {"string-ts", &h.string_ts},
                                                          {"missing-dur", &h.missing_dur},
                                                          {"negative-dur", &h.negative_dur},
                                                          {"string-pid", &h.string_pid},
                                                          {"missing-args", &h.missing_args},
                                                          {"deep-arg", &h.deep_arg},
                                                          {"huge-arg", &h.huge_arg},
                                                          {"nul", &h.nul_escape},
                                                          {"surrogate", &h.lone_surrogate},
                                                          {"bare-array", &h.bare_array},
                                                          {"nan", &h.nan_tokens},
                                                          {"trailing-comma", &h.trailing_comma}};
         const auto found = names.find(item);
         if (found == names.end()) throw UsageError(fmt::format("--hostile does not know '{}'", item));
         *found->second = true;
       }},
  };
}

/// On and off by `--name` and `--no-name`.
struct Switch {
  std::string name;
  bool* value;
};
void add_switch(CLI::App& app, std::vector<Switch>& switches, const std::string& name, bool& value,
                const std::string& help, const std::string& group) {
  app.add_flag(fmt::format("--{0},!--no-{0}", name), value,
               fmt::format("{}; {} by default", help, value ? "on" : "off"))
      ->group(group);
  switches.push_back({name, &value});
}

void add_size_and_cost(CLI::App& app, Options& o, std::vector<Switch>& switches) {
  constexpr auto kSize = "Size";
  app.add_option("--ranks", o.ranks, "ranks, one file each")->group(kSize);
  app.add_option("--steps", o.steps, "training steps")->group(kSize);
  app.add_option("--layers", o.layers, "transformer layers of the whole model")->group(kSize);
  app.add_option("--micro", o.micro, "micro-batches per step")->group(kSize);
  app.add_option("--python-stack", o.python_stack, "depth of python frames around every module, 0 for none")
      ->group(kSize);
  app.add_option("--target-bytes", o.target_bytes, "choose the steps so that the texts have this size together")
      ->group(kSize);
  add_switch(app, switches, "shapes", o.shapes, "argument shapes of operators", kSize);
  add_switch(app, switches, "flows", o.flows, "flow events", kSize);
  add_switch(app, switches, "memory", o.memory, "memory events", kSize);
  add_switch(app, switches, "sync-events", o.sync_events, "records of streams that wait for events", kSize);
  constexpr auto kLayout = "Layout";
  app.add_option("--tp", o.tp, "tensor-parallel group size")->group(kLayout);
  app.add_option("--pp", o.pp, "pipeline stages")->group(kLayout);
  app.add_option("--bucket-layers", o.bucket_layers, "layers per gradient bucket")->group(kLayout);
  app.add_option("--zero", o.zero, "1: reduce-scatter gradients, all-gather parameters")->group(kLayout);
  add_switch(app, switches, "cuda-graphs", o.cuda_graphs, "launch forward and backward as graphs after the first step",
             kLayout);
  constexpr auto kCost = "Costs (ns)";
  app.add_option("--k-ns", o.k_ns, "matrix kernel")->group(kCost);
  app.add_option("--ew-ns", o.ew_ns, "elementwise kernel")->group(kCost);
  app.add_option("--op-ns", o.op_ns, "host time of a leaf operator")->group(kCost);
  app.add_option("--launch-ns", o.launch_ns, "cudaLaunchKernel")->group(kCost);
  app.add_option("--lat-ns", o.lat_ns, "from the end of a launch to the earliest start")->group(kCost);
  app.add_option("--ar-ns-per-mb", o.ar_ns_per_mb, "transfer of a collective, per MiB")->group(kCost);
  app.add_option("--coll-base-ns", o.coll_base_ns, "transfer of an empty collective")->group(kCost);
  app.add_option("--loader-ns", o.loader_ns, "fetching a batch that is ready")->group(kCost);
  app.add_option("--copy-bytes", o.copy_bytes, "bytes of the first of four input copies; they grow by as much")
      ->group(kCost);
  app.add_option("--jitter", o.jitter, "percent by which every cost varies")->group(kCost);
  app.add_option("--queue-depth", o.queue_depth, "unfinished launches a stream holds")->group(kCost);
  app.add_option("--item-every", o.item_every, "read the loss back after every n-th step")->group(kCost);
}

/// An option with a fixed set of values, first the usual one.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& flag, Value& value, const std::string& help,
                        const std::vector<std::pair<std::string, Value>>& choices) {
  std::vector<std::string> names;
  names.reserve(choices.size());
  for (const auto& [name, meaning] : choices) names.push_back(name);
  const auto set = [&value, choices](const std::string& text) {
    for (const auto& [name, meaning] : choices) {
      if (name == text) value = meaning;
    }
  };
  return app.add_option_function<std::string>(flag, set, fmt::format("{}: {}", help, fmt::join(names, ", ")))
      ->check(CLI::IsMember(names).description(""))
      ->default_str(names.front());
}

void add_faults_and_text(CLI::App& app, Options& o, std::vector<ListOption>& lists, std::vector<Switch>& switches) {
  constexpr auto kFaults = "Faults";
  for (ListOption& list : lists) {
    app.add_option_function<std::string>(
           list.flag,
           [&list](const std::string& text) {
             for (const std::string_view item : split(text, ',')) list.add(item);
           },
           list.help + "; several joined by commas")
        ->group(kFaults);
  }
  add_switch(app, switches, "pageable", o.pageable, "copy the input from pageable memory", kFaults);
  app.add_option("--clock-skew-ns", o.clock_skew_ns, "clocks are off by up to this")->group(kFaults);
  app.add_option("--clock-drift-ppm", o.clock_drift_ppm, "clocks run fast or slow by up to this")->group(kFaults);
  app.add_option("--comm-jitter", o.comm_jitter, "ends of a collective differ by up to this, ns")->group(kFaults);
  app.add_option("--lost-collectives", o.lost_collectives, "percent of collective kernels left out")->group(kFaults);
  add_switch(app, switches, "comms-id", o.comms_id, "name each collective by a 'Comms Id'", kFaults);
  add_switch(app, switches, "collective-args", o.collective_args, "arguments on collective kernels as on operators",
             kFaults);
  add_choice<RankList>(app, "--pg-ranks", o.pg_ranks, "list of the ranks of a group",
                       {{"full", RankList::kFull}, {"cut", RankList::kCut}})
      ->group(kFaults);
  constexpr auto kText = "Text";
  add_choice<Style>(app, "--style", o.style, "layout of the text",
                    {{"kineto", Style::kKineto},
                     {"indent2", Style::kIndent2},
                     {"compact", Style::kCompact},
                     {"torch_old", Style::kTorchOld}})
      ->group(kText);
  add_choice<TimeText>(app, "--ts", o.ts, "resolution of times", {{"ns", TimeText::kNanos}, {"us", TimeText::kMicros}})
      ->group(kText);
  add_choice<SpanOrder>(app, "--op-order", o.op_order, "operators in the order of",
                        {{"start", SpanOrder::kStart}, {"end", SpanOrder::kEnd}})
      ->group(kText);
  app.add_option("--base-ns", o.base_ns, "baseTimeNanoseconds of rank 0")->group(kText);
  app.add_option("--base-step-ns", o.base_step_ns, "how much the base of each rank lies after the one before")
      ->group(kText);
  add_switch(app, switches, "meta-last", o.meta_last, "header keys behind the events", kText);
  add_switch(app, switches, "shuffle-keys", o.shuffle_keys, "keys in random order, with random space", kText);
  app.add_option("--gzip", o.gzip, "level, 0 for plain files")->group(kText);
  app.add_option("--members", o.members, "gzip members per file")->group(kText);
}

void check(const Options& o) {
  const auto require = [](bool holds, std::string_view what) {
    if (!holds) throw UsageError(std::string(what));
  };
  require(o.ranks > 0 && o.steps > 0 && o.layers > 0 && o.micro > 0, "sizes must be positive");
  require(o.tp > 0 && o.pp > 0 && o.ranks % (o.tp * o.pp) == 0, "--tp times --pp must divide --ranks");
  require(o.layers % o.pp == 0, "--pp must divide --layers");
  require(o.bucket_layers > 0 && o.queue_depth > 0 && o.item_every > 0, "counts must be positive");
  require(o.jitter >= 0 && o.jitter < 100, "--jitter is a percentage below 100");
  require(o.zero == 0 || o.zero == 1, "--zero is 0 or 1");
  require(o.gzip >= 0 && o.gzip <= 9 && o.members > 0, "--gzip is 0 to 9, --members at least 1");
  require(o.k_ns > 0 && o.ew_ns > 0 && o.op_ns >= 0 && o.launch_ns > 0 && o.lat_ns >= 0 && o.loader_ns >= 1000 &&
              o.coll_base_ns > 0 && o.ar_ns_per_mb >= 0 && o.comm_jitter >= 0 && o.clock_skew_ns >= 0,
          "costs must not be negative, kernels must take time, and the loader at least 1000 ns");
  for (const RankCount& sync : o.sync_every) require(sync.count > 0, "--sync-every counts from 1");
  require(o.python_stack >= 0 && o.python_stack <= 200, "--python-stack is 0 to 200");
}

}  // namespace

int factor_pct(const std::vector<RankFactor>& list, int rank) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const RankFactor& f) { return f.rank == rank; });
  return found == list.end() ? 100 : found->pct;
}

ParseOutcome parse_command_line(int argc, const char* const* argv, Options& options) {
  CLI::App app{"Writes the traces of a simulated multi-GPU training run, and the answers to them.", "hta-tracegen"};
  app.footer(preset_help());
  // Of a flag given several times the last counts, so a preset is simply flags that come first.
  app.option_defaults()->always_capture_default()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.add_option("--out", options.out, "folder for rank-<r>.json[.gz], truth.json and manifest.json")->required();
  app.add_option("--preset", options.preset, "a set of flags to begin with; others win over it");
  app.add_option("--threads", options.threads, "ranks written at once; does not change a byte");
  app.add_option("--seed", options.seed, "of all random numbers");
  add_choice<TruthLevel>(app, "--truth", options.truth, "answers; full adds truth-rank-<r>.json with a row per event",
                         {{"basic", TruthLevel::kBasic}, {"none", TruthLevel::kNone}, {"full", TruthLevel::kFull}});
  std::vector<ListOption> lists = list_options(options);
  std::vector<Switch> switches;
  add_size_and_cost(app, options, switches);
  add_faults_and_text(app, options, lists, switches);

  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (arg.starts_with("--preset=")) words = preset_flags(arg.substr(9));
    if (arg == "--preset" && i + 1 < argc) words = preset_flags(argv[i + 1]);
  }
  words.insert(words.end(), argv + 1, argv + argc);
  std::reverse(words.begin(), words.end());  // as the parser wants them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? ParseOutcome::kExitOk : ParseOutcome::kExitUsage;
  }
  options.steps_given = app.count("--steps") > 0;
  check(options);
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name().substr(2);
    // These change no byte of the traces.
    if (name == "help" || name == "out" || name == "threads" || name == "truth") continue;
    const auto is_it = [&](const Switch& option_switch) { return option_switch.name == name; };
    if (const auto found = std::find_if(switches.begin(), switches.end(), is_it); found != switches.end()) {
      options.listing.emplace_back(name, *found->value ? "on" : "off");
      continue;
    }
    const bool given = option->count() > 0;
    options.listing.emplace_back(
        name, given ? fmt::format("{}", fmt::join(option->reduced_results(), ",")) : option->get_default_str());
  }
  std::sort(options.listing.begin(), options.listing.end());
  return ParseOutcome::kRun;
}

}  // namespace tracegen
