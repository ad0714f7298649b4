#pragma once
// Small traces, written down in a test the way one would draw them: microseconds, names, who launched whom.

#include "hta/analysis/analysis.h"
#include "hta/model/trace_builder.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hta::test {

/// One argument of a sketched event: integers and texts. The key must be one that the needs of the sketch ask for.
struct SketchArg {
  ArgKey key;
  std::int64_t number = 0;
  std::string text;  ///< for arguments of type kText
};

/// Collects events and builds a Trace. Times are microseconds with up to three decimals, given as nanoseconds with
/// `us()`.
class TraceSketch {
 public:
  /// Everything is kept unless `needs` says less.
  TraceSketch();
  explicit TraceSketch(Needs needs);

  static constexpr Nanos us(std::int64_t micros) { return micros * kNanosPerMicro; }

  /// A complete event of any category. Returns its position.
  std::uint32_t event(std::string_view category, std::string_view name, Nanos start_ns, Nanos dur_ns, std::int64_t pid,
                      std::int64_t tid, std::initializer_list<SketchArg> args = {});
  /// Operator on the main thread (pid 100, tid 100 unless given).
  std::uint32_t op(std::string_view name, std::int64_t start_us, std::int64_t dur_us, std::int64_t tid = kMain);
  std::uint32_t annotation(std::string_view name, std::int64_t start_us, std::int64_t dur_us, std::int64_t tid = kMain);
  std::uint32_t python(std::string_view name, std::int64_t start_us, std::int64_t dur_us, std::int64_t tid = kMain);
  /// ProfilerStep#N on the main thread.
  std::uint32_t step(std::int64_t number, std::int64_t start_us, std::int64_t dur_us);
  /// Runtime call without a GPU event of its own.
  std::uint32_t call(std::string_view name, std::int64_t start_us, std::int64_t dur_us, std::int64_t correlation = 0,
                     std::int64_t tid = kMain);
  /// GPU event; with a correlation of a call made before, linked to it.
  std::uint32_t gpu(std::string_view name, std::int64_t start_us, std::int64_t dur_us, std::int64_t correlation = 0,
                    std::int64_t stream = 7, std::int64_t device = 0, std::string_view category = "kernel");
  /// cudaLaunchKernel at launch_us for launch_dur_us, and its kernel; a fresh correlation, which is returned.
  std::int64_t kernel(std::string_view name, std::int64_t launch_us, std::int64_t launch_dur_us, std::int64_t start_us,
                      std::int64_t dur_us, std::int64_t stream = 7, std::int64_t device = 0);
  /// Any record, for what the shorthands do not cover.
  void add(Event event) { builder_.add(event); }
  TraceBuilder& builder() { return builder_; }

  Trace build() { return builder_.finish(); }

  static constexpr std::int64_t kMain = 100;

 private:
  TraceBuilder builder_;
  std::uint32_t position_ = 0;
  std::int64_t next_correlation_ = 1'000'000;
};

/// Needs that keep everything a trace can hold.
Needs every_need();

/// Option values of an analysis as a user would give them: {{"kernel-gap", "200"}, {"host-annotations", ""}}.
analysis::Options options_of(const analysis::AnalysisSpec& spec,
                             std::initializer_list<std::pair<std::string_view, std::string_view>> values = {});

/// Runs one analysis over the traces (rank 0, 1, ...), as the program does.
struct Outcome {
  Status status;
  result::Document document;
};
Outcome run(const analysis::AnalysisSpec& spec, const std::vector<const Trace*>& ranks,
            const analysis::Options& options);

/// A table as rows of text (Table::plain), for comparing in one line: "0|7|host_wait|30.000".
std::vector<std::string> rows_of(const result::Document& document, std::string_view table);
/// Only the named columns, in this order.
std::vector<std::string> rows_of(const result::Document& document, std::string_view table,
                                 std::initializer_list<std::string_view> columns);

}  // namespace hta::test
