#include "hta/base/exact.h"
#include "hta/base/text.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "meter.h"

namespace hta::report {
namespace {

constexpr std::int64_t kSlowGroup4 = 15'000;  // a transfer of 1.5 times that of other groups stands out

constexpr std::string_view kSendRecv = "send_recv";
constexpr std::string_view kUnexplained = "unexplained";

// One row of table comm: what the collectives of one kind, size and group cost.
struct Collectives {
  std::string_view group;
  std::string_view kind;
  std::string_view size_class;
  std::int64_t transfer_ns = 0;
  std::int64_t transfer_p50_ns = 0;
  std::int64_t exposed_ns = 0;  ///< by the transfer: without the waits for late ranks
  bool compared = false;        ///< over ranks, so that waits are known

  std::string text() const { return std::string(kind) + (group == "not named" ? "" : " in " + std::string(group)); }
};

std::vector<Collectives> collectives(const Answers& answers) {
  const Rows rows(answers.table("comm", "comm"), {"group", "collective", "size_class", "transfer_us", "transfer_p50_us",
                                                  "exposed_us", "exposed_wait_us"});
  std::vector<Collectives> out;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::string_view kind = rows.text(row, 1);
    // A receiver waits by design, and no rank is blamed for it.
    const std::int64_t wait_ns = kind == kSendRecv ? 0 : rows.number(row, 6);
    out.push_back({rows.text(row, 0), kind, rows.text(row, 2), rows.number(row, 3), rows.number(row, 4),
                   rows.number(row, 5) - wait_ns, !rows.null(row, 6)});
  }
  return out;
}

struct SlowGroup {
  std::int64_t lost_ns = 0;
  std::string subject;
  std::string_view group;
};

// Whether a group's label, such as "mesh_dp 0-6:2" or "tp 4,5", names the rank; a shortened one may.
bool may_hold(std::string_view label, std::int64_t rank) {
  std::string_view ranks = label.substr(label.rfind(' ') + 1);
  if (label.find("…") != std::string_view::npos) return true;
  while (!ranks.empty()) {
    const std::string_view item = ranks.substr(0, ranks.find(','));
    ranks.remove_prefix(std::min(ranks.size(), item.size() + 1));
    const std::size_t colon = std::min(item.find(':'), item.size());
    const std::size_t dash = std::min(item.find('-'), colon);
    const auto first = parse_integer(item.substr(0, dash));
    const auto last = dash < colon ? parse_integer(item.substr(dash + 1, colon - dash - 1)) : first;
    const auto stride = colon < item.size() ? parse_integer(item.substr(colon + 1)) : std::optional<std::int64_t>(1);
    if (first && last && stride && *stride > 0 && *first <= rank && rank <= *last && (rank - *first) % *stride == 0)
      return true;
  }
  return false;
}

// The group that loses most exposed time because it transfers slower than others do the same.
SlowGroup slowest_group(const Answers& answers, const std::vector<Collectives>& all) {
  std::map<std::string_view, std::int64_t> group_sizes;
  const Rows matches(answers.table("comm", "comm_match"), {"group", "size"});
  for (std::size_t row = 0; row < matches.size(); ++row) group_sizes[matches.text(row, 0)] = matches.number(row, 1);
  SlowGroup worst;
  for (const Collectives& own : all) {
    if (own.transfer_p50_ns == 0 || own.size_class == "not recorded") continue;
    std::vector<std::int64_t> others;
    for (const Collectives& other : all) {
      if (std::tie(other.kind, other.size_class) == std::tie(own.kind, own.size_class) && other.group != own.group &&
          other.transfer_p50_ns > 0 && group_sizes[other.group] == group_sizes[own.group])
        others.push_back(other.transfer_p50_ns);
    }
    if (others.empty()) continue;
    const std::int64_t usual_ns = divide_half_even(*median_times_2(others), 2);
    const std::int64_t ratio = ratio4(own.transfer_p50_ns, usual_ns).value_or(0);
    if (ratio < kSlowGroup4) continue;
    const std::int64_t slower_ns =
        divide_half_even(Int128{own.transfer_ns} * (own.transfer_p50_ns - usual_ns), own.transfer_p50_ns);
    const std::int64_t lost_ns = std::min(own.exposed_ns, slower_ns);
    if (lost_ns <= worst.lost_ns) continue;
    worst = {lost_ns,
             own.text() + " (" + std::string(own.size_class) + ") takes " +
                 fixed_point(divide_half_even(ratio, 100), 2) + " times as long to transfer",
             own.group};
  }
  return worst;
}

std::string what_of_waits(const std::vector<Collectives>& all, const Collectives* most) {
  const bool known = std::any_of(all.begin(), all.end(), [](const Collectives& row) { return row.compared; });
  if (!known) return "waits for other ranks included, which one rank cannot tell";
  return most->kind == kSendRecv ? "waiting for senders included" : "without waits for late ranks";
}

void measure_transfers(Meter& meter, const std::vector<Collectives>& all, const SlowGroup& slow) {
  const auto exposed_ns = meter.answers().sum("breakdown", "temporal", "exposed_comm_us");
  std::int64_t transfer_ns = 0;
  const Collectives* most = nullptr;
  for (const Collectives& row : all) {
    transfer_ns += row.exposed_ns;
    if (most == nullptr || row.exposed_ns > most->exposed_ns) most = &row;
  }
  if (!exposed_ns) {
    for (const char* name : {"exposed_wait_pct", "exposed_transfer_pct", "slow_group_pct"}) meter.put(name, {});
    return;
  }
  transfer_ns = all.empty() ? *exposed_ns : std::min(*exposed_ns, transfer_ns);
  meter.share("exposed_wait_pct", *exposed_ns - transfer_ns, what_of_waits(all, most));
  meter.share("exposed_transfer_pct", std::max<std::int64_t>(0, transfer_ns - slow.lost_ns),
              most == nullptr ? "" : most->text());
  meter.share("slow_group_pct", slow.lost_ns, slow.subject);
}

// Collectives that some of the loaded ranks of their group do not show.
void measure_matching(Meter& meter) {
  const Rows rows(meter.answers().table("comm", "comm_match"), {"instances", "partial", "unmatched", "alone"});
  std::int64_t instances = 0;
  std::int64_t lost = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    instances += rows.number(row, 0) - rows.number(row, 3);
    lost += rows.number(row, 1) + rows.number(row, 2);
  }
  meter.put("lost_collectives_pct", percent(lost, instances));
}

