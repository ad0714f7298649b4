// The line that tells a person what could be used of damaged traces, against what an independent reader of the same
// text says.
#include "hta/input/run.h"
#include "hta/report/render.h"

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <span>
#include <tuple>

#include "cli/run_analysis.h"
#include "support/random.h"
#include "support/scanned.h"
#include "support/temporary_file.h"
#include <catch2/catch.hpp>

namespace hta::test {
namespace {

// How a writer begins, what it puts between records, and how it ends.
struct Style {
  std::string_view head;
  std::string_view between;
  std::string_view tail;
};
constexpr std::array kStyles{
    Style{"{\n\"schemaVersion\": 1,\n\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 3, \"world_size\": 4},\n"
          "\"traceEvents\": [\n",
          ",\n", "\n],\n\"traceName\": \"x.json\", \"displayTimeUnit\": \"ms\"\n}\n"},
    Style{"{\"schemaVersion\":1,\"traceEvents\":[", ",", "]}"},
    Style{"[\n", ",\n", "\n]\n"},
};

// Operators, launches and the kernels that they launch, names of processes, arrows.
std::string profile(std::uint64_t seed, int records) {
  Random random(seed);
  const Style& style = kStyles[seed % kStyles.size()];
  std::string text(style.head);
  for (int i = 0; i < records; ++i) {
    if (i > 0) text += style.between;
    const std::string id = std::to_string(i / 4 + 1);
    const std::string time = std::to_string(1000 + 9 * i) + "." + std::to_string(random.in(100, 999));
    switch (i % 4 == 3 ? random.in(3, 6) : i % 4) {
      case 0:
        text += R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":10,"tid":11,"ts":)" + time +
                R"(,"dur":31.5,"args":{"External id":)" + id + R"(,"Input Dims":[[8,16],[16,4],[]]}})";
        break;
      case 1:
        text += R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":10,"tid":11,"ts":)" + time +
                R"(,"dur":4,"args":{"correlation":)" + id + R"(}})";
        break;
      case 2:
        text += R"~({"ph":"X","cat":"kernel","name":"void k<{lambda(float)#1}, \"q\">()","pid":0,"tid":7,"ts":)~" +
                time + R"(,"dur":5,"args":{"device":0,"stream":7,"correlation":)" + id + R"(,"grid":[1,1,1]}})";
        break;
      case 3:
        text += R"({"ph": "M", "name": "process_name", "pid": 10, "tid": 0, "ts": 0, "args": {"name": "[it] {is}"}})";
        break;
      default: text += R"({"ph":"s","id":)" + id + R"(,"pid":10,"tid":11,"ts":)" + time + R"(,"cat":"ac2g"})";
    }
  }
  return text.append(style.tail);
}

/// What the line should say of these records, `damaged` others being lost. Written from the definitions, by hand.
class Account {
 public:
  Account(std::span<const ScannedEvent> records, int damaged) : damaged_(damaged) {
    for (const ScannedEvent& record : records) add(record);
    std::stable_sort(launches_.begin(), launches_.end(), [](const Span& a, const Span& b) {
      return std::tuple(a.begin, -a.dur) < std::tuple(b.begin, -b.dur);
    });
    std::map<std::string, std::int64_t> launched;  // by correlation, the first call
    for (const Span& launch : launches_) launched.try_emplace(launch.correlation, launch.begin);
    for (const Span& kernel : kernels_) {
      const auto launch = launched.find(kernel.correlation);
      if (launch == launched.end()) continue;
      ++linked_;
      suspect_ += kernel.begin < launch->second ? 1 : 0;
    }
  }

  std::string line() const {
    std::string text;
    const auto say = [&text](std::int64_t n, const char* what) {
      if (n > 0) text += ", " + std::to_string(n) + what;
    };
    say(damaged_, " damaged and lost");
    say(ignored_, " ignored");
    say(suspect_, " suspect");
    const auto kernels = static_cast<std::int64_t>(kernels_.size());
    if (linked_ < kernels) {
      const std::int64_t tenths = linked_ * 1000 / kernels;
      text += ", " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
              " % of GPU events linked to a launch";
    }
    if (text.empty()) return text;
    return "Quality: " + std::to_string(used_) + (used_ == 1 ? " event" : " events") + " used" + text +
           " (hta info tells more)";
  }
  std::int64_t used() const { return used_; }

 private:
  struct Span {
    std::int64_t begin = 0;
    std::int64_t dur = 0;
    std::string correlation;
  };

  void add(const ScannedEvent& record) {
    constexpr std::string_view kOthers = "iIMCsftbneSTpFPNODVvRc()";  // of the trace event format
    if (kOthers.find(record.phase) != std::string_view::npos) return;
    if (record.phase != 'X') {  // none, one that nobody knows, or one half of a pair
      ++ignored_;
      return;
    }
    const auto nanos = [](const std::string& time) {
      return time.empty() || time == "invalid" ? -1 : std::stoll(time);
    };
    const Span span{nanos(record.time), nanos(record.dur), correlation(record)};
    if (!record.name.starts_with('s') || span.begin < 0 || span.dur < 0) {
      ++ignored_;
      return;
    }
    ++used_;
    std::string category = record.category;
    std::transform(category.begin(), category.end(), category.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (category == "skernel") kernels_.push_back(span);
    if (category.ends_with("_runtime") && !span.correlation.empty()) launches_.push_back(span);
  }
  // Positive integers join; anything else is none, and joins nothing.
  static std::string correlation(const ScannedEvent& record) {
    const auto at = record.args.find("correlation");
    const bool positive =
        at != record.args.end() && at->second.starts_with('i') && at->second != "i0" && !at->second.starts_with("i-");
    return positive ? at->second : std::string();
  }

  std::int64_t damaged_;
  std::int64_t used_ = 0;
  std::int64_t ignored_ = 0;
  std::int64_t suspect_ = 0;
  std::int64_t linked_ = 0;
  std::vector<Span> kernels_;
  std::vector<Span> launches_;
};

// What hta says of the file; nothing if it refuses it.
std::optional<std::string> told(const TemporaryFile& file, report::Detail detail) {
  input::FileList files;
  files.files = {file.path()};
  input::RunOptions options;
  options.threads = 1;
  auto run = input::read_run(files, options, [](std::size_t, const Trace&) {});
  if (!run) return std::nullopt;
  result::Document document;
  std::vector<input::Run> runs;
  runs.push_back(std::move(run).value());
  cli::describe_inputs(runs, document);
  return report::quality_line(document, detail);
}

// A number of the line; 0 if it is not mentioned.
std::int64_t number_before(const std::string& line, const std::string& words) {
  std::smatch found;
  return std::regex_search(line, found, std::regex("([0-9]+) " + words)) ? std::stoll(found[1]) : 0;
}

void cut_everywhere(const std::string& text) {
  const auto records = scan(text).events;
  const auto plain = strict_events(text);
  REQUIRE(plain);
  REQUIRE(plain->size() == records.size());
  const TemporaryFile file;
  constexpr std::size_t kCuts = 1000;
  std::size_t refused = 0;
  for (std::size_t i = 0; i < kCuts; ++i) {
    const std::size_t size = text.size() * i / kCuts;
    INFO("cut at " << size);
    file.write(std::string_view(text).substr(0, size));
    const auto whole =
        static_cast<std::size_t>(std::count_if(records.begin(), records.end(), [&](const ScannedEvent& record) {
          return record.offset + record.size <= size;
        }));
    const bool inside = whole < records.size() && records[whole].offset < size;
    const Account expected({plain->data(), whole}, inside ? 1 : 0);
    const auto line = told(file, report::Detail::kNormal);
    if (line) {
      REQUIRE(*line == expected.line());
    } else {
      REQUIRE(expected.used() == 0);
      ++refused;
    }
  }
  CHECK(refused < kCuts / 50);
}

}  // namespace

TEST_CASE("quality line: a trace that is cut off says what was read before, and that a record is lost") {
  for (std::uint64_t seed = 0; seed < kStyles.size(); ++seed) cut_everywhere(profile(seed, 160));
}
TEST_CASE("quality line: a flipped bit is told if it costs something, and only then") {
  const TemporaryFile file;
  std::size_t strict = 0;
  constexpr std::uint64_t kTexts = 20;
  constexpr int kFlips = 500;
  for (std::uint64_t seed = 0; seed < kTexts; ++seed) {
    const std::string text = profile(seed, 60);
    const auto records = scan(text).events;
    const auto plain = strict_events(text);
    REQUIRE(plain);
    Random random(seed);
    for (int i = 0; i < kFlips; ++i) {
      std::string damaged = text;
      const auto at = static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(text.size()) - 1));
      const auto bit = random.in(0, 7);
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      INFO("seed " << seed << ", bit " << bit << " of byte " << at << ": "
                   << damaged.substr(at > 40 ? at - 40 : 0, 60));
      file.write(damaged);
      const auto line = told(file, report::Detail::kNormal);
      REQUIRE(line);
      if (const auto others = strict_events(damaged)) {  // still valid JSON: its records say what is right
        ++strict;
        REQUIRE(*line == Account(*others, 0).line());
        continue;
      }
      // Else the record that was hit may be read all the same, or is counted; all others are used.
      std::vector<ScannedEvent> rest;
      bool counted = false;  // whether the record that was hit would be
      for (std::size_t k = 0; k < records.size(); ++k) {
        const bool hit = at >= records[k].offset && at < records[k].offset + records[k].size;
        if (hit) counted = records[k].phase == 'X';
        else rest.push_back((*plain)[k]);
      }
      const std::string verbose = told(file, report::Detail::kVerbose).value_or("");
      const std::int64_t used = number_before(verbose, "events? used") - Account(rest, 0).used();
      const std::int64_t lost = number_before(verbose, "damaged and lost") + number_before(verbose, "ignored");
      REQUIRE((used == 0 || used == 1));
      REQUIRE(lost <= 2);
      if (counted) REQUIRE(used + lost >= 1);
      REQUIRE(line->empty() == (verbose.find("used,") == std::string::npos));
    }
  }
  CHECK(strict > kTexts * kFlips / 4);
}

}  // namespace hta::test
