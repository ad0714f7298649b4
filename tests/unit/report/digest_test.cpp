#include "hta/report/digest.h"

#include "hta/analysis/registry.h"

#include "support/trace_sketch.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;

namespace {

result::Document digest_of(const std::vector<const Trace*>& ranks, const report::RuleBook& rules = {}) {
  std::vector<result::Document> answers;
  for (const std::string_view name : report::digest_analyses()) {
    const analysis::AnalysisSpec* spec = analysis::find_analysis(name);
    if (spec == nullptr) continue;
    Outcome outcome = run(*spec, ranks, options_of(*spec));
    if (outcome.status.ok()) answers.push_back(std::move(outcome.document));
  }
  report::DigestInput input;
  input.answers = answers;
  return report::digest(input, rules);
}

std::vector<std::string> finding_ids(const result::Document& document) {
  std::vector<std::string> ids;
  for (const result::Finding& finding : document.findings) ids.push_back(finding.id);
  return ids;
}

// Ten kernels of 90 us each, one every 100 us.
void add_steady_work(TraceSketch& sketch) {
  static constexpr const char* kNames[] = {"gemm_a", "gemm_b", "gemm_c"};
  for (int i = 0; i < 10; ++i) sketch.kernel(kNames[i % 3], i * 100, 5, i * 100 + 10, 98);
}

}  // namespace

TEST_CASE("digest: a run that keeps its GPU busy yields no warning") {
  TraceSketch sketch;
  add_steady_work(sketch);
  const Trace trace = sketch.build();
  const result::Document document = digest_of({&trace});
  CHECK(finding_ids(document).empty());
  CHECK(document.summary->bottleneck == "none");
  CHECK(document.summary->main_finding.starts_with("Nothing stands out."));
}

TEST_CASE("digest: a GPU that waits for the data loader is starved for data") {
  TraceSketch sketch;
  sketch.kernel("gemm", 0, 5, 10, 100);
  sketch.op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 110, 880);
  sketch.kernel("gemm", 1000, 5, 1010, 100);
  const Trace trace = sketch.build();
  const result::Document document = digest_of({&trace});
  REQUIRE_FALSE(document.findings.empty());
  CHECK(document.summary->bottleneck == "host");
  CHECK(document.findings.front().severity == result::Severity::kCritical);
  const auto ids = finding_ids(document);
  CHECK(std::find(ids.begin(), ids.end(), "input-stall") != ids.end());
}

TEST_CASE("digest: a cause with a rule of its own is not counted again as a late host") {
  TraceSketch sketch;
  sketch.kernel("gemm_a", 0, 5, 10, 400);
  sketch.op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 410, 300);
  sketch.kernel("gemm_b", 710, 5, 720, 280);
  sketch.kernel("gemm_c", 716, 5, 1000, 280);
  const Trace trace = sketch.build();
  CHECK(finding_ids(digest_of({&trace})) == std::vector<std::string>{"input-stall"});
}

TEST_CASE("digest: a step that is shorter than the others is no finding") {
  TraceSketch sketch;
  std::int64_t now = 0;
  for (std::int64_t step = 0; step < 6; ++step) {
    const std::int64_t length = step == 3 ? 50 : 100;
    sketch.step(step, now, length);
    sketch.kernel(step % 2 == 0 ? "gemm_a" : "gemm_b", now, 1, now + 100, length);
    sketch.kernel("gemm_c", now + 1, 1, now + 100, length);
    now += length;
  }
  const Trace trace = sketch.build();
  CHECK(finding_ids(digest_of({&trace})).empty());
}

TEST_CASE("digest: idle time before kernels without a launch call is nobody's fault") {
  TraceSketch sketch;
  for (int i = 0; i < 10; ++i) sketch.gpu(i % 2 == 0 ? "gemm_a" : "gemm_b", i * 100, 40);
  sketch.kernel("gemm_c", 950, 5, 1000, 40);
  const Trace trace = sketch.build();
  const result::Document document = digest_of({&trace});
  CHECK(finding_ids(document).empty());
  CHECK(document.summary->bottleneck == "none");
  CHECK(document.summary->main_finding.find("before work whose launch is not known") != std::string::npos);
}

TEST_CASE("digest: communication that nothing hides bounds the run") {
  TraceSketch sketch;
  sketch.kernel("gemm", 0, 5, 10, 400);
  sketch.kernel("ncclDevKernel_AllReduce", 20, 5, 410, 590, 20);
  const Trace trace = sketch.build();
  const result::Document document = digest_of({&trace});
  CHECK(document.summary->bottleneck == "communication");
  CHECK(finding_ids(document).front() == "exposed-communication");
  CHECK(document.findings.front().gain->number == 5960);  // 590 of 990 us
  CHECK(document.findings.front().gain_method == "bound");
}

TEST_CASE("digest: one kernel that takes most of the time is worth knowing, and no fault") {
  TraceSketch sketch;
  sketch.kernel("attention", 0, 5, 10, 900);
  sketch.kernel("gemm", 20, 5, 910, 90);
  const Trace trace = sketch.build();
  const result::Document document = digest_of({&trace});
  CHECK(document.summary->bottleneck == "compute");
  CHECK(finding_ids(document) == std::vector<std::string>{"one-kernel"});
  CHECK(document.summary->main_finding.starts_with("Nothing stands out."));
}

TEST_CASE("digest: without GPU events nothing is judged, and it says why") {
  TraceSketch sketch;
  sketch.op("aten::mm", 0, 10);
  const Trace trace = sketch.build();
  const result::Document document = digest_of({&trace});
  CHECK(document.summary->bottleneck == "none");
  bool told = false;
  for (const result::Note& note : document.notes) told |= note.code == "not-judged";
  CHECK(told);
}

TEST_CASE("rules: a file changes thresholds and switches rules off") {
  TraceSketch sketch;
  sketch.kernel("gemm", 0, 5, 10, 400);
  sketch.kernel("ncclDevKernel_AllReduce", 20, 5, 410, 590, 20);
  const Trace trace = sketch.build();
  const auto lenient = report::RuleBook::from_json(
      R"({"rules": [{"id": "exposed-communication", "warning": 60}, {"id": "low-overlap", "off": true}]})",
      "rules.json");
  REQUIRE(lenient.ok());
  const auto ids = finding_ids(digest_of({&trace}, *lenient));
  CHECK(std::find(ids.begin(), ids.end(), "exposed-communication") == ids.end());
  CHECK(std::find(ids.begin(), ids.end(), "low-overlap") == ids.end());
}

TEST_CASE("rules: what is wrong with a file is said") {
  const auto error = [](std::string_view text) { return report::RuleBook::from_json(text, "r.json").error().text(); };
  CHECK(error("[]") ==
        R"(r.json: is no list of rules; write {"rules": [{"id": "host-bound", "warning": 15}]}, hta rules lists them)");
  CHECK(error(R"({"rules": [{"id": "hostbound"}]})") ==
        "r.json: there is no rule 'hostbound'; did you mean host-bound?");
  CHECK(error(R"({"rules": [{"id": "host-bound", "warn": 3}]})") ==
        "r.json: rule 'host-bound': 'warn' is not known, or has the wrong type; there are warning, critical, off");
}
