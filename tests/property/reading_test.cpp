// How a file is read must not show: any number of threads, size of buffers and division of the file gives the same.

#include "hta/input/load.h"

#include <algorithm>
#include <sstream>

#include "property/trace_text.h"
#include "support/temporary_file.h"
#include <catch2/catch.hpp>

namespace hta::test {
namespace {

using input::LoadedFile;
using input::LoadOptions;

LoadOptions everything() {
  LoadOptions options;
  Needs& needs = options.build.needs;
  needs.python_frames = needs.call_tree = needs.annotations = needs.sync_records = true;
  needs.memory_events = needs.flows = needs.profiler_ranges = true;
  needs.gpu_args = {ArgKey::kBytes, ArgKey::kMemoryBandwidth, ArgKey::kDtype, ArgKey::kInMsgNelems};
  needs.host_args = {ArgKey::kExternalId, ArgKey::kInputDims, ArgKey::kInputType};
  return options;
}

template <class Index>
void tell_args(std::ostream& out, const Trace& trace, const ArgTable<Index>& args) {
  for (std::size_t key = 0; key < kArgCount; ++key) {
    const auto& column = args.columns[key];
    const bool text = arg_spec(static_cast<ArgKey>(key)).type == ArgType::kText;
    for (std::size_t i = 0; i < column.size(); ++i) {
      out << "arg " << key << ' ' << column.row(i).value() << ' ';
      if (text) out << trace.text(StringId(static_cast<std::size_t>(column.value(i)))) << '\n';
      else out << column.value(i) << '\n';
    }
  }
}

void tell_thread(std::ostream& out, const Trace& trace, ThreadId id) {
  const Thread& on = trace.threads[id.value()];
  out << trace.track_text(on.pid) << '/' << trace.track_text(on.tid) << ' ';
}

void tell_events(std::ostream& out, const Trace& trace) {
  const GpuEvents& gpu = trace.gpu;
  for (const GpuId i : IdRange<GpuId>(gpu.size())) {
    out << "gpu " << gpu.start_ns[i] << ' ' << gpu.dur_ns[i] << ' ' << trace.name(i) << ' ' << trace.stream_of(i).device
        << ' ' << trace.stream_of(i).stream << ' ' << trace.text(trace.category(gpu.category[i]).text) << ' '
        << kernel_type_name(gpu.type[i]) << ' ' << gpu.correlation[i] << ' ' << gpu.launch[i].value() << ' '
        << gpu.step[i].value() << ' ' << gpu.position[i] << ' ';
    tell_thread(out, trace, gpu.thread[i]);
    out << '\n';
  }
  tell_args(out, trace, trace.gpu_args);
  const LaunchCalls& calls = trace.launches;
  for (const LaunchId i : IdRange<LaunchId>(calls.size())) {
    out << "launch " << calls.start_ns[i] << ' ' << calls.dur_ns[i] << ' ' << trace.name(i) << ' '
        << calls.correlation[i] << ' ' << calls.host[i].value() << ' ' << calls.position[i];
    for (const GpuId event : calls.gpu_events(i)) out << ' ' << event.value();
    out << ' ';
    tell_thread(out, trace, calls.thread[i]);
    out << '\n';
  }
  const HostEvents& host = trace.host;
  for (const HostId i : IdRange<HostId>(host.size())) {
    out << "host " << host.start_ns[i] << ' ' << host.dur_ns[i] << ' ' << trace.name(i) << ' '
        << (host.category[i].valid() ? trace.text(trace.category(host.category[i]).text) : "none") << ' '
        << host.position[i] << ' ' << host.parent[i].value() << ' ';
    tell_thread(out, trace, host.thread[i]);
    out << '\n';
  }
  tell_args(out, trace, trace.host_args);
}

void tell_records(std::ostream& out, const Trace& trace) {
  for (const Annotation& row : trace.annotations) {
    out << "annotation " << row.start_ns << ' ' << row.dur_ns << ' ' << trace.text(row.name) << ' ' << row.position
        << ' ';
    tell_thread(out, trace, row.thread);
    out << '\n';
  }
  for (const SyncRecord& row : trace.sync_records) {
    out << "sync " << row.start_ns << ' ' << row.dur_ns << ' ' << trace.text(row.name) << ' ' << row.correlation << ' '
        << row.position << '\n';
  }
  for (const MemoryEvent& row : trace.memory_events) {
    out << "memory " << row.time_ns << ' ' << row.bytes << ' ' << row.total_allocated << ' ' << row.position << ' ';
    tell_thread(out, trace, row.thread);
    out << '\n';
  }
  for (const ThreadId thread : trace.backward_threads) {
    out << "backward ";
    tell_thread(out, trace, thread);
    out << '\n';
  }
  for (const Step& step : trace.steps)
    out << "step " << step.number << ' ' << step.start_ns << ' ' << step.end_ns << '\n';
  for (const StepEvent& step : trace.step_events)
    out << "step event " << step.number << ' ' << step.start_ns << ' ' << step.position << '\n';
}

// All that loading found, as text.
std::string told(const LoadedFile& file) {
  std::ostringstream out;
  out << input::file_status_text(file.status) << ' ' << file.problem << ' ' << file.text_bytes << ' ' << file.records
      << '\n';
  for (const input::FileNote& note : file.notes)
    out << note.code << ' ' << note.message << ' ' << note.loses_data << '\n';
  for (const std::string& label : file.labels) out << "label " << label << '\n';
  for (const Trace& trace : file.traces) {
    out << "trace " << trace.quality.kept << ' ' << trace.first_start_ns.value_or(-1) << ' ' << trace.last_end_ns << ' '
        << trace.info.rank.value_or(-1) << ' ' << trace.info.devices.size() << ' '
        << trace.info.base_time_ns.value_or(-1) << '\n';
    for (std::size_t i = 0; i < trace.strings.size(); ++i) out << "string " << trace.strings.text(StringId(i)) << '\n';
    for (const Category& category : trace.categories)
      out << "category " << trace.text(category.text) << ' ' << category.kept << '\n';
    for (const FaultCount& fault : trace.quality.faults) {
      out << "fault " << fault.count;
      for (const std::uint64_t offset : fault.first_offsets) out << ' ' << offset;
      out << '\n';
    }
    tell_events(out, trace);
    tell_records(out, trace);
  }
  return out.str();
}

std::string told(const std::string& path, const LoadOptions& options, std::size_t threads) {
  input::Workspace workspace;
  return told(load_file(path, options, threads, workspace));
}

// The first line in which two tellings differ, with those around it; empty if there is none.
std::string difference(const std::string& found, const std::string& expected) {
  const auto [at, other] = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
  if (at == found.end() && other == expected.end()) return {};
  const auto shown = [](const std::string& text, std::size_t place) {
    return text.substr(place - std::min<std::size_t>(place, 200), 400);
  };
  return "found\n" + shown(found, static_cast<std::size_t>(at - found.begin())) + "\ninstead of\n" +
         shown(expected, static_cast<std::size_t>(other - expected.begin()));
}

void check_all_ways(const TemporaryFile& file, std::mt19937_64& random) {
  LoadOptions plain = everything();
  const std::string expected = told(file.path(), plain, 1);
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{61}, std::size_t{4096}}) {
    LoadOptions options = everything();
    options.reading.chunk_bytes = chunk + random() % 7;
    INFO("chunks of " << options.reading.chunk_bytes);
    CHECK(difference(told(file.path(), options, 1), expected) == "");
    if (chunk > 1000) {  // threads that pass single bytes to each other take for ever
      options.reading.read_ahead_from = 0;
      CHECK(difference(told(file.path(), options, 2), expected) == "");
    }
    options.reading.split_from = 0;
    for (const std::size_t threads : {std::size_t{2}, std::size_t{3}, std::size_t{7}}) {
      INFO(threads << " parts");
      CHECK(difference(told(file.path(), options, threads), expected) == "");
    }
  }
}

void check_texts(std::uint64_t seed, std::size_t count, TextOptions options) {
  std::mt19937_64 random(seed);
  const TemporaryFile file;
  for (std::size_t i = 0; i < count; ++i) {
    options.pretty = random() % 2 == 0;
    options.bare_array = random() % 4 == 0;
    options.records = 5 + random() % 200;
    file.write(random_trace_text(random, options));
    INFO("seed " << seed << ", text " << i);
    check_all_ways(file, random);
  }
}

}  // namespace

TEST_CASE("the way a whole file is read does not show") {
  check_texts(1, 12, {});
}
TEST_CASE("the way a file with texts that look like records is read does not show") {
  TextOptions options;
  options.traps = true;
  check_texts(2, 12, options);
}
TEST_CASE("the way a damaged file is read does not show") {
  TextOptions options;
  options.traps = true;
  for (options.damages = 1; options.damages < 4; ++options.damages) check_texts(3 + options.damages, 20, options);
}
TEST_CASE("the way a file with begins, ends and labels is read does not show") {
  TextOptions options;
  options.pairs = true;
  check_texts(11, 6, options);
  options.labels = true;
  check_texts(12, 6, options);
}

}  // namespace hta::test
