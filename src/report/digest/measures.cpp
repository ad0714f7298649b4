#include "measures.h"

#include "hta/base/exact.h"
#include "hta/base/human.h"
#include "hta/base/text.h"
#include "hta/report/render.h"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "../table_rows.h"

namespace hta::report {

using result::CellType;
using result::Table;

const result::Document* Answers::document(std::string_view command) const {
  const auto at = std::find_if(documents_.begin(), documents_.end(),
                               [&](const result::Document& document) { return document.command == command; });
  return at == documents_.end() ? nullptr : &*at;
}

const Table* Answers::table(std::string_view command, std::string_view name) const {
  const result::Document* found = document(command);
  return found == nullptr ? nullptr : found->find_table(name);
}

bool Answers::noted(std::string_view code) const {
  return std::any_of(documents_.begin(), documents_.end(), [&](const result::Document& document) {
    return std::any_of(document.notes.begin(), document.notes.end(),
                       [&](const result::Note& note) { return note.code == code; });
  });
}

std::optional<std::int64_t> Answers::sum(std::string_view command, std::string_view name, std::string_view column,
                                         std::string_view where, std::string_view equals) const {
  const Table* found = table(command, name);
  if (found == nullptr) return std::nullopt;
  const auto value = found->find_column(column);
  const bool filtered = !where.empty();
  const auto filter = found->find_column(where);
  if (!value || (filtered && !filter)) return std::nullopt;
  const std::size_t by = filter.value_or(0);
  std::int64_t total = 0;
  for (std::size_t row = 0; row < found->rows(); ++row) {
    if (filtered && (found->is_null(row, by) || found->text(row, by) != equals)) continue;
    if (!found->is_null(row, *value)) total += found->number(row, *value);
  }
  return total;
}

namespace {

constexpr Nanos kShortKernel = 10 * kNanosPerMicro;

class Meter {
 public:
  explicit Meter(const Answers& answers) : answers_(answers) {}

  Measures all() {
    shares_of_time();
    idle_causes();
    kernels();
    overlap();
    launches();
    balance();
    steps();
    stragglers();
    capture();
    return std::move(measures_);
  }

 private:
  void put(std::string name, CellType type, std::optional<std::int64_t> value, std::string subject = {}) {
    measures_[std::move(name)] = {type, value, std::move(subject)};
  }
  void share(std::string name, std::optional<std::int64_t> part, std::string subject = {}) {
    put(std::move(name), CellType::kPercent, part && span_ > 0 ? percent(*part, span_) : std::nullopt,
        std::move(subject));
  }

  void shares_of_time() {
    span_ = answers_.sum("breakdown", "temporal", "span_us").value_or(0);
    for (const std::string_view part : {"idle", "compute", "exposed_comm", "exposed_memory"}) {
      share(std::string(part) + "_pct", answers_.sum("breakdown", "temporal", std::string(part) + "_us"));
    }
    for (const std::string_view category : {"host_wait", "kernel_wait", "other"}) {
      share("idle_" + std::string(category) + "_pct",
            answers_.sum("idle", "device_idle", "idle_us", "category", category));
    }
  }

  // Idle time by what the host did, and the place where it did most of it.
  void idle_causes() {
    const Table* causes = answers_.table("idle", "gap_causes");
    const Table* sources = answers_.table("idle", "gap_sources");
    if (causes == nullptr) return;
    for (const auto& [cause, name] :
         {std::pair<std::string_view, std::string_view>{"data_loading", "idle_data_loading_pct"},
          {"synchronisation", "idle_sync_pct"},
          {"memory_allocation", "idle_allocator_pct"},
          {"optimizer", "idle_optimizer_pct"},
          {"python", "idle_python_pct"}}) {
      std::string subject;
      if (sources != nullptr) {
        const Rows rows(*sources, {"cause", "activity", "place"});
        for (std::size_t row = 0; row < rows.size() && subject.empty(); ++row) {
          if (rows.text(row, 0) != cause) continue;
          subject = std::string(rows.text(row, 1));
          if (!rows.text(row, 2).empty()) subject += " in " + std::string(rows.text(row, 2));
        }
      }
      share(std::string(name), answers_.sum("idle", "gap_causes", "idle_us", "cause", cause), subject);
    }
  }

