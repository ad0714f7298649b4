// Joining two traces that were recorded from neighbouring parts of one file.

#include "hta/model/trace_builder.h"

#include <algorithm>

#include "columns.h"

namespace hta {
namespace {

// Ids of the later trace to ids of the earlier one.
struct Renaming {
  std::vector<StringId> strings;
  std::vector<CategoryId> categories;
  std::vector<ThreadId> threads;
  std::vector<StreamId> streams;
  std::uint32_t positions = 0;  // added to running numbers
  std::size_t host_rows = 0;    // added to rows of host events

  StringId operator()(StringId id) const { return id.valid() ? strings[id.value()] : id; }
  CategoryId operator()(CategoryId id) const { return id.valid() ? categories[id.value()] : id; }
  ThreadId operator()(ThreadId id) const { return id.valid() ? threads[id.value()] : id; }
  StreamId operator()(StreamId id) const { return id.valid() ? streams[id.value()] : id; }
  HostId operator()(HostId id) const { return id.valid() ? HostId(id.value() + host_rows) : id; }
  std::uint32_t operator()(std::uint32_t position) const { return position + positions; }
  Nanos operator()(Nanos value) const { return value; }  // and correlations
  KernelType operator()(KernelType type) const { return type; }

  void rename(Annotation& row) const {
    row.name = (*this)(row.name);
    row.thread = (*this)(row.thread);
  }
  void rename(SyncRecord& row) const { row.name = (*this)(row.name); }
  void rename(MemoryEvent& row) const { row.thread = (*this)(row.thread); }
  void rename(StepEvent& row) const { row.thread = (*this)(row.thread); }
  void rename(ProfilerRange& row) const {
    row.name = (*this)(row.name);
    for (auto& [name, value] : row.counters) {
      name = (*this)(name);
      value = (*this)(value);
    }
  }
};

template <class Index, class T>
void append_column(Column<Index, T>& into, const Column<Index, T>& from, const Renaming& renamed) {
  into.reserve(into.size() + from.size());
  for (const T value : from) into.push_back(renamed(value));
}
template <class Index>
void append_column(CompactColumn<Index>& into, const CompactColumn<Index>& from, const Renaming&) {
  into.reserve(into.size() + from.size());
  for (const Index row : IdRange<Index>(from.size())) into.push_back(from[row]);
}

// One column at a time, and the later one's memory is given back at once: little is held twice.
template <class Table, class Columns>
void append_table(Table& table, Table& later, const Columns& columns, const Renaming& renamed) {
  for_each_column(columns, [&](auto member) {
    const auto from = std::move(later.*member);
    append_column(table.*member, from, renamed);
  });
}

template <class Index>
void append_args(ArgTable<Index>& table, ArgTable<Index>& later, std::size_t rows, const Renaming& renamed) {
  for (std::size_t i = 0; i < kArgCount; ++i) {
    const bool text = arg_spec(static_cast<ArgKey>(i)).type == ArgType::kText;
    const ArgColumn<Index> from = std::move(later.columns[i]);
    for (std::size_t k = 0; k < from.size(); ++k) {
      std::int64_t value = from.value(k);
      if (text) value = renamed(StringId(static_cast<std::size_t>(value))).value();
      table.columns[i].add(Index(from.row(k).value() + rows), value);
    }
  }
}

template <class Row>
void append_rows(std::vector<Row>& rows, std::vector<Row>& later, const Renaming& renamed) {
  rows.reserve(rows.size() + later.size());
  for (Row& row : later) {
    renamed.rename(row);
    row.position = renamed(row.position);
    rows.push_back(std::move(row));
  }
}

void append_quality(Quality& quality, const Quality& later) {
  quality.kept += later.kept;
  for (std::size_t i = 0; i < quality.faults.size(); ++i) quality.faults[i].add(later.faults[i]);
}

}  // namespace

void TraceBuilder::append(TraceBuilder&& later, std::uint32_t records_before) {
  Trace& from = later.trace_;
  Renaming renamed;
  renamed.positions = records_before;
  renamed.host_rows = trace_.host.size();
  renamed.strings = trace_.strings.absorb(from.strings);
  for (const Category& category : from.categories) {
    const CategoryId id = this->category(renamed(category.text));
    trace_.categories[id.value()].kept += category.kept;
    renamed.categories.push_back(id);
  }
  const auto track = [&](const TrackName& name) { return TrackName{name.number, renamed(name.text)}; };
  for (const Thread& on : from.threads) renamed.threads.push_back(thread(track(on.pid), track(on.tid)));
  for (const Stream& on : from.streams) renamed.streams.push_back(stream(on.device, on.stream));

  const std::size_t gpu_rows = trace_.gpu.size();
  append_table(trace_.gpu, from.gpu, kRecordedGpuColumns, renamed);
  append_args(trace_.gpu_args, from.gpu_args, gpu_rows, renamed);
  append_table(trace_.launches, from.launches, kRecordedLaunchColumns, renamed);
  append_table(trace_.host, from.host, kRecordedHostColumns, renamed);
  append_args(trace_.host_args, from.host_args, renamed.host_rows, renamed);
  append_rows(trace_.annotations, from.annotations, renamed);
  append_rows(trace_.sync_records, from.sync_records, renamed);
  append_rows(trace_.memory_events, from.memory_events, renamed);
  append_rows(trace_.profiler_ranges, from.profiler_ranges, renamed);
  append_rows(trace_.step_events, from.step_events, renamed);

  if (from.first_start_ns) {
    trace_.last_end_ns = trace_.first_start_ns ? std::max(trace_.last_end_ns, from.last_end_ns) : from.last_end_ns;
    trace_.first_start_ns = std::min(trace_.first_start_ns.value_or(*from.first_start_ns), *from.first_start_ns);
  }
  flows_.reserve(flows_.size() + later.flows_.size());
  for (const FlowPoint& point : later.flows_) flows_.push_back({point.id, renamed(point.thread), point.phase});
  append_quality(trace_.quality, from.quality);
}

}  // namespace hta
