#include "bottleneck.h"

#include "hta/base/text.h"

#include <algorithm>
#include <string_view>

namespace hta::report {
namespace {

constexpr std::int64_t kShareThatBinds = 10 * 100;  // hundredths of a per cent of GPU time
constexpr std::int64_t kStragglerThatBinds = 5 * 100;
constexpr std::int64_t kComputeThatBinds = 80 * 100;
constexpr std::int64_t kKernelThatBinds = 50 * 100;

std::string percent_text(std::int64_t hundredths) {
  return fixed_point(hundredths, 2) + " %";
}

class Choice {
 public:
  explicit Choice(const Measures& measures) : measures_(measures) {}

  Bottleneck run() {
    Bottleneck out;
    for (const std::string_view name : {"compute_pct", "exposed_comm_pct", "exposed_wait_pct", "exposed_memory_pct",
                                        "idle_pct", "idle_for_host_pct", "idle_host_wait_pct", "idle_kernel_wait_pct",
                                        "idle_other_pct", "idle_not_linked_pct", "straggler_cost_pct"}) {
      if (const auto value = value_of(measures_, name))
        out.evidence.push_back(result::Measure::of(std::string(name), measure_type(name), *value));
    }
    if (!value_of(measures_, "compute_pct")) {
      out.sentence = "There are no GPU events to judge by; record with ProfilerActivity.CUDA.";
    } else {
      choose(out);
    }
    return out;
  }

 private:
  std::int64_t pct(std::string_view name) const { return value_of(measures_, name).value_or(0); }
  std::string text(std::string_view name) const { return percent_text(pct(name)); }

  void choose(Bottleneck& out) const {
    const std::int64_t host = pct("idle_for_host_pct");
    const std::int64_t communication = pct("exposed_comm_pct");
    const std::int64_t waiting = pct("exposed_wait_pct");
    const std::int64_t memory = pct("exposed_memory_pct");
    const std::int64_t unexplained = pct("idle_other_pct") + pct("idle_not_linked_pct");
    const std::int64_t largest = std::max({host, communication, memory, unexplained});
    if (pct("straggler_cost_pct") >= kStragglerThatBinds && waiting * 2 >= communication && waiting >= host) {
      out.kind = "straggler";
      out.sentence = "Waiting for " + subject_of(measures_, "straggler_cost_pct") + " costs " +
                     text("straggler_cost_pct") + " of the time. Exposed communication takes " +
                     text("exposed_comm_pct") + " of GPU time, of which " + text("exposed_wait_pct") +
                     " are waits for late ranks.";
    } else if (largest < kShareThatBinds) {
      without_loss(out);
    } else if (largest == communication) {
      out.kind = "communication";
      out.sentence = "Communication that nothing hides takes " + text("exposed_comm_pct") +
                     " of GPU time, more than waiting for the host (" + text("idle_for_host_pct") + ") or copies (" +
                     text("exposed_memory_pct") + ").";
      if (waiting > 0) out.sentence += " Waits for late ranks are " + text("exposed_wait_pct") + " of GPU time.";
    } else if (largest == host) {
      out.kind = "host";
      out.sentence = "The GPUs wait for the host " + text("idle_for_host_pct") + " of the time (late launches " +
                     text("idle_host_wait_pct") + ", gaps between kernels " + text("idle_kernel_wait_pct") + ").";
    } else if (largest == memory) {
      out.kind = "memory";
      out.sentence = "Copies and memsets that nothing hides take " + text("exposed_memory_pct") + " of GPU time.";
    } else {
      out.sentence = "Most of the lost time has no cause that the traces show: the GPUs are idle " +
                     text("idle_other_pct") + " of the time although work was launched, and " +
                     text("idle_not_linked_pct") + " before work whose launch is not known.";
    }
  }

  // Nothing takes enough time away from computing.
  void without_loss(Bottleneck& out) const {
    if (pct("compute_pct") >= kComputeThatBinds && pct("top_kernel_pct") >= kKernelThatBinds) {
      out.kind = "compute";
      out.sentence = "The GPUs compute " + text("compute_pct") + " of the time, " + text("top_kernel_pct") +
                     " of kernel time in one kernel: " + subject_of(measures_, "top_kernel_pct") + ".";
    } else {
      out.sentence = "The GPUs compute " + text("compute_pct") + " of the time; exposed communication " +
                     text("exposed_comm_pct") + ", exposed memory " + text("exposed_memory_pct") + ", idle " +
                     text("idle_pct") + ".";
    }
  }

  const Measures& measures_;
};

}  // namespace

Bottleneck bottleneck_of(const Measures& measures) {
  return Choice(measures).run();
}

}  // namespace hta::report
