#include "parse.h"

#include "hta/base/text.h"
#include "hta/version.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <regex>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hta::cli {
namespace {

constexpr std::string_view kDefaultCommand = "summary";

// Texts as given; turned into values after CLI11 is done, so that our own messages tell what is wrong.
struct RawCommon {
  std::vector<std::string> paths;
  std::string format;
  std::string output;
  std::string output_dir;
  std::vector<std::string> tables;
  std::string rank;
  std::string device;
  std::string stream;
  std::string step;
  std::string name;
  std::string top;
  std::string sort;
  std::string threads;
  std::string color;
  std::string rank_from;
  std::vector<std::string> assign_rank;
  std::string classify;
  std::string max_event_duration;
  std::string max_event_bytes;
  std::string max_names;
  std::string max_expansion;
  bool quiet = false;
  bool verbose = false;
  bool strict = false;
  bool no_progress = false;
  bool recursive = false;
};

Error usage(std::string message) {
  return {ErrorCode::kUsage, "", std::move(message), {}};
}

// What the option's value is: the words themselves, or what stands in the file that they name.
Result<std::string> option_text(const analysis::OptionSpec& spec, const std::string& given) {
  if (spec.kind != analysis::OptionKind::kChoiceOrFile || spec.is_choice(given)) return given;
  std::ifstream file(given);
  if (!file)
    return Error{ErrorCode::kUsage,
                 given,
                 "cannot be opened; --" + std::string(spec.name) + " takes " + std::string(spec.choices) + " or a file",
                 {}};
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Result<std::shared_ptr<const KernelRules>> read_rules(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Error{ErrorCode::kUsage, path, "cannot be opened; --classify takes a JSON file", {}};
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("rules") || !json["rules"].is_array()) {
    return Error{ErrorCode::kUsage,
                 path,
                 R"(is no list of rules; write {"rules": [{"match": "REGEX", "type": "COMMUNICATION"}]})",
                 {}};
  }
  std::vector<KernelRules::Rule> rules;
  for (const auto& entry : json["rules"]) {
    const bool shaped = entry.is_object() && entry.contains("match") && entry["match"].is_string() &&
                        entry.contains("type") && entry["type"].is_string();
    const auto type = shaped ? kernel_type_named(entry["type"].get<std::string>()) : std::nullopt;
    if (!type) {
      return Error{ErrorCode::kUsage,
                   path,
                   "rule " + std::to_string(rules.size() + 1) +
                       " needs match (a regular expression) and type (COMPUTATION, COMMUNICATION, MEMORY or OTHER)",
                   {}};
    }
    rules.push_back({entry["match"].get<std::string>(), *type});
  }
  auto compiled = KernelRules::compile(std::move(rules));
  if (!compiled) return Error{ErrorCode::kUsage, path, compiled.error().message, {}};
  return std::shared_ptr<const KernelRules>(std::make_shared<KernelRules>(std::move(compiled).value()));
}

Status set_ranges(const std::string& text, std::string_view option, IntRanges& into) {
  if (text.empty()) return {};
  auto ranges = IntRanges::parse(text);
  if (!ranges) return usage("--" + std::string(option) + ": " + ranges.error().message);
  into = std::move(ranges).value();
  return {};
}

Status to_common(const RawCommon& raw, CommonOptions& common) {
  common.paths = raw.paths;
  common.output = raw.output;
  common.output_dir = raw.output_dir;
  for (const std::string& list : raw.tables) {
    for (const std::string& name : CLI::detail::split(list, ',')) common.tables.push_back(name);
  }
  common.sort = raw.sort;
  common.quiet = raw.quiet;
  common.verbose = raw.verbose;
  common.strict = raw.strict;
  common.no_progress = raw.no_progress;
  common.recursive = raw.recursive ? input::Recursive::kYes : input::Recursive::kNo;
  if (!raw.format.empty()) {
    common.format = report::format_named(raw.format);
    if (!common.format)
      return usage("--format: '" + raw.format + "' is not known; there are table, csv, json, markdown");
  }
  for (const auto& [text, name, into] :
       {std::tuple(&raw.rank, "rank", &common.ranks), std::tuple(&raw.device, "device", &common.filter.devices),
        std::tuple(&raw.stream, "stream", &common.filter.streams),
        std::tuple(&raw.step, "step", &common.filter.steps)}) {
    if (Status status = set_ranges(*text, name, *into); !status) return status;
  }
  if (!raw.name.empty()) {
    try {
      common.filter.name = std::make_shared<const std::regex>(raw.name, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error& e) {
      return usage("--name: '" + raw.name + "' is no regular expression: " + e.what());
    }
  }
  if (!raw.top.empty()) {
    common.top = parse_integer(raw.top);
    if (!common.top || *common.top < 0) return usage("--top: '" + raw.top + "' is no number of rows (0 = all)");
  }
  if (!raw.threads.empty()) {
    const auto threads = parse_integer(raw.threads);
    if (!threads || *threads < 0 || *threads > 4096)
      return usage("--threads: '" + raw.threads + "' is no number of threads");
    common.threads = static_cast<std::size_t>(*threads);
  }
  if (raw.color == "always") common.color = ColorMode::kAlways;
  else if (raw.color == "never") common.color = ColorMode::kNever;
  else if (!raw.color.empty() && raw.color != "auto")
    return usage("--color: '" + raw.color + "' is not known; there are auto, always, never");
  if (raw.rank_from == "metadata") common.rank_from = input::RankFrom::kMetadata;
  else if (raw.rank_from == "name") common.rank_from = input::RankFrom::kName;
  else if (!raw.rank_from.empty() && raw.rank_from != "auto")
    return usage("--rank-from: '" + raw.rank_from + "' is not known; there are auto, metadata, name");
  for (const std::string& text : raw.assign_rank) {
    const std::size_t equals = text.rfind('=');
    const auto rank =
        equals == std::string::npos ? std::nullopt : parse_integer(std::string_view(text).substr(equals + 1));
    if (!rank || *rank < 0) return usage("--assign-rank: '" + text + "' is not PATH=N");
    common.assigned_ranks[text.substr(0, equals)] = *rank;
  }
  if (!raw.classify.empty()) {
    auto rules = read_rules(raw.classify);
    if (!rules) return rules.error();
    common.kernel_rules = std::move(rules).value();
  }
  if (!raw.max_event_duration.empty()) {
    analysis::Options parser;
    const analysis::OptionSpec spec{"max-event-duration", analysis::OptionKind::kTime, "", "US", "", ""};
    if (Status status = parser.set(spec, raw.max_event_duration); !status) return status;
    common.max_event_dur_ns = parser.time_ns("max-event-duration");
  }
  for (const auto& [text, name, least, into] :
       {std::tuple(&raw.max_event_bytes, "max-event-bytes", 1024, &common.scan_limits.event_bytes),
        std::tuple(&raw.max_names, "max-names", 1, &common.load_limits.names),
        std::tuple(&raw.max_expansion, "max-expansion", 1, &common.load_limits.expansion)}) {
    if (text->empty()) continue;
    const auto limit = parse_integer(*text);
    if (!limit || *limit < least)
      return usage("--" + std::string(name) + ": '" + *text + "' is no limit (an integer from " +
                   std::to_string(least) + " on)");
    *into = static_cast<std::size_t>(*limit);
  }
  return {};
}

void add_common(CLI::App& app, RawCommon& raw, const Command& command) {
  if (command.paths == Paths::kNone) return;
  app.add_option("PATH", raw.paths,
                 command.paths == Paths::kTwoRuns ? "BASE and TEST: each a trace file or a directory of ranks"
                                                  : "trace files, or a directory of ranks; - is standard input");
  app.add_option("-f,--format", raw.format, "table, csv, json or markdown")->type_name("FORMAT")->group("Output");
  app.add_option("-o,--output", raw.output, "write to FILE (format from its extension unless -f)")
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--table", raw.tables, "print this table; 'help' lists them")
      ->type_name("NAME")
      ->group("Output")
      ->allow_extra_args(false);
  app.add_option("--output-dir", raw.output_dir, "write every table as DIR/<command>.<table>.csv")
      ->type_name("DIR")
      ->group("Output");
  app.add_option("-n,--top", raw.top, "rows per group, the rest is folded into 'others'; 0 = all")
      ->type_name("N")
      ->group("Output");
  app.add_option("--sort", raw.sort, "sort by this column, largest first")->type_name("COLUMN")->group("Output");
  app.add_option("--color", raw.color, "auto, always or never")->type_name("WHEN")->group("Output");
  app.add_flag("-q,--quiet", raw.quiet, "no warnings and hints on standard error")->group("Output");
  app.add_flag("-v,--verbose", raw.verbose, "say more")->group("Output");
  app.add_option("--rank", raw.rank, "only these ranks, e.g. 0,4-7")->type_name("LIST")->group("Selection");
  app.add_option("--device", raw.device, "only GPU events of these devices")->type_name("LIST")->group("Selection");
  app.add_option("--stream", raw.stream, "only GPU events of these streams")->type_name("LIST")->group("Selection");
  // A command whose --step means more than a filter declares its own.
  const bool own_step = std::any_of(command.options.begin(), command.options.end(),
                                    [](const analysis::OptionSpec& o) { return o.name == "step"; });
  if (!own_step)
    app.add_option("--step", raw.step, "only GPU events of these ProfilerSteps")->type_name("LIST")->group("Selection");
  app.add_option("--name", raw.name, "only GPU events whose name matches")->type_name("REGEX")->group("Selection");
  app.add_option("--classify", raw.classify, "kernel types by rules of your own (JSON)")
      ->type_name("FILE")
      ->group("Selection");
  app.add_flag("-r,--recursive", raw.recursive, "search below the directory for one folder of traces")->group("Input");
  app.add_option("--rank-from", raw.rank_from, "auto, metadata or name")->type_name("SOURCE")->group("Input");
  app.add_option("--assign-rank", raw.assign_rank, "rank of a file that carries none")
      ->type_name("PATH=N")
      ->group("Input")
      ->allow_extra_args(false);
  app.add_option("-j,--threads", raw.threads, "threads (default: one per core)")->type_name("N")->group("Input");
  app.add_flag("--strict", raw.strict, "exit with 4 if anything was damaged or skipped")->group("Input");
  app.add_flag("--no-progress", raw.no_progress, "no progress line")->group("Input");
  app.add_option("--max-event-duration", raw.max_event_duration, "ignore events that are longer (default: seven days)")
      ->type_name("US")
      ->group("Input");
  app.add_option("--max-event-bytes", raw.max_event_bytes, "drop records that are longer (default: 64 MiB)")
      ->type_name("N")
      ->group("Input");
  app.add_option("--max-names", raw.max_names, "refuse a rank with more different texts (default: 16,000,000)")
      ->type_name("N")
      ->group("Input");
  app.add_option("--max-expansion", raw.max_expansion,
                 "refuse gzip data that unpack to more than N times their size (default: 200)")
      ->type_name("N")
      ->group("Input");
}

struct RawOption {
  const analysis::OptionSpec* spec = nullptr;
  std::vector<std::string> texts;
  bool flag = false;
};

void add_own(CLI::App& app, const Command& command, std::vector<RawOption>& raw) {
  raw.reserve(command.options.size());
  for (const analysis::OptionSpec& spec : command.options) {
    RawOption& option = raw.emplace_back();
    option.spec = &spec;
    const std::string name = "--" + std::string(spec.name);
    std::string help(spec.help);
    if (!spec.default_text.empty()) help += " (default: " + std::string(spec.default_text) + ")";
    if (spec.kind == analysis::OptionKind::kFlag) {
      app.add_flag(name, option.flag, help)->group("Options of this command");
    } else {
      CLI::Option* added = app.add_option(name, option.texts, help)
                               ->type_name(std::string(spec.value_name))
                               ->group("Options of this command");
      // One text each time, whatever is in it: CLI11 would take [a,b] apart.
      if (spec.kind != analysis::OptionKind::kTextList) added->expected(1)->take_last();
      added->allow_extra_args(false);
    }
  }
}

std::vector<std::string_view> option_names(const CLI::App& app) {
  std::vector<std::string_view> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  return names;
}

// CLI11's own words for unknown options do not help; ours suggest what was meant.
Error explain(const CLI::App& app, const Command& command, const CLI::ParseError& error,
              const std::vector<std::string>& arguments) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const auto known = option_names(app);
    for (const std::string& argument : arguments) {
      if (!argument.starts_with("-") || argument == "-") continue;
      const std::string word =
          argument.substr(argument.find_first_not_of('-') == std::string::npos ? 0 : argument.find_first_not_of('-'));
      const std::string name = word.substr(0, word.find('='));
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      if (argument.starts_with("-") && !argument.starts_with("--") && argument.size() == 2) {
        bool short_known = false;
        for (const CLI::Option* option : app.get_options()) short_known |= option->check_sname(name);
        if (short_known) continue;
      }
      std::string message = "unknown option " + argument;
      if (const auto guess = nearest(name, known)) message += "; did you mean --" + *guess + "?";
      else message += "; hta " + std::string(command.name) + " --help lists the options";
      return usage(message);
    }
  }
  return usage(std::string(error.what()));
}

