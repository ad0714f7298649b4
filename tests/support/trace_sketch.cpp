#include "support/trace_sketch.h"

#include <algorithm>
#include <stdexcept>

namespace hta::test {

Needs every_need() {
  Needs needs;
  needs.host_events = needs.python_frames = needs.call_tree = needs.annotations = true;
  needs.sync_records = needs.memory_events = needs.flows = needs.profiler_ranges = true;
  for (std::size_t i = 0; i < kArgCount; ++i) {
    needs.gpu_args.insert(static_cast<ArgKey>(i));
    needs.host_args.insert(static_cast<ArgKey>(i));
  }
  return needs;
}

TraceSketch::TraceSketch() : TraceSketch(every_need()) {}

TraceSketch::TraceSketch(Needs needs)
    : builder_([&] {
        BuildOptions options;
        options.needs = needs;
        return options;
      }()) {}

std::uint32_t TraceSketch::event(std::string_view category, std::string_view name, Nanos start_ns, Nanos dur_ns,
                                 std::int64_t pid, std::int64_t tid, std::initializer_list<SketchArg> args) {
  std::vector<ArgValue> values;
  for (const SketchArg& arg : args) {
    const bool text = arg_spec(arg.key).type == ArgType::kText;
    values.push_back({arg.key, text ? builder_.strings().intern(arg.text).value() : arg.number});
  }
  Event event;
  event.phase = 'X';
  event.category = builder_.category(builder_.strings().intern(category));
  event.has_name = true;
  event.name = builder_.strings().intern(name);
  event.time_ns = start_ns;
  event.dur_ns = dur_ns;
  event.pid.number = pid;
  event.tid.number = tid;
  event.args = values;
  event.position = position_;
  event.offset = position_;
  builder_.add(event);
  return position_++;
}

std::uint32_t TraceSketch::op(std::string_view name, std::int64_t start_us, std::int64_t dur_us, std::int64_t tid) {
  return event("cpu_op", name, us(start_us), us(dur_us), kMain, tid);
}

std::uint32_t TraceSketch::annotation(std::string_view name, std::int64_t start_us, std::int64_t dur_us,
                                      std::int64_t tid) {
  return event("user_annotation", name, us(start_us), us(dur_us), kMain, tid);
}

std::uint32_t TraceSketch::python(std::string_view name, std::int64_t start_us, std::int64_t dur_us, std::int64_t tid) {
  return event("python_function", name, us(start_us), us(dur_us), kMain, tid);
}

std::uint32_t TraceSketch::step(std::int64_t number, std::int64_t start_us, std::int64_t dur_us) {
  return annotation("ProfilerStep#" + std::to_string(number), start_us, dur_us);
}

std::uint32_t TraceSketch::call(std::string_view name, std::int64_t start_us, std::int64_t dur_us,
                                std::int64_t correlation, std::int64_t tid) {
  return event("cuda_runtime", name, us(start_us), us(dur_us), kMain, tid, {{ArgKey::kCorrelation, correlation, {}}});
}

std::uint32_t TraceSketch::gpu(std::string_view name, std::int64_t start_us, std::int64_t dur_us,
                               std::int64_t correlation, std::int64_t stream, std::int64_t device,
                               std::string_view category) {
  return event(category, name, us(start_us), us(dur_us), device, stream,
               {{ArgKey::kDevice, device, {}}, {ArgKey::kStream, stream, {}}, {ArgKey::kCorrelation, correlation, {}}});
}

std::int64_t TraceSketch::kernel(std::string_view name, std::int64_t launch_us, std::int64_t launch_dur_us,
                                 std::int64_t start_us, std::int64_t dur_us, std::int64_t stream, std::int64_t device) {
  const std::int64_t correlation = next_correlation_++;
  call("cudaLaunchKernel", launch_us, launch_dur_us, correlation);
  gpu(name, start_us, dur_us, correlation, stream, device);
  return correlation;
}

analysis::Options options_of(const analysis::AnalysisSpec& spec,
                             std::initializer_list<std::pair<std::string_view, std::string_view>> values) {
  analysis::Options options;
  for (const analysis::OptionSpec& option : spec.options) {
    const bool list = option.kind == analysis::OptionKind::kTextList;
    if (!option.default_text.empty() && !list && !options.set(option, option.default_text).ok())
      throw std::logic_error("bad default");
  }
  for (const auto& [name, text] : values) {
    const auto at = std::find_if(spec.options.begin(), spec.options.end(),
                                 [&name = name](const auto& option) { return option.name == name; });
    if (at == spec.options.end()) throw std::logic_error("no such option: " + std::string(name));
    if (const Status status = options.set(*at, text); !status) throw std::logic_error(status.error().text());
  }
  return options;
}

Outcome run(const analysis::AnalysisSpec& spec, const std::vector<const Trace*>& ranks,
            const analysis::Options& options) {
  Nanos earliest = INT64_MAX;
  for (const Trace* trace : ranks) earliest = std::min(earliest, trace->first_start_ns.value_or(INT64_MAX));
  std::vector<analysis::RankPartial> partials;
  std::int64_t rank = 0;
  for (const Trace* trace : ranks) {
    analysis::RankContext context;
    context.rank = RankKey(rank++, 0);
    context.shift_ns = earliest == INT64_MAX ? 0 : -earliest;
    context.info = std::make_shared<const TraceInfo>(trace->info);
    context.first_start_ns = trace->first_start_ns.value_or(0);
    context.last_end_ns = trace->last_end_ns;
    context.kept_events = trace->quality.kept;
    for (const StepId step : trace->incomplete_steps) context.incomplete_steps.push_back(trace->step(step).number);
    partials.push_back({std::move(context), spec.map(*trace, options)});
  }
  Outcome outcome;
  outcome.document.command = std::string(spec.name);
  outcome.status = spec.combine(partials, options, outcome.document);
  return outcome;
}

namespace {
std::vector<std::string> rows_of_columns(const result::Table& table, const std::vector<std::size_t>& columns) {
  std::vector<std::string> rows;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    std::string row;
    for (std::size_t i = 0; i < columns.size(); ++i) row += (i == 0 ? "" : "|") + table.plain(r, columns[i]);
    rows.push_back(std::move(row));
  }
  return rows;
}
const result::Table& table_of(const result::Document& document, std::string_view name) {
  const result::Table* table = document.find_table(name);
  if (table == nullptr) throw std::logic_error("no table " + std::string(name));
  return *table;
}
}  // namespace

std::vector<std::string> rows_of(const result::Document& document, std::string_view name) {
  const result::Table& table = table_of(document, name);
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < table.columns().size(); ++c) columns.push_back(c);
  return rows_of_columns(table, columns);
}

std::vector<std::string> rows_of(const result::Document& document, std::string_view name,
                                 std::initializer_list<std::string_view> names) {
  const result::Table& table = table_of(document, name);
  std::vector<std::size_t> columns;
  for (const std::string_view column : names) {
    const auto at = table.find_column(column);
    if (!at) throw std::logic_error("no column " + std::string(column));
    columns.push_back(*at);
  }
  return rows_of_columns(table, columns);
}

}  // namespace hta::test
