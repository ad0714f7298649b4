// Runs of several files: which are read, as which rank, and on which clock.
#include "hta/input/run.h"

#include "hta/input/excerpts.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>

#include <catch2/catch.hpp>

namespace hta::input {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "hta-run-test-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string write(const std::string& name, std::string_view text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

std::string trace(std::string_view info, int start_us = 100) {
  return "{" + std::string(info) + (info.empty() ? "" : ",") +
         R"("traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":)" + std::to_string(start_us) +
         R"(,"dur":5}]})";
}
std::string rank_info(int rank, int world = 1) {
  return R"("distributedInfo":{"rank":)" + std::to_string(rank) + R"(,"world_size":)" + std::to_string(world) + "}";
}

struct Read {
  Run run;
  int used = 0;
  std::string error;
};
Read read(const std::vector<std::string>& paths, RunOptions options = {}) {
  Read out;
  const auto files = list_files(paths, Recursive::kNo);
  REQUIRE(files);
  std::mutex mutex;
  auto run = read_run(*files, options, [&](std::size_t, const Trace&) {
    const std::lock_guard lock(mutex);
    ++out.used;
  });
  if (run) out.run = std::move(run).value();
  else out.error = run.error().text();
  return out;
}
IntRanges ranks(std::string_view text) {
  return IntRanges::parse(text).value();
}

}  // namespace

TEST_CASE("run: files come in natural order, once, hidden ones and other kinds not") {
  const Folder folder;
  for (const char* name : {"rank10.json", "rank2.json.gz", ".hidden.json", "notes.txt", "below/rank3.json"})
    folder.write(name, "{}");
  const auto files = list_files({folder.path() + "//", folder.path() + "/rank10.json"}, Recursive::kNo);
  REQUIRE(files);
  CHECK(files->files == std::vector<std::string>{folder.path() + "/rank2.json.gz", folder.path() + "/rank10.json"});
  CHECK(files->from_directory);
  CHECK(list_files({folder.path() + "/nothing"}, Recursive::kNo).error().text() ==
        folder.path() + "/nothing: does not exist; check the path");
}

TEST_CASE("run: below a directory every folder with traces is a run") {
  const Folder folder;
  for (const char* name : {"iteration_20/rank0.json", "iteration_20/rank1.json", "iteration_30/rank0.json"})
    folder.write(name, "{}");
  CHECK(list_files({folder.path()}, Recursive::kNo).error().message.starts_with("holds no trace files"));
  const auto both = list_files({folder.path()}, Recursive::kYes);
  REQUIRE(both);
  CHECK(both->runs == std::vector<std::string>{folder.path() + "/iteration_20", folder.path() + "/iteration_30"});
  CHECK(both->files.empty());
  fs::remove_all(folder.path() + "/iteration_30");
  const auto one = list_files({folder.path()}, Recursive::kYes);
  REQUIRE(one);
  CHECK(one->runs.empty());
  CHECK(one->files.size() == 2);
}

TEST_CASE("run: one bad file does not take down the others") {
  const Folder folder;
  folder.write("rank0.json", trace(rank_info(0, 2)));
  folder.write("rank1.json", "<html>");
  folder.write("hta.breakdown.json", R"({"schema":"hta/1","tables":{}})");
  const Read got = read({folder.path()});
  REQUIRE(got.error.empty());
  CHECK(got.used == 1);
  CHECK(got.run.lost_data);
  REQUIRE(got.run.inputs.size() == 3);
  CHECK(got.run.inputs[0].rank == RankKey(0, 0));
  CHECK(got.run.inputs[1].status == FileStatus::kOwnOutput);
  CHECK(got.run.inputs[2].status == FileStatus::kNotATrace);
}

TEST_CASE("run: files that hta wrote are no loss, and are read if named") {
  const Folder folder;
  folder.write("rank0.json", trace(rank_info(0)));
  const std::string own = folder.write(
      "own.json",
      R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1},{"ph":"C","cat":"hta_counter","name":"q","ts":1}]})");
  const Read all = read({folder.path()});
  CHECK(all.used == 1);
  CHECK_FALSE(all.run.lost_data);
  CHECK(read({own}).used == 1);
}

TEST_CASE("run: nothing usable tells the most telling reason") {
  const Folder folder;
  const std::string empty = folder.write("b.json", "");
  folder.write("a.json", "{\"x\": 1}");
  CHECK(read({folder.path()}).error == empty +
                                           ": is empty; was the job killed before it wrote the trace? (none of the 2 "
                                           "files gives a trace; hta info lists them)");
}

