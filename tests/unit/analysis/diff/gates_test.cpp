#include "hta/analysis/diff/gates.h"

#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::analysis::diff;
using result::GateOutcome;

namespace {

Gate gate(std::string_view text, GateScale scale = GateScale::kChange) {
  auto parsed = parse_gate(text, scale);
  INFO(text);
  REQUIRE(parsed.ok());
  return std::move(parsed).value();
}

std::string fault(std::string_view text, GateScale scale = GateScale::kChange) {
  const auto parsed = parse_gate(text, scale);
  INFO(text);
  REQUIRE_FALSE(parsed.ok());
  CHECK(parsed.error().code == ErrorCode::kUsage);
  return parsed.error().message;
}

// A run whose step takes 100 µs, 60 of them computation, then 150 µs, 90 of them; ten steps a side, all alike.
Comparison example() {
  Comparison out;
  for (std::size_t m = 0; m < kMetrics; ++m) {
    out.metrics[m].metric = static_cast<Metric>(m);
    out.metrics[m].steps = {10, 10};
    out.metrics[m].noise.verdict = Verdict::kSlower;
  }
  out.metrics[static_cast<std::size_t>(Metric::kStepTime)].time_ns = {100'000, 150'000};
  out.metrics[static_cast<std::size_t>(Metric::kCompute)].time_ns = {60'000, 90'000};
  out.metrics[static_cast<std::size_t>(Metric::kHostWait)].time_ns = {40'000, 60'000};
  out.kernels.push_back(
      {"gemm<1>", KernelType::kComputation, {200, 300}, {60'000, 80'000}, ChangeClass::kMore, {}, {}, {}, {}});
  out.kernels.push_back({"add", KernelType::kComputation, {0, 100}, {0, 10'000}, ChangeClass::kAdded, {}, {}, {}, {}});
  out.owned.push_back({Component::kCompute, "gemm<1>", {60'000, 80'000}});
  out.owned.push_back({Component::kCompute, "add", {0, 10'000}});
  out.ops.push_back({"aten::mm", OpKind::kOp, {100, 100}, {30'000, 20'000}, {}, {}, ChangeClass::kFaster});
  return out;
}

JudgedGate judged(std::string_view text, const Comparison& comparison, GateScale scale = GateScale::kChange,
                  std::int64_t min_steps = 5) {
  const std::vector<Gate> gates{gate(text, scale)};
  return judge_gates(gates, comparison, scale, min_steps).front();
}

GateOutcome outcome(std::string_view text, GateScale scale = GateScale::kChange) {
  return judged(text, example(), scale).outcome;
}

}  // namespace

TEST_CASE("gates: an expression with blanks, decimals and a sign") {
  const Gate parsed = gate("  step_time  >=  -2.50 ms ");
  CHECK(parsed.metric == Metric::kStepTime);
  CHECK(parsed.comparison == Gate::Operator::kGreaterEqual);
  CHECK(parsed.number == -250);
  CHECK(parsed.decimals == 2);
  CHECK(parsed.unit_ns == kNanosPerMilli);
  CHECK(parsed.limit == ">=-2.50ms");
  CHECK(parsed.text == "  step_time  >=  -2.50 ms ");
}

TEST_CASE("gates: the last comparison ends a name, so names may hold others") {
  CHECK(gate("kernel:vec<4, float>>5%").glob == "vec<4, float>");
  CHECK(gate("kernel: operator<< *<=5%").glob == "operator<< *");
  CHECK(gate("count:gemm>10").subject == Subject::kCount);
  CHECK(gate("op:aten::*<1s").unit_ns == kNanosPerSecond);
}

TEST_CASE("gates: faults are told with their column") {
  CHECK(fault("step_time") == "gate 'step_time', column 10: a comparison is missing: >, >=, < or <=, and a limit");
  CHECK(fault("") == "gate '', column 1: a comparison is missing: >, >=, < or <=, and a limit");
  CHECK(fault(" >5%") == "gate ' >5%', column 2: the metric is missing before the comparison");
  CHECK(fault(" stp_time>5%") ==
        "gate ' stp_time>5%', column 2: there is no metric 'stp_time'; did you mean step_time?");
  CHECK(fault("kernel:>5%") == "gate 'kernel:>5%', column 8: a name is missing; * matches every one");
  CHECK(fault("idle> %") == "gate 'idle> %', column 7: a number is missing after the comparison");
  CHECK(fault("idle>5") == "gate 'idle>5', column 7: a unit is missing: %, ns, us, ms or s");
  CHECK(fault("idle>5 min") == "gate 'idle>5 min', column 8: 'min' is no unit; there are %, ns, us, ms and s");
  CHECK(fault("idle>1.2.3%") == "gate 'idle>1.2.3%', column 9: '.3%' is no unit; there are %, ns, us, ms and s");
  CHECK(fault("idle>+5%") == "gate 'idle>+5%', column 6: a number is missing after the comparison");
  CHECK(fault("idle>1234567890123456789ns") ==
        "gate 'idle>1234567890123456789ns', column 6: the number has too many digits");
  CHECK(fault("count:a>5ms") == "gate 'count:a>5ms', column 10: calls are counted without a unit");
  CHECK(fault("count:a>5%", GateScale::kValue) ==
        "gate 'count:a>5%', column 10: calls have no share of the step time; give a plain number");
  CHECK(fault("kernel:µµ>5 x") ==
        "gate 'kernel:µµ>5 x', column 13: 'x' is no unit; there are %, ns, us, ms and s");  // characters, not bytes
}

TEST_CASE("gates: a glob matches the whole name") {
  CHECK(glob_matches("*", ""));
  CHECK(glob_matches("gemm", "gemm"));
  CHECK_FALSE(glob_matches("gemm", "gemm2"));
  CHECK_FALSE(glob_matches("gemm", "Gemm"));
  CHECK(glob_matches("*gemm*", "sm90_gemm_tn"));
  CHECK(glob_matches("a*b*c", "a-b-b-c"));
  CHECK_FALSE(glob_matches("a*b*c", "a-b-b"));
  CHECK(glob_matches("g?mm", "gemm"));
  CHECK(glob_matches("?", "µ"));
  CHECK_FALSE(glob_matches("?", ""));
  CHECK_FALSE(glob_matches("", "a"));
}

TEST_CASE("gates: changes are compared absolutely or with BASE") {
  CHECK(outcome("step_time>49us") == GateOutcome::kFail);
  CHECK(outcome("step_time>50us") == GateOutcome::kPass);
  CHECK(outcome("step_time>=50us") == GateOutcome::kFail);
  CHECK(outcome("step_time>=0.05ms") == GateOutcome::kFail);
  CHECK(outcome("step_time<50000ns") == GateOutcome::kPass);
  CHECK(outcome("step_time<=50us") == GateOutcome::kFail);
  CHECK(outcome("step_time>50%") == GateOutcome::kPass);
  CHECK(outcome("step_time>=50%") == GateOutcome::kFail);
  CHECK(outcome("step_time>49.99%") == GateOutcome::kFail);
  CHECK(outcome("op:aten::mm<-9us") == GateOutcome::kFail);  // 10 µs less
  CHECK(outcome("op:aten::mm<-10us") == GateOutcome::kPass);
  CHECK(outcome("count:gemm*>0") == GateOutcome::kFail);
  CHECK(outcome("count:gemm*>1") == GateOutcome::kPass);
  CHECK(outcome("count:gemm*>49.9%") == GateOutcome::kFail);
}

TEST_CASE("gates: all rows that match are summed") {
  const JudgedGate all = judged("kernel:*>10%", example());
  CHECK(all.base == "60.000");
  CHECK(all.test == "90.000");
  CHECK(all.measured == "50.00%");
  CHECK(judged("count:*>1", example()).measured == "2.00");
}

TEST_CASE("gates: up from nothing is beyond every per cent, and nothing at all is no change") {
  const JudgedGate added = judged("kernel:add>100000%", example());
  CHECK(added.measured == "inf");
  CHECK(added.outcome == GateOutcome::kFail);
  CHECK(outcome("kernel:add<0%") == GateOutcome::kPass);
  const JudgedGate none = judged("exposed_comm>0%", example());
  CHECK(none.measured == "0.00%");
  CHECK(none.outcome == GateOutcome::kPass);
}

TEST_CASE("gates: check compares the value itself, per cent of the step time") {
  CHECK(outcome("step_time>149us", GateScale::kValue) == GateOutcome::kFail);
  CHECK(outcome("step_time>150us", GateScale::kValue) == GateOutcome::kPass);
  const JudgedGate share = judged("compute>60%", example(), GateScale::kValue);
  CHECK(share.measured == "60.00%");
  CHECK(share.outcome == GateOutcome::kPass);
  CHECK(judged("count:gemm*>2", example(), GateScale::kValue).outcome == GateOutcome::kFail);
}

TEST_CASE("gates: what is missing is never a pass") {
  CHECK(outcome("kernel:nothing<1us") == GateOutcome::kInsufficient);
  CHECK(judged("step_time>1%", example(), GateScale::kChange, 11).outcome == GateOutcome::kInsufficient);
  CHECK(judged("step_time>1%", example(), GateScale::kValue, 11).outcome == GateOutcome::kInsufficient);
  Comparison without_gpu = example();
  without_gpu.kernels.clear();
  CHECK(judged("idle>1%", without_gpu).outcome == GateOutcome::kInsufficient);
  CHECK(judged("step_time>1%", without_gpu).outcome == GateOutcome::kFail);
}

TEST_CASE("gates: a metric within the noise passes and says so; kernels have no such escape") {
  Comparison noisy = example();
  for (MetricRow& row : noisy.metrics) row.noise.verdict = Verdict::kUnchanged;
  CHECK(judged("step_time>5%", noisy).outcome == GateOutcome::kNoise);
  CHECK(judged("kernel:gemm*>5%", noisy).outcome == GateOutcome::kFail);
  CHECK(judged("step_time>5us", noisy, GateScale::kValue).outcome == GateOutcome::kFail);
  for (MetricRow& row : noisy.metrics) row.noise.verdict = Verdict::kInsufficient;
  CHECK(judged("step_time>5%", noisy, GateScale::kChange, 1).outcome == GateOutcome::kFail);
}

TEST_CASE("gates: a failure names value, limit and the three largest causes") {
  CHECK(judged("step_time>5%", example()).sentence ==
        "100.0 µs to 150.0 µs per step, +50.00%, which is >5%. Largest causes: GPU idle, waiting for the host +20.00 "
        "µs (40.00 µs to "
        "60.00 µs); computation by gemm +20.00 µs (60.00 µs to 80.00 µs); computation by add +10.00 µs (0 µs to 10.00 "
        "µs).");
  CHECK(judged("count:gemm*>0", example()).sentence ==
        "2.00 calls to 3.00 calls per step, +1.00 calls, which is >0. Largest causes: gemm +1.00 calls (2.00 calls to "
        "3.00 calls).");
  CHECK(judged("compute>1%", example(), GateScale::kValue).sentence ==
        "90.00 µs per step, 60.00% of the step, which is >1%. Largest parts: computation by gemm 80.00 µs; computation "
        "by add 10.00 µs.");
}

TEST_CASE("gates: one failure fails all, else what is undecided counts") {
  const Comparison comparison = example();
  const auto verdict = [&](std::initializer_list<std::string_view> texts) {
    std::vector<Gate> gates;
    for (const std::string_view text : texts) gates.push_back(gate(text));
    return overall_verdict(judge_gates(gates, comparison, GateScale::kChange, 5));
  };
  CHECK(verdict({}) == result::Verdict::kNone);
  CHECK(verdict({"step_time>99%"}) == result::Verdict::kPassed);
  CHECK(verdict({"step_time>99%", "kernel:no>1%"}) == result::Verdict::kInsufficient);
  CHECK(verdict({"kernel:no>1%", "step_time>1%"}) == result::Verdict::kFailed);
}