  void kernels() {
    const Table* table = answers_.table("breakdown", "kernels");
    if (table == nullptr) return;
    const Rows rows(*table, {"kernel_type", "name", "count", "sum_us", "mean_us"});
    std::map<std::string_view, Int128> by_name;
    Int128 total = 0;
    std::int64_t calls = 0;
    std::int64_t short_calls = 0;
    Int128 computing = 0;
    std::int64_t copies = 0;
    std::int64_t pageable = 0;
    std::string pageable_name;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::int64_t sum = rows.number(row, 3);
      total += sum;
      by_name[rows.text(row, 1)] += sum;
      if (rows.text(row, 0) == "COMPUTATION") {
        calls += rows.number(row, 2);
        computing += sum;
        if (rows.number(row, 4) < kShortKernel) short_calls += rows.number(row, 2);
      } else if (rows.text(row, 0) == "MEMORY") {
        copies += sum;
        if (contains_ignoring_case(rows.text(row, 1), "pageable")) {
          pageable += sum;
          pageable_name = rows.text(row, 1);
        }
      }
    }
    const auto top = std::max_element(by_name.begin(), by_name.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
    put("top_kernel_pct", CellType::kPercent, top == by_name.end() ? std::nullopt : percent(top->second, total),
        top == by_name.end() ? "" : readable_kernel_name(top->first));
    put("short_kernel_pct", CellType::kPercent, calls > 0 ? percent(short_calls, calls) : std::nullopt);
    put("mean_kernel_us", CellType::kTime,
        calls > 0 ? std::optional(divide_half_even(computing, calls)) : std::nullopt);
    share("copy_pct", copies);
    share("pageable_copy_pct", pageable, pageable_name);
  }

  void overlap() {
    const auto comm = answers_.sum("overlap", "overlap", "comm_us");
    const auto hidden = answers_.sum("overlap", "overlap", "overlap_us");
    share("comm_pct", comm);
    put("overlap_pct", CellType::kPercent, comm && hidden ? percent(*hidden, *comm) : std::nullopt);
  }

  void launches() {
    const auto pairs = answers_.sum("launch", "launch_summary", "pairs");
    const auto late = answers_.sum("launch", "launch_summary", "short_kernels");
    put("launch_short_pct", CellType::kPercent, pairs && late ? percent(*late, *pairs) : std::nullopt);
    const Table* queues = answers_.table("counters", "queue_summary");
    if (queues == nullptr) return;
    const Rows rows(*queues, {"full_pct"});
    std::int64_t fullest = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) fullest = std::max(fullest, rows.number(row, 0));
    put("queue_full_pct", CellType::kPercent, rows.size() > 0 ? std::optional(fullest) : std::nullopt);
  }

  // How much longer the slowest rank computes than the median one.
  void balance() {
    const Table* temporal = answers_.table("breakdown", "temporal");
    if (temporal == nullptr) return;
    const Rows rows(*temporal, {"rank", "compute_us"});
    std::map<std::int64_t, std::int64_t> compute;
    for (std::size_t row = 0; row < rows.size(); ++row)
      compute[RankKey::from_value(rows.number(row, 0)).rank()] += rows.number(row, 1);
    if (compute.size() < 3) return;
    std::vector<std::int64_t> values;
    auto slowest = compute.begin();
    for (auto at = compute.begin(); at != compute.end(); ++at) {
      values.push_back(at->second);
      if (at->second > slowest->second) slowest = at;
    }
    const std::int64_t median_2 = *median_times_2(values);
    put("compute_excess_pct", CellType::kPercent,
        median_2 > 0 ? percent(Int128{2} * slowest->second - median_2, median_2) : std::nullopt,
        "rank " + std::to_string(slowest->first));
  }

  void steps() {
    const Table* steps = answers_.table("steps", "steps");
    if (steps == nullptr) return;
    const Rows rows(*steps, {"step", "outlier"});
    std::set<std::int64_t> outliers;  // the same step of several ranks is one
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (rows.number(row, 1) != 0) outliers.insert(rows.number(row, 0));
    }
    put("outlier_steps", CellType::kInteger,
        rows.size() > 0 ? std::optional(static_cast<std::int64_t>(outliers.size())) : std::nullopt, worst_step());
  }