void print_overview() {
  fmt::print(
      "hta {}: tells why a multi-GPU PyTorch run is slow\n\nUsage: hta COMMAND [OPTIONS] PATH...\n       hta "
      "PATH...\n\n"
      "PATH is a profiler trace (.json, .json.gz), a directory of ranks, or - for standard input.\n\nCommands:\n",
      kVersion);
  for (const Command& command : commands()) fmt::print("  {:<16}{}\n", command.name, command.summary);
  fmt::print("\nhta COMMAND --help lists the options of a command, hta COMMAND --table help its tables.\n");
}

void print_tables(const Command& command) {
  for (const result::TableSpec& table : command.tables) {
    std::string columns;
    for (const result::ColumnSpec& column : table.columns) {
      if (!columns.empty()) columns += ", ";
      columns += column.presence == result::Presence::kOptional ? "[" + std::string(column.name) + "]"
                                                                : std::string(column.name);
    }
    fmt::print("{}  {}\n", table.name, columns);
  }
}

Parsed exit_with(ExitStatus status) {
  Parsed parsed;
  parsed.status = status;
  return parsed;
}

Status check_tables(const Command& command, const CommonOptions& common) {
  std::vector<std::string_view> names;
  for (const result::TableSpec& table : command.tables) names.push_back(table.name);
  for (const std::string& wanted : common.tables) {
    if (std::find(names.begin(), names.end(), wanted) != names.end()) continue;
    std::string message = "--table: hta " + std::string(command.name) + " has no table '" + wanted + "'";
    if (const auto guess = nearest(wanted, names)) message += "; did you mean " + *guess + "?";
    else message += "; --table help lists them";
    return usage(message);
  }
  if (common.tables.size() > 1 && common.effective_format() == report::Format::kCsv)
    return usage("CSV holds one table; give one --table, or --output-dir DIR");
  return {};
}

}  // namespace

