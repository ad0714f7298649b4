#include "hta/report/page.h"

#include "hta/analysis/registry.h"
#include "hta/report/digest.h"

#include "support/trace_sketch.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;

namespace {

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The page over these ranks, as the program makes it.
std::string page_of(const std::vector<const Trace*>& ranks) {
  std::vector<result::Document> answers;
  const auto add = [&](std::string_view name, std::vector<std::string> tables) {
    const analysis::AnalysisSpec* spec = analysis::find_analysis(name);
    REQUIRE(spec != nullptr);
    analysis::Options options = options_of(*spec);
    options.tables = std::move(tables);
    Outcome outcome = run(*spec, ranks, options);
    REQUIRE(outcome.status.ok());
    outcome.document.quality.gpu_events = ranks.front()->gpu.size();
    answers.push_back(std::move(outcome.document));
  };
  for (const std::string_view name : report::digest_analyses()) add(name, {});
  for (const report::PageAnalysis& of_page : report::page_analyses(ranks.size()))
    add(of_page.name, {of_page.tables.begin(), of_page.tables.end()});
  report::DigestInput input;
  input.answers = answers;
  input.top = 10;
  const result::Document summary = report::digest(input, {});
  std::string page;
  {
    report::Out out([&](std::string_view bytes) { page += bytes; });
    report::render_page({&summary, answers, " trace.json"}, out);
  }
  return page;
}

std::string figure(const std::string& page, std::string_view id) {
  const std::size_t begin = page.find("<figure id=\"" + std::string(id) + "\">");
  if (begin == std::string::npos) return {};
  return page.substr(begin, page.find("</figure>", begin) - begin);
}

}  // namespace

TEST_CASE("page: names from traces are text, in the markup and in the data") {
  TraceSketch sketch;
  const std::string name = "</script><script>alert(1)</script><!-- \" onload='x'";
  for (int i = 0; i < 5; ++i) sketch.kernel(name, i * 100, 5, i * 100 + 50, 20);
  for (int i = 0; i < 5; ++i) sketch.op("<img src=x onerror=alert(1)>", i * 100, 3);
  const Trace trace = sketch.build();
  const std::string whole = page_of({&trace});
  const std::string page = whole.substr(0, whole.find("<script>"));  // what comes behind is not made of traces
  CHECK(holds(page, "&lt;/script&gt;&lt;script&gt;alert(1)"));
  CHECK_FALSE(holds(page, "<script>alert"));
  CHECK_FALSE(holds(page, "<img"));
  CHECK_FALSE(holds(page, "<!-- "));
  CHECK(holds(page, "\\u003c/script>"));
}

TEST_CASE("page: a finding has the events around its worst place beside it") {
  TraceSketch sketch;
  sketch.kernel("first", -20, 5, 0, 100);
  sketch.op("aten::slow", 110, 250);
  sketch.kernel("second", 390, 5, 400, 100);
  const Trace trace = sketch.build();
  const std::string page = page_of({&trace});
  const std::size_t finding = page.find("id=\"finding-host-bound\"");
  REQUIRE(finding != std::string::npos);
  CHECK(page.find("<figure id=\"window-host-bound\">", finding) < page.find("</li>\n<li class=\"finding\"", finding));
  CHECK(holds(figure(page, "window-host-bound"),
              "300.0 µs on rank 0, 120.0 µs after the start of the run, while the host is in aten::slow."));
}

TEST_CASE("page: what cannot be drawn is a sentence that says what to record") {
  TraceSketch sketch;
  sketch.gpu("gemm", 0, 100);
  const Trace trace = sketch.build();
  const std::string page = page_of({&trace});
  CHECK(holds(figure(page, "memory-curve"),
              "class=\"missing\">No memory event was recorded: capture with profile_memory=True"));
  CHECK_FALSE(holds(figure(page, "memory-curve"), "<svg"));
  CHECK(holds(figure(page, "step-times"), "call profiler.step()"));
  CHECK(holds(figure(page, "time-per-rank"), "<svg"));
}

TEST_CASE("page: without GPU events there is one sentence instead of empty charts") {
  TraceSketch sketch;
  sketch.op("aten::mm", 0, 100);
  const Trace trace = sketch.build();
  const std::string page = page_of({&trace});
  CHECK(holds(figure(page, "time-per-rank"), "capture with ProfilerActivity.CUDA"));
  CHECK(figure(page, "top-kernels").empty());
  CHECK(figure(page, "idle-causes").empty());
  CHECK(figure(page, "launch-delays").empty());
}

TEST_CASE("page: a table below a chart has one unit a column, and names the command for all of it") {
  TraceSketch sketch;
  sketch.gpu("gemm", 0, 100);
  sketch.gpu("gemm", 150, 100);
  const Trace trace = sketch.build();
  const std::string table = figure(page_of({&trace}), "time-per-rank");
  CHECK(holds(table, "<th scope=\"col\" class=\"n\">span (µs)</th>"));
  CHECK(holds(table, "<td class=\"n\">250.000</td>"));
  CHECK(holds(table, "<code>hta breakdown --table temporal trace.json</code>"));
}

TEST_CASE("page: its size is bounded, however many events there are") {
  const auto size_of = [](int kernels) {
    TraceSketch sketch;
    for (int i = 0; i < kernels; ++i)
      sketch.kernel("a_kernel_with_a_name_of_some_length_" + std::to_string(i % 500), i * 20, 5, i * 20 + 8, 6);
    const Trace trace = sketch.build();
    return page_of({&trace}).size();
  };
  const std::size_t small = size_of(2'000);
  const std::size_t large = size_of(20'000);
  CHECK(large < small + small / 10);
}
