#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

#include "options.h"
#include "trace_file.h"
#include "truth.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tracegen {
namespace {

namespace fs = std::filesystem;

void write_text(const fs::path& path, std::string_view text) {
  const auto file = open_file(path.string());
  file->write(text);
  file->finish();
}

RankResult write_rank_file(Job& job, int rank, const std::vector<StepRecord>& steps) {
  const Options& o = job.options;
  const fs::path path = fs::path(o.out) / trace_file_name(o, rank);
  const auto backend = o.gzip > 0 ? open_gzip(path.string(), o.gzip, o.members) : open_file(path.string());
  RankResult result = write_rank(job, rank, steps, *backend);
  for (const RankCount& cut : o.truncate_file) {
    if (cut.rank != rank && cut.rank >= 0) continue;
    fs::resize_file(path, std::min(static_cast<std::uintmax_t>(cut.count), fs::file_size(path)));
  }
  if (o.truth == TruthLevel::kFull) {
    write_text(fs::path(o.out) / fmt::format("truth-rank-{}.json", rank), result.truth_tables);
    result.truth_tables.clear();
  }
  return result;
}

/// Each thread takes the next rank; ranks share nothing that changes.
std::vector<RankResult> write_all(Job& job, const std::vector<std::vector<StepRecord>>& steps) {
  std::vector<RankResult> results(steps.size());
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    try {
      for (std::size_t rank = next++; rank < steps.size(); rank = next++) {
        results[rank] = write_rank_file(job, static_cast<int>(rank), steps[rank]);
      }
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next = steps.size();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < std::min<std::size_t>(job.options.threads, steps.size()); ++i) threads.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
  return results;
}

void write_manifest(const Options& o, const std::vector<RankResult>& results) {
  nlohmann::ordered_json manifest;
  manifest["generator"] = "hta-tracegen";
  for (const auto& [name, value] : o.listing) manifest["parameters"][name] = value;
  manifest["parameters"]["steps"] = fmt::format("{}", o.steps);
  auto& files = manifest["files"] = nlohmann::ordered_json::array();
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    nlohmann::ordered_json file = {{"file", trace_file_name(o, static_cast<int>(rank))},
                                   {"raw_bytes", results[rank].raw_bytes}};
    std::int64_t events = 0;
    auto& by_category = file["events"] = nlohmann::ordered_json::object();
    for (std::size_t category = 0; category < results[rank].counts.of.size(); ++category) {
      std::int64_t count = 0;
      for (const std::int64_t of_phase : results[rank].counts.of[category]) count += of_phase;
      events += count;
      const auto name = category_name(static_cast<Category>(category), o.style);
      if (count > 0) by_category[name.empty() ? "without" : std::string(name)] = count;
    }
    file["event_count"] = events;
    files.push_back(std::move(file));
  }
  write_text(fs::path(o.out) / "manifest.json", manifest.dump(1) + "\n");
}

int run(int argc, const char* const* argv) {
  Options options;
  switch (parse_command_line(argc, argv, options)) {
    case ParseOutcome::kExitOk: return 0;
    case ParseOutcome::kExitUsage: return 2;
    case ParseOutcome::kRun: break;
  }
  if (options.target_bytes > 0 && !options.steps_given) options.steps = steps_for_target(options);
  fs::create_directories(options.out);
  Job job(options);
  CauseChain chain;
  if (options.truth == TruthLevel::kNone) chain.disable();
  const auto steps = simulate_job(job, chain);
  const std::vector<RankResult> results = write_all(job, steps);
  if (options.truth != TruthLevel::kNone) {
    std::vector<std::string> ranks;
    ranks.reserve(results.size());
    for (const RankResult& result : results) ranks.push_back(result.truth_json);
    write_truth((fs::path(options.out) / "truth.json").string(), job, ranks);
  }
  write_manifest(options, results);
  std::int64_t bytes = 0;
  for (const RankResult& result : results) bytes += result.raw_bytes;
  fmt::print("{} ranks, {} steps, {:.1f} MB of text in {}\n", options.ranks, options.steps,
             static_cast<double>(bytes) / 1e6, options.out);
  return 0;
}

}  // namespace
}  // namespace tracegen

int main(int argc, char** argv) {
  try {
    return tracegen::run(argc, argv);
  } catch (const tracegen::UsageError& error) {
    fmt::print(stderr, "hta-tracegen: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "hta-tracegen: {}\n", error.what());
    return 1;
  }
}