  // Where most time was lost. Ranks whose communication grew waited for another one: that one tells more.
  std::string worst_step() const {
    const Table* table = answers_.table("steps", "outlier_steps");
    if (table == nullptr) return {};
    const Rows rows(*table, {"rank", "step", "over_median_us", "part", "part_change_us"});
    std::optional<std::size_t> worst;
    const auto weight = [&](std::size_t row) {
      return std::pair(rows.text(row, 3) != "exposed communication", rows.number(row, 4));
    };
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (!worst || weight(row) > weight(*worst)) worst = row;
    }
    if (!worst) return {};
    return "step " + std::to_string(rows.number(*worst, 1)) + " on rank " +
           std::to_string(RankKey::from_value(rows.number(*worst, 0)).rank()) + ", " +
           human_time(rows.number(*worst, 2)) + " over the median, where " + std::string(rows.text(*worst, 3)) +
           " grew by " + human_time(rows.number(*worst, 4));
  }

  void stragglers() {
    const Table* table = answers_.table("stragglers", "stragglers");
    if (table == nullptr)
      return share("exposed_comm_net_pct", answers_.sum("breakdown", "temporal", "exposed_comm_us"));
    const Rows rows(*table, {"rank", "verdict", "wait_caused_us", "last_pct", "cause"});
    std::optional<std::size_t> worst;
    std::int64_t named = 0;  // waits caused by ranks that are late, persistently or once
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (rows.text(row, 1) != "none") named += rows.number(row, 2);
      if (rows.text(row, 1) == "straggler" && (!worst || rows.number(row, 2) > rows.number(*worst, 2))) worst = row;
    }
    std::string subject;
    if (worst) {
      subject = "rank " + std::to_string(RankKey::from_value(rows.number(*worst, 0)).rank());
      if (!rows.text(*worst, 4).empty()) subject += " (" + std::string(rows.text(*worst, 4)) + ")";
    }
    // The others' waits are summed over ranks, as the spans are.
    share("straggler_wait_pct", worst ? rows.number(*worst, 2) : 0, subject);
    share("late_ranks_wait_pct", named);
    if (const auto exposed = answers_.sum("breakdown", "temporal", "exposed_comm_us"))
      share("exposed_comm_net_pct", std::max<std::int64_t>(0, *exposed - named));
    put("straggler_last_pct", CellType::kPercent, worst ? std::optional(rows.number(*worst, 3)) : std::nullopt,
        subject);
  }

  void capture() {
    const result::Quality& q = answers_.first().quality;
    put("damaged_events", CellType::kInteger, static_cast<std::int64_t>(q.damaged));
    put("unlinked_pct", CellType::kPercent,
        q.gpu_events > 0 ? percent(static_cast<std::int64_t>(q.gpu_events - q.gpu_events_linked),
                                   static_cast<std::int64_t>(q.gpu_events))
                         : std::nullopt);
    put("incomplete_capture", CellType::kInteger,
        answers_.noted("step-incomplete") || answers_.noted("truncated") || answers_.noted("gzip-truncated") ? 1 : 0);
    put("missing_ranks", CellType::kInteger, answers_.noted("rank-missing") ? 1 : 0);
  }

  const Answers& answers_;
  Measures measures_;
  std::int64_t span_ = 0;
};

}  // namespace

Measures measure(const Answers& answers) {
  return Meter(answers).all();
}

CellType measure_type(std::string_view name) {
  if (name.ends_with("_pct")) return CellType::kPercent;
  if (name.ends_with("_us")) return CellType::kTime;
  return CellType::kInteger;
}

std::string measure_text(const MeasuredValue& value) {
  if (!value.value) return "–";
  if (value.type == CellType::kTime) return human_time(*value.value);
  if (value.type == CellType::kInteger) return with_commas(*value.value);
  return fixed_point(*value.value, result::decimals_of(value.type));
}

}  // namespace hta::report