report::Format CommonOptions::effective_format() const {
  if (format) return *format;
  if (!output.empty()) return report::format_of_file(output).value_or(report::Format::kTable);
  return report::Format::kTable;
}

Parsed parse(std::vector<std::string> arguments) {
  if (arguments.empty()) {
    print_overview();
    return exit_with(ExitStatus::kUsage);
  }
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || (first == "help" && arguments.size() == 1)) {
    print_overview();
    return exit_with(ExitStatus::kDone);
  }
  if (first == "--version" || first == "-V") {
    fmt::print("hta {}\n", kVersion);
    return exit_with(ExitStatus::kDone);
  }
  if (first == "help") {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  const Command* command = find_command(arguments.front());
  if (command != nullptr) {
    arguments.erase(arguments.begin());
  } else {
    // A bare path means the summary; a word that is no path is a mistyped command.
    const std::string word = arguments.front();
    const bool path_like = word == "-" || word.find_first_of("./") != std::string::npos || std::ifstream(word).good();
    const bool option_like = word.starts_with("-") && word != "-";
    command = find_command(kDefaultCommand);
    if ((!path_like && !option_like) || command == nullptr) {
      std::vector<std::string_view> names;
      for (const Command& known : commands()) names.push_back(known.name);
      std::string message = "unknown command '" + word + "'";
      if (const auto guess = nearest(word, names)) message += "; did you mean " + *guess + "?";
      else message += "; hta --help lists the commands, and a path must exist";
      return exit_with(fail(usage(message)));
    }
  }

  CLI::App app{std::string(command->summary) + "\n\n" + std::string(command->details),
               "hta " + std::string(command->name)};
  app.get_formatter()->column_width(34);
  RawCommon raw;
  std::vector<RawOption> own;
  add_own(app, *command, own);
  add_common(app, raw, *command);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return exit_with(ExitStatus::kDone);
  } catch (const CLI::ParseError& e) {
    return exit_with(fail(explain(app, *command, e, arguments)));
  }

  Parsed parsed;
  parsed.command = command;
  CommonOptions& common = parsed.invocation.common;
  analysis::Options& options = parsed.invocation.options;
  if (std::find(raw.tables.begin(), raw.tables.end(), "help") != raw.tables.end()) {
    print_tables(*command);
    return exit_with(ExitStatus::kDone);
  }
  if (const Status status = to_common(raw, common); !status) return exit_with(fail(status.error()));
  if (const Status status = check_tables(*command, common); !status) return exit_with(fail(status.error()));
  for (const RawOption& option : own) {
    if (option.flag) options.set_flag(option.spec->name);
    if (option.texts.empty() && !option.spec->default_text.empty() &&
        option.spec->kind != analysis::OptionKind::kTextList) {
      if (const Status status = options.set(*option.spec, option.spec->default_text); !status)
        return exit_with(fail(status.error()));
    }
    for (const std::string& given : option.texts) {
      const Result<std::string> text = option_text(*option.spec, given);
      if (!text) return exit_with(fail(text.error()));
      if (const Status status = options.set(*option.spec, text.value()); !status)
        return exit_with(fail(status.error()));
    }
  }
  if (command->paths == Paths::kOneRun && common.paths.empty()) {
    return exit_with(fail(
        usage("no PATH given; hta " + std::string(command->name) + " needs a trace file or a directory of ranks")));
  }
  if (command->paths == Paths::kTwoRuns && common.paths.size() != 2) {
    return exit_with(fail(usage("hta " + std::string(command->name) + " takes two paths, BASE and TEST")));
  }
  const bool for_people =
      common.effective_format() == report::Format::kTable || common.effective_format() == report::Format::kMarkdown;
  constexpr std::int64_t kTopForPeople = 10;
  options.top = common.top.value_or(for_people && common.output_dir.empty() ? kTopForPeople : 0);
  options.strict = common.strict;
  options.top_given = common.top.has_value();
  options.tables = common.tables;
  if (options.tables.empty() && common.effective_format() == report::Format::kCsv && common.output_dir.empty() &&
      !command->tables.empty()) {
    options.tables = {std::string(command->tables.front().name)};
  }
  options.all_tables = !common.output_dir.empty();
  options.paths = common.paths;
  return parsed;
}

}  // namespace hta::cli
