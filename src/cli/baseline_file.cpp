#include "baseline_file.h"

#include "hta/analysis/diff/per_step.h"
#include "hta/base/exact.h"
#include "hta/version.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "json_file.h"

namespace hta::cli {
namespace {

using namespace analysis::diff;  // NOLINT(google-build-using-namespace): this file is about its types
using nlohmann::ordered_json;

constexpr std::string_view kSchema = "hta-baseline/1";

double micros(Nanos nanos) {
  return static_cast<double>(nanos) / kNanosPerMicro;
}

// Sums over the samples are kept, in nanoseconds: with them every value per step comes out the same as from the traces.
// What stands beside them in microseconds is for people.
ordered_json step_json(const StepSum& step) {
  ordered_json out;
  out["step"] = step.step ? ordered_json(*step.step) : ordered_json(nullptr);
  out["samples"] = step.samples;
  out["step_ns"] = step.times.step_ns;
  for (std::size_t c = 0; c < kComponents; ++c)
    out[std::string(component_name(static_cast<Component>(c))) + "_ns"] = step.times.component_ns[c];
  out["kernel_time_ns"] = step.times.kernel_ns;
  return out;
}

ordered_json metric_json(const RunProfile& run, Metric metric, Nanos per_step_ns) {
  std::vector<Nanos> values;
  for (const StepSum& step : run.steps) values.push_back(divide_half_even(metric_of(step.times, metric), step.samples));
  std::sort(values.begin(), values.end());
  return {{"per_step_us", micros(per_step_ns)},
          {"p50_us", micros(quantile(values, 1, 2).value_or(0))},
          {"p95_us", micros(quantile(values, 19, 20).value_or(0))}};
}

// One line for each member: changes show line by line in git.
std::string line_by_line(const ordered_json& json) {
  if (json.empty()) return json.is_array() ? "[]" : "{}";
  std::string out;
  for (const auto& [key, value] : json.items()) {
    out += out.empty() ? "\n " : ",\n ";
    if (json.is_object()) out += ordered_json(key).dump() + ": ";
    out += value.dump();
  }
  return json.is_array() ? "[" + out + "\n]" : "{" + out + "\n}";
}

class BaselineReader {
 public:
  explicit BaselineReader(const std::string& path) : path_(path) {}

  Result<RunProfile> run() {
    const auto json = read_json_file(path_, kSchema);
    if (!json) return json.error();
    try {
      read(*json);
    } catch (const nlohmann::json::exception&) {
      return fail("is damaged: a value of '" + at_ + "' is missing or of the wrong kind; save it anew");
    }
    if (!adds_up()) return fail("is damaged: its parts do not add up; save it anew");
    return run_;
  }

 private:
  Error fail(const std::string& what) const { return {ErrorCode::kUsage, path_, what, {}}; }

  void read(const nlohmann::json& json) {
    at_ = "environment";
    run_.environment.ranks = json.at("environment").at("ranks").get<std::int64_t>();
    run_.environment.gpus = json.at("environment").at("gpus").get<std::vector<std::string>>();
    run_.environment.versions = json.at("environment").at("versions").get<std::map<std::string, std::string>>();
    at_ = "steps";
    for (const auto& step : json.at("steps")) {
      StepSum sum;
      if (!step.at("step").is_null()) sum.step = step.at("step").get<std::int64_t>();
      sum.samples = step.at("samples").get<std::int64_t>();
      sum.times.step_ns = step.at("step_ns").get<Nanos>();
      for (std::size_t c = 0; c < kComponents; ++c) {
        sum.times.component_ns[c] =
            step.at(std::string(component_name(static_cast<Component>(c))) + "_ns").get<Nanos>();
      }
      sum.times.kernel_ns = step.at("kernel_time_ns").get<Nanos>();
      run_.steps.push_back(sum);
    }
    at_ = "kernels";
    for (const auto& kernel : json.at("kernels")) {
      const auto kind = kernel_type_named(kernel.at("kind").get<std::string>());
      if (!kind) throw nlohmann::json::other_error::create(501, "kind", nullptr);
      run_.kernels.push_back({kernel.at("name").get<std::string>(), *kind, kernel.at("count").get<std::int64_t>(),
                              kernel.at("time_ns").get<Nanos>(), kernel.at("owned_ns").get<Nanos>()});
    }
    at_ = "ops";
    for (const auto& op : json.at("ops")) {
      const OpKind kind = op.at("kind").get<std::string>() == op_kind_name(OpKind::kOp) ? OpKind::kOp : OpKind::kCall;
      run_.ops.push_back({op.at("name").get<std::string>(), kind, op.at("count").get<std::int64_t>(),
                          op.at("time_ns").get<Nanos>(), op.at("self_ns").get<Nanos>(), op.at("gpu_ns").get<Nanos>()});
    }
  }

