#include "op_sums.h"

#include <algorithm>
#include <array>
#include <limits>

namespace hta::analysis::diff {
namespace {

constexpr std::uint32_t kNoRow = 0xffffffffu;

// An operator or a call; everything else only says where the program was.
struct Work {
  HostId event;
  std::uint32_t row;
  LaunchId launch;  // of a call
  bool in_step;
};

struct Cell {
  std::int64_t count = 0;
  Nanos time_ns = 0;
  Nanos self_ns = 0;
  Nanos gpu_ns = 0;
};

// One name and kind.
struct Row {
  StringId name;
  OpKind kind;
  Cell steps;
  Cell whole;
  template <class Add>
  void add(bool in_step, Add add) {
    add(whole);
    if (in_step) add(steps);
  }
};

class OpSummer {
 public:
  OpSummer(const Trace& trace, const ChosenSteps& chosen) : trace_(trace), chosen_(chosen) {}

  OpSums run() {
    collect();
    for (std::size_t thread = 0; thread + 1 < thread_begin_.size(); ++thread) {
      walk(std::span(work_).subspan(thread_begin_[thread], thread_begin_[thread + 1] - thread_begin_[thread]), thread);
    }
    add_gpu_times();
    OpSums out;
    out.extent = extent_;
    for (const Row& row : rows_) {
      const auto put = [&](const Cell& cell, std::vector<OpSum>& into) {
        if (cell.count == 0 && cell.gpu_ns == 0) return;
        into.push_back(
            {std::string(trace_.text(row.name)), row.kind, cell.count, cell.time_ns, cell.self_ns, cell.gpu_ns});
      };
      put(row.steps, out.steps);
      put(row.whole, out.whole);
    }
    return out;
  }

 private:
  // Work that has begun on the thread at hand.
  struct Open {
    std::uint32_t row;
    Nanos end;
    bool in_step;
  };

  std::uint32_t row_of(StringId name, OpKind kind) {
    std::uint32_t& row = row_of_name_[static_cast<std::size_t>(kind)][name.value()];
    if (row == kNoRow) {
      row = static_cast<std::uint32_t>(rows_.size());
      rows_.push_back({name, kind, {}, {}});
    }
    return row;
  }

  // All work by thread, in event order within each.
  void collect() {
    const HostEvents& host = trace_.host;
    for (auto& rows : row_of_name_) rows.assign(trace_.strings.size(), kNoRow);
    step_names_.assign(trace_.strings.size(), kUnknown);
    std::vector<std::size_t> next(trace_.threads.size() + 1, 0);
    for (const HostId i : IdRange<HostId>(host.size())) {
      if (is_work(i)) ++next[host.thread[i].value() + 1];
    }
    for (std::size_t t = 1; t < next.size(); ++t) next[t] += next[t - 1];
    thread_begin_ = next;
    work_.resize(next.back());
    owner_of_launch_.assign(trace_.launches.size(), kNoRow);
    row_of_launch_.assign(trace_.launches.size(), kNoRow);
    // Launch calls and host events are in the same order, so the calls are met one after the other.
    std::size_t launch = 0;
    for (const HostId i : IdRange<HostId>(host.size())) {
      const bool is_call = kind_of(i) == CategoryKind::kLaunch;
      const LaunchId call = is_call ? LaunchId(launch++) : LaunchId();
      if (!is_work(i)) continue;
      Work work{i, row_of(host.name[i], is_call ? OpKind::kCall : OpKind::kOp), call,
                chosen_.contains(trace_.step_at(host.start_ns[i]))};
      if (is_call) row_of_launch_[call.value()] = work.row;
      work_[next[host.thread[i].value()]++] = work;
      const Interval own{host.start_ns[i], host.end_ns(i)};
      if (!extent_) extent_ = own;
      extent_->end = std::max(extent_->end, own.end);
    }
  }

  CategoryKind kind_of(HostId i) const {
    const CategoryId category = trace_.host.category[i];
    return category.valid() ? trace_.category(category).kind : CategoryKind::kOtherHost;
  }

  bool is_work(HostId i) {
    const CategoryKind kind = kind_of(i);
    if (kind != CategoryKind::kLaunch && kind != CategoryKind::kOperator) return false;
    char& known = step_names_[trace_.host.name[i].value()];
    if (known == kUnknown) known = step_number(trace_.name(i)) ? kStepName : kOtherName;
    return known != kStepName;
  }