TEST_CASE("run: files whose head tells another rank are not loaded") {
  const Folder folder;
  for (int rank = 0; rank < 4; ++rank) folder.write("t" + std::to_string(rank) + ".json", trace(rank_info(rank, 4)));
  folder.write("t9.json", R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1}],)" + rank_info(9) +
                              "}");  // told at the end
  RunOptions options;
  options.ranks = ranks("1,3");
  const Read got = read({folder.path()}, options);
  CHECK(got.used == 3);
  std::string selected;
  for (const RunInput& input : got.run.inputs)
    selected += std::to_string(input.rank->rank()) + (input.selected ? "+" : input.loaded ? "-" : ".");
  CHECK(selected == "0.1+2.3+9-");
  options.ranks = ranks("7");
  CHECK(read({folder.path()}, options).error == "no rank is left by --rank; hta info lists the ranks");
}

TEST_CASE("run: damage of ranks that are not selected is no loss") {
  const Folder folder;
  folder.write("rank0.json", trace(rank_info(0, 2)));
  folder.write("rank1.json", trace(rank_info(1, 2)).substr(0, 100));
  CHECK(read({folder.path()}).run.lost_data);
  RunOptions options;
  options.ranks = ranks("0");
  CHECK_FALSE(read({folder.path()}, options).run.lost_data);
}

TEST_CASE("run: clocks are brought together where every file tells its base") {
  const Folder folder;
  folder.write("rank0.json", trace(rank_info(0) + R"(,"baseTimeNanoseconds":1000000)", 1000));
  folder.write("rank1.json", trace(rank_info(1) + R"(,"baseTimeNanoseconds":1500000)", 500));
  const Read together = read({folder.path()});
  REQUIRE(together.run.inputs.size() == 2);
  CHECK(together.run.inputs[0].shift_ns == -1'000'000);
  CHECK(together.run.inputs[1].shift_ns == -500'000);
  CHECK(together.run.notes.empty());

  folder.write("rank1.json", trace(rank_info(1), 500));
  const Read partly = read({folder.path()});
  CHECK(partly.run.inputs[0].shift_ns == -500'000);
  REQUIRE(partly.run.notes.size() == 1);
  CHECK(partly.run.notes[0].code == "base-time-missing");

  folder.write("rank1.json", trace(rank_info(1) + R"(,"baseTimeNanoseconds":-9000000000000000000)", 500));
  const Read absurd = read({folder.path()});
  REQUIRE(absurd.run.notes.size() == 1);
  CHECK(absurd.run.notes[0].code == "base-time-apart");
}

TEST_CASE("run: calls with several GPU events that are no graphs are counted") {
  const Folder folder;
  const auto launch = [](std::string_view name, int correlation) {
    return R"({"ph":"X","cat":"cuda_runtime","name":")" + std::string(name) +
           R"(","pid":1,"tid":1,"ts":1,"dur":1,"args":{"correlation":)" + std::to_string(correlation) + "}}";
  };
  const auto kernel = [](int correlation) {
    return R"(,{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":1,"args":{"correlation":)" +
           std::to_string(correlation) + "}}";
  };
  const std::string path =
      folder.write("a.json", "[" + launch("cudaGraphLaunch", 1) + kernel(1) + kernel(1) + "," +
                                 launch("hipExtModuleLaunchKernel", 2) + kernel(2) + kernel(2) + "]");
  CHECK(read({path}).run.inputs[0].shared_launches == 1);
}

TEST_CASE("excerpts: texts and offsets of single records are read again") {
  const Folder folder;
  std::string text = "[";
  for (int i = 0; i < 20'000; ++i)
    text += (i > 0 ? "," : "") + (R"({"ph":"X","name":"k)" + std::to_string(i) + R"(","ts":1,"dur":1})");
  const std::string path = folder.write("a.json", text + "]");
  const std::vector<std::uint32_t> positions{15'000, 0, 19'999};
  const auto offsets = offsets_of_records(path, positions, {});
  REQUIRE(offsets);
  const auto texts = read_excerpts(path, *offsets, 24);
  REQUIRE(texts);
  CHECK((*texts)[0] == R"({"ph":"X","name":"k15000)");
  CHECK((*texts)[1] == R"({"ph":"X","name":"k0","t)");
  CHECK((*texts)[2] == R"({"ph":"X","name":"k19999)");
  const std::vector<std::uint64_t> end{text.size() - 3, text.size() + 10};
  CHECK(read_excerpts(path, end, 24).value() == std::vector<std::string>{":1}]", ""});
  CHECK(read_excerpts("-", end, 24).error().text() == "standard input: cannot be read twice; give a file");
  CHECK_FALSE(offsets_of_records(path, std::vector<std::uint32_t>{20'000}, {}));
}

}  // namespace hta::input