// Who arrives late because its group's links are slow is no straggler.
void measure_stragglers(Meter& meter, const SlowGroup& slow) {
  const Rows rows(meter.answers().table("stragglers", "stragglers"),
                  {"rank", "verdict", "last_pct", "cause", "cost_us"});
  const bool comparable = rows.size() > 1 && meter.answers().notes("no-collectives").empty();
  const auto victim = [&](std::size_t row) {
    return slow.lost_ns > 0 && rows.text(row, 3) == kUnexplained && may_hold(slow.group, rows.rank(row, 0));
  };
  std::optional<std::size_t> worst;
  for (std::size_t row = 0; comparable && row < rows.size(); ++row) {
    if (rows.text(row, 1) == "straggler" && !victim(row) && (!worst || rows.number(row, 4) > rows.number(*worst, 4)))
      worst = row;
  }
  if (!worst) {
    meter.put("straggler_cost_pct", comparable ? std::optional<std::int64_t>(0) : std::nullopt);
    meter.put("straggler_last_pct", std::nullopt);
    return;
  }
  const std::int64_t rank = rows.rank(*worst, 0);
  const std::string_view cause = rows.text(*worst, 3);
  const std::string subject = "rank " + std::to_string(rank) + " (" +
                              (cause == kUnexplained ? "its own work does not explain why" : std::string(cause)) + ")";
  // Of the time of one device: the others wait at the same time.
  const Rows devices(meter.answers().table("breakdown", "temporal"), {"span_us"});
  meter.share("straggler_cost_pct", rows.number(*worst, 4) * static_cast<std::int64_t>(devices.size()), subject, rank);
  meter.put("straggler_last_pct", rows.number(*worst, 2), subject, rank);
}

}  // namespace

void measure_communication(Meter& meter) {
  const auto comm_ns = meter.answers().sum("overlap", "overlap", "comm_us");
  const auto hidden_ns = meter.answers().sum("overlap", "overlap", "overlap_us");
  meter.share("comm_pct", comm_ns);
  meter.put("overlap_pct", comm_ns && hidden_ns ? percent(*hidden_ns, *comm_ns) : std::nullopt);
  const std::vector<Collectives> all = collectives(meter.answers());
  const SlowGroup slow = slowest_group(meter.answers(), all);
  measure_transfers(meter, all, slow);
  measure_matching(meter);
  measure_stragglers(meter, slow);
}

}  // namespace hta::report