  void walk(std::span<const Work> thread_work, std::size_t thread) {
    const HostEvents& host = trace_.host;
    open_.clear();
    open_ops_.clear();
    now_ = std::numeric_limits<Nanos>::min();
    last_of_row_.resize(rows_.size());
    for (const Work& work : thread_work) {
      const Nanos start = host.start_ns[work.event];
      const Nanos end = host.end_ns(work.event);
      find_owners(start);
      give_self_time(start);
      Row& row = rows_[work.row];
      // An earlier one of this row that ends no earlier encloses it: the latest end decides.
      LastOfRow& last = last_of_row_[work.row];
      const bool enclosed = last.thread == thread && last.end >= end;
      if (!enclosed) last = {thread, end};
      row.add(work.in_step, [&](Cell& cell) {
        ++cell.count;
        if (!enclosed) cell.time_ns += end - start;
      });
      if (work.launch.valid()) waiting_.push_back(work.launch);
      if (end == start) continue;  // owns no time and has nothing inside
      open_.push_back({work.row, end, work.in_step});
      if (row.kind == OpKind::kOp) open_ops_.push_back({work.row, end, work.in_step});
    }
    find_owners(std::numeric_limits<Nanos>::max());
    give_self_time(std::numeric_limits<Nanos>::max());
  }

  // The time up to `until` goes to the innermost work: of what has not ended, the last that began.
  void give_self_time(Nanos until) {
    while (!open_.empty() && now_ < until) {
      const Open& inner = open_.back();
      const Nanos to = std::min(inner.end, until);
      if (to > now_) {
        rows_[inner.row].add(inner.in_step, [&](Cell& cell) { cell.self_ns += to - now_; });
        now_ = to;
      }
      if (inner.end <= now_) open_.pop_back();
    }
    now_ = until;
  }

  // The operators around the calls that wait for an answer. They share one start, and are asked about only when time
  // goes on: an operator that starts at the same moment may come behind them.
  void find_owners(Nanos time) {
    if (waiting_.empty()) return;
    const Nanos start = trace_.launches.start_ns[waiting_.front()];
    if (time <= start) return;
    while (!open_ops_.empty() && open_ops_.back().end <= start) open_ops_.pop_back();
    const std::uint32_t owner = open_ops_.empty() ? kNoRow : open_ops_.back().row;
    for (const LaunchId launch : waiting_) owner_of_launch_[launch.value()] = owner;
    waiting_.clear();
  }

  void add_gpu_times() {
    const GpuEvents& gpu = trace_.gpu;
    for (const GpuId i : IdRange<GpuId>(gpu.size())) {
      const LaunchId launch = gpu.launch[i];
      if (!launch.valid()) continue;
      for (const std::uint32_t row : {row_of_launch_[launch.value()], owner_of_launch_[launch.value()]}) {
        if (row == kNoRow) continue;
        rows_[row].add(chosen_.contains(gpu.step[i]), [&](Cell& cell) { cell.gpu_ns += gpu.dur_ns[i]; });
      }
    }
  }

  static constexpr char kUnknown = 0;
  static constexpr char kStepName = 1;
  static constexpr char kOtherName = 2;
  static constexpr std::size_t kNoThread = static_cast<std::size_t>(-1);

  struct LastOfRow {
    std::size_t thread = kNoThread;
    Nanos end = 0;
  };

  const Trace& trace_;
  const ChosenSteps& chosen_;
  std::vector<Row> rows_;
  std::array<std::vector<std::uint32_t>, 2> row_of_name_;  // by kind, then name
  std::vector<char> step_names_;                           // by name: whether it is a step's
  std::vector<Work> work_;
  std::vector<std::size_t> thread_begin_;
  std::vector<std::uint32_t> row_of_launch_;
  std::vector<std::uint32_t> owner_of_launch_;
  std::optional<Interval> extent_;

  // of the thread at hand
  std::vector<Open> open_;
  std::vector<Open> open_ops_;
  std::vector<LaunchId> waiting_;
  std::vector<LastOfRow> last_of_row_;
  Nanos now_ = 0;
};

}  // namespace

OpSums sum_ops(const Trace& trace, const ChosenSteps& chosen) {
  return OpSummer(trace, chosen).run();
}

}  // namespace hta::analysis::diff
