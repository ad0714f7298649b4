#include "trace_file.h"

#include <algorithm>
#include <iterator>

#include "sections.h"
#include "truth.h"
#include <fmt/format.h>

namespace tracegen {
namespace {

std::string device_properties() {
  std::string text = "[\n";
  for (int device = 0; device < 8; ++device) {
    fmt::format_to(std::back_inserter(text),
                   R"(    {{
      "id": {}, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85017624576,
      "computeMajor": 9, "computeMinor": 0,
      "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048,
      "regsPerBlock": 65536, "warpSize": 32,
      "sharedMemPerBlock": 49152, "numSms": 132
    , "regsPerMultiprocessor": 65536, "sharedMemPerBlockOptin": 232448, "sharedMemPerMultiprocessor": 233472
    }}{})",
                   device, device < 7 ? ",\n" : "\n");
  }
  return text + "  ]";
}

std::string distributed_info(const Job& job, int rank) {
  std::string groups;
  int count = 0;
  const auto add = [&](std::string_view name, std::string_view description, std::string_view ranks, std::size_t size) {
    fmt::format_to(
        std::back_inserter(groups),
        R"({}{{"pg_name": "{}", "pg_desc": "{}", "backend_config": "cuda:nccl", "pg_size": {}, "ranks": {}}})",
        count++ == 0 ? "" : ", ", name, description, size, ranks);
  };
  std::vector<int> all(static_cast<std::size_t>(job.layout.ranks()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  add("0", "default_pg", fmt::format("[{}]", fmt::join(all, ", ")), all.size());
  for (int role = 0; role < kRoles; ++role) {
    const int index = job.layout.group_of(rank, static_cast<Role>(role));
    if (index < 0) continue;
    const Group& group = job.layout.groups()[static_cast<std::size_t>(index)];
    if (group.name == "0") continue;
    add(group.name, group.description, fmt::format("[{}]", fmt::join(group.members, ", ")), group.members.size());
  }
  return fmt::format(
      R"({{"backend": "nccl", "rank": {}, "world_size": {}, "pg_count": {}, "pg_config": [{}], "nccl_version": "2.21.5"}})",
      rank, job.layout.ranks(), count, groups);
}

void write_header(const Job& job, int rank, const Clock& clock, TraceText& text) {
  const Options& o = job.options;
  const auto flag = [](bool on) { return on ? "1" : "0"; };
  text.header("schemaVersion", "1");
  text.header("deviceProperties", device_properties());
  if (o.style != Style::kTorchOld) {
    text.header("cuda_runtime_version", "12040");
    text.header("cuda_driver_version", "12080");
    text.header("with_flops", "0");
    text.header("record_shapes", flag(o.shapes));
    text.header("with_stack", flag(o.python_stack > 0));
    text.header("profile_memory", flag(o.memory));
  }
  text.header("distributedInfo", distributed_info(job, rank));
  if (o.style == Style::kTorchOld) return;
  const Draws draws(o.seed, rank, 0);
  text.header("trace_id",
              fmt::format("\"{:016X}{:016X}\"", draws.at(Tag("trace id"), 0), draws.at(Tag("trace id"), 1)));
  text.header("displayTimeUnit", "\"ms\"");
  text.header("baseTimeNanoseconds", fmt::format("{}", clock.base_ns()));
}

std::int64_t cut_at(const std::vector<RankCount>& list, int rank) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const RankCount& cut) { return cut.rank == rank; });
  return found == list.end() ? -1 : found->count;
}

}  // namespace

std::string trace_file_name(const Options& options, int rank) {
  return fmt::format("rank-{}.json{}", rank, options.gzip > 0 ? ".gz" : "");
}

RankResult write_rank(Job& job, int rank, const std::vector<StepRecord>& steps, Backend& backend) {
  const Options& o = job.options;
  const Clock clock(o, rank);
  ByteSink out(backend, cut_at(o.truncate, rank));
  TraceText text(o, rank, out);
  EventWriter writer(job, rank, clock, text);
  RankTruth truth(job, rank, steps);

  if (!o.meta_last) write_header(job, rank, clock, text);
  text.begin_events();
  PhaseEnds phases;
  if (o.op_order == SpanOrder::kStart) replay_rank(job, rank, phases);
  for (const auto threads : {HostSection::Threads::kAutograd, HostSection::Threads::kOthers}) {
    HostSection section(writer, threads, o.op_order, phases.ends());
    replay_rank(job, rank, section);
  }
  if (o.python_stack > 0) {
    FrameSection section(writer, o.op_order, steps.back().end_ns);
    replay_rank(job, rank, section);
  }
  ActivitySection activity(writer, truth);
  replay_rank(job, rank, activity);
  const Nanos gpu_end_ns = activity.finish();
  writer.metadata(std::max(gpu_end_ns, steps.back().end_ns));
  text.end_events();
  if (o.meta_last) write_header(job, rank, clock, text);
  if (o.style != Style::kTorchOld) text.header("traceName", fmt::format("\"rank-{}.json\"", rank));
  text.end_file();

  RankResult result{.counts = writer.counts(), .raw_bytes = out.size(), .truth_json = {}, .truth_tables = {}};
  out.flush();
  backend.finish();
  if (o.truth != TruthLevel::kNone) result.truth_json = truth.json(clock, writer.counts());
  if (o.truth == TruthLevel::kFull) result.truth_tables = truth.tables();
  return result;
}

int steps_for_target(const Options& options) {
  // Steps differ little in size, so two short runs of one rank tell the rest.
  const auto measure = [&](int steps) {
    Options o = options;
    o.steps = steps;
    o.truth = TruthLevel::kNone;
    Job job(o);
    CauseChain chain;
    chain.disable();
    const auto records = simulate_job(job, chain);
    const auto backend = open_counter();
    return write_rank(job, 0, records[0], *backend).raw_bytes;
  };
  constexpr int kShort = 4;
  constexpr int kLong = 12;
  const std::int64_t small = measure(kShort);
  const std::int64_t per_step = (measure(kLong) - small) / (kLong - kShort);
  const std::int64_t wanted = options.target_bytes / options.ranks;
  const std::int64_t steps = kShort + std::max<std::int64_t>(0, wanted - small + per_step - 1) / per_step;
  return static_cast<int>(steps + 1);
}

}  // namespace tracegen