  // Sharing out relies on parts that sum to their wholes.
  bool adds_up() const {
    if (run_.steps.empty()) return false;
    for (const StepSum& step : run_.steps) {
      const bool negative =
          std::any_of(step.times.component_ns.begin(), step.times.component_ns.end(), [](Nanos n) { return n < 0; });
      if (step.samples < 1 || negative || step.times.kernel_ns < 0) return false;
      if (step.times.step_ns != metric_of(step.times, Metric::kGpuBusy) + metric_of(step.times, Metric::kIdle))
        return false;
    }
    WindowTimes owned;
    for (const KernelSum& kernel : run_.kernels) {
      if (kernel.count < 0 || kernel.time_ns < 0 || kernel.owned_ns < 0) return false;
      owned[component_of(kernel.kind)] += kernel.owned_ns;
    }
    const WindowTimes times = run_.times();
    return std::equal(owned.component_ns.begin(), owned.component_ns.begin() + kBusyComponents,
                      times.component_ns.begin());
  }

  std::string path_;
  std::string at_;
  RunProfile run_;
};

}  // namespace

std::string baseline_text(const RunProfile& run) {
  const auto per_step = metrics_per_step(run);
  const auto per_step_us = [&](Nanos sum) { return micros(divide_half_even(sum, run.samples())); };
  ordered_json metrics;
  for (std::size_t m = 0; m < kMetrics; ++m) {
    const auto metric = static_cast<Metric>(m);
    metrics[std::string(metric_name(metric))] = metric_json(run, metric, per_step[m]);
  }
  ordered_json steps = ordered_json::array();
  for (const StepSum& step : run.steps) steps.push_back(step_json(step));
  ordered_json kernels = ordered_json::array();
  for (const KernelSum& kernel : run.kernels) {
    kernels.push_back({{"name", kernel.name},
                       {"kind", kernel_type_name(kernel.kind)},
                       {"count", kernel.count},
                       {"time_ns", kernel.time_ns},
                       {"owned_ns", kernel.owned_ns},
                       {"per_step_us", per_step_us(kernel.time_ns)}});
  }
  ordered_json ops = ordered_json::array();
  for (const OpSum& op : run.ops) {
    ops.push_back({{"name", op.name},
                   {"kind", op_kind_name(op.kind)},
                   {"count", op.count},
                   {"time_ns", op.time_ns},
                   {"self_ns", op.self_ns},
                   {"gpu_ns", op.gpu_ns},
                   {"per_step_us", per_step_us(op.time_ns)}});
  }
  std::string out = "{\n";
  const auto member = [&](std::string_view name, const std::string& value, std::string_view end = ",\n") {
    out += ordered_json(name).dump() + ": " + value + std::string(end);
  };
  member("schema", ordered_json(kSchema).dump());
  member("tool", ordered_json{{"name", "hta"}, {"version", kVersion}}.dump());
  member("environment",
         ordered_json{
             {"ranks", run.environment.ranks}, {"gpus", run.environment.gpus}, {"versions", run.environment.versions}}
             .dump());
  member("samples", std::to_string(run.samples()));
  member("metrics", line_by_line(metrics));
  member("steps", line_by_line(steps));
  member("kernels", line_by_line(kernels));
  member("ops", line_by_line(ops), "\n}\n");
  return out;
}

bool is_baseline(const std::string& path) {
  constexpr std::size_t kLooked = 65'536;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string head(kLooked, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head.find('"' + std::string(kSchema) + '"') != std::string::npos;
}

Result<RunProfile> read_baseline(const std::string& path) {
  return BaselineReader(path).run();
}

}  // namespace hta::cli
