#include "hta/analysis/patterns.h"

#include "support/trace_sketch.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;
using Rows = std::vector<std::string>;
using Values = std::initializer_list<std::pair<std::string_view, std::string_view>>;

namespace {
Outcome patterns_of(const Trace& trace, Values options = {}) {
  return run(analysis::kPatterns, {&trace}, options_of(analysis::kPatterns, options));
}
Rows rows(const Trace& trace, Values options = {}) {
  return rows_of(patterns_of(trace, options).document, "patterns");
}

// A block whose linear launches two kernels and a fill, at `t`.
void block(TraceSketch& sketch, std::int64_t t, std::string_view last) {
  sketch.op("block", t, 100);
  sketch.op("aten::linear", t + 10, 80);
  sketch.op("aten::linear_inner", t + 15, 70);
  sketch.kernel("gemm", t + 20, 5, t + 50, 10);
  sketch.kernel("fill", t + 30, 5, t + 40, 2, 9);  // starts first
  sketch.kernel(last, t + 40, 5, t + 60, 3);
}
}  // namespace

TEST_CASE("patterns: GPU events below an outermost operator by their start, grouped and counted") {
  TraceSketch sketch;
  block(sketch, 0, "bias");
  block(sketch, 200, "bias");
  block(sketch, 400, "add");
  sketch.op("aten::small", 600, 100);
  sketch.kernel("one", 610, 5, 620, 3);
  const Trace trace = sketch.build();
  CHECK(rows(trace) ==
        Rows{"0|block|block|fill|gemm|bias|2|30.000|200.000", "0|block|block|fill|gemm|add|1|15.000|100.000"});
  CHECK(rows(trace, {{"min-length", "1"}}).size() == 3);
  CHECK(patterns_of(trace, {{"min-length", "0"}}).status.error().text() == "--min-length must be 1 or more");
}

TEST_CASE("patterns: --operator takes any host event with the text, but none inside another") {
  TraceSketch sketch;
  block(sketch, 0, "bias");
  block(sketch, 200, "bias");
  sketch.annotation("my linear layer", 400, 110);  // another kind of event, around a match
  block(sketch, 400, "bias");
  const Trace trace = sketch.build();
  CHECK(rows(trace, {{"operator", "linear"}}) ==
        Rows{"0|aten::linear|aten::linear|fill|gemm|bias|2|30.000|160.000",
             "0|my linear layer|my linear layer|fill|gemm|bias|1|15.000|110.000"});
  CHECK(rows(trace, {{"operator", "Launch"}, {"min-length", "1"}}).size() ==
        3);  // a launch call is above its own event
  CHECK(rows(trace, {{"operator", "no such"}}).empty());
}

TEST_CASE("patterns: steps and GPU annotations are no roots") {
  TraceSketch sketch;
  sketch.event("cpu_op", "ProfilerStep#3", TraceSketch::us(0), TraceSketch::us(200), 100,
               100);  // as old profilers write it
  sketch.event("gpu_user_annotation", "aten::linear", TraceSketch::us(0), TraceSketch::us(200), 0, 7);
  block(sketch, 10, "bias");
  const Trace trace = sketch.build();
  CHECK(rows_of(patterns_of(trace).document, "patterns", {"operator"}) == Rows{"block"});
  CHECK(rows_of(patterns_of(trace, {{"operator", "aten::linear"}}).document, "patterns", {"operator", "count"}) ==
        Rows{"aten::linear|1"});
}

TEST_CASE("patterns: others pools what is beyond --top") {
  TraceSketch sketch;
  block(sketch, 0, "bias");
  block(sketch, 200, "bias");
  block(sketch, 400, "add");
  block(sketch, 600, "mul");
  const Trace trace = sketch.build();
  analysis::Options options = options_of(analysis::kPatterns);
  options.top = 1;
  CHECK(rows_of(run(analysis::kPatterns, {&trace}, options).document, "patterns") ==
        Rows{"0|block|block|fill|gemm|bias|2|30.000|200.000", "0|others||2|30.000|200.000"});
}

TEST_CASE("patterns: the overlay marks calls on the host and on the GPU") {
  TraceSketch sketch;
  block(sketch, 10, "bias");
  block(sketch, 210, "add");
  const Trace trace = sketch.build();
  analysis::Options options = options_of(analysis::kPatterns, {{"overlay", "marked.json"}});
  options.top = 1;
  options.top_given = true;
  const Outcome outcome = run(analysis::kPatterns, {&trace}, options);
  REQUIRE(outcome.document.overlays.size() == 1);
  CHECK(outcome.document.overlays[0].target_path == "marked.json");
  CHECK(
      outcome.document.overlays[0].elements ==
      Rows{
          R"({"ph":"b","cat":"hta_pattern","name":"#1 block","pid":"hta patterns: host","tid":0,"id":0,"ts":210.000,"args":{"pattern":"block|fill|gemm|add","count":1}})",
          R"({"ph":"e","cat":"hta_pattern","name":"#1 block","pid":"hta patterns: host","tid":0,"id":0,"ts":310.000})",
          R"({"ph":"b","cat":"hta_pattern","name":"#1 block","pid":"hta patterns: GPU","tid":0,"id":0,"ts":250.000,"args":{"pattern":"block|fill|gemm|add","count":1}})",
          R"({"ph":"e","cat":"hta_pattern","name":"#1 block","pid":"hta patterns: GPU","tid":0,"id":0,"ts":273.000})"});
  const Outcome two = run(analysis::kPatterns, {&trace, &trace}, options);
  CHECK(two.status.error().text() == "--overlay writes the trace of one rank; choose it with --rank N");
}
