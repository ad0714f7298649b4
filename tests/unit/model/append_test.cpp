#include "hta/model/event_order.h"
#include "hta/model/trace_builder.h"

#include <catch2/catch.hpp>

using namespace hta;

namespace {

struct Record {
  std::string_view category;
  std::string_view name;
  Nanos start_ns;
  std::int64_t thread;
  std::int64_t correlation;
  std::string_view dtype;
};

BuildOptions options() {
  BuildOptions options;
  options.needs.call_tree = true;
  options.needs.annotations = true;
  options.needs.gpu_args = {ArgKey::kDtype};
  options.needs.host_args = {ArgKey::kDtype};
  return options;
}

void add(TraceBuilder& builder, const Record& record, std::uint32_t position) {
  Event event;
  event.phase = 'X';
  event.category = builder.category(builder.strings().intern(record.category));
  event.has_name = true;
  event.name = builder.strings().intern(record.name);
  event.time_ns = record.start_ns;
  event.dur_ns = 10;
  event.pid.number = 1;
  event.tid.number = record.thread;
  event.position = position;
  const std::array args{ArgValue{ArgKey::kCorrelation, record.correlation},
                        ArgValue{ArgKey::kDtype, builder.strings().intern(record.dtype).value()}};
  event.args = args;
  builder.add(event);
}

constexpr std::array kRecords{
    Record{"cpu_op", "aten::mm", 100, 5, 0, "float"},
    Record{"cuda_runtime", "cudaLaunchKernel", 102, 5, 1, ""},
    Record{"kernel", "gemm", 130, 7, 1, "float"},
    Record{"user_annotation", "forward", 90, 5, 0, "half"},
    // The later part: a name, a category, a thread that are known, and new ones; starts before the earlier part ends.
    Record{"cuda_runtime", "cudaMemcpyAsync", 104, 6, 2, ""},
    Record{"kernel", "ncclDevKernel", 120, 8, 2, "half"},
    Record{"gpu_memcpy", "Memcpy DtoH", 140, 7, 3, "float"},
    Record{"cpu_op", "aten::mm", 95, 6, 0, "double"},
};

std::string told(const Trace& trace) {
  std::string out;
  const auto say = [&](auto... values) { ((out += std::to_string(values) + " "), ...); };
  for (std::size_t i = 0; i < trace.strings.size(); ++i) out += std::string(trace.text(StringId(i))) + "|";
  for (const Category& category : trace.categories) say(category.text.value(), category.kept);
  for (const GpuId i : IdRange<GpuId>(trace.gpu.size())) {
    say(trace.gpu.start_ns[i], trace.gpu.name[i].value(), trace.gpu.thread[i].value(), trace.gpu.stream[i].value(),
        trace.gpu.launch[i].value(), trace.gpu.position[i], trace.gpu_args[ArgKey::kDtype].find(i).value_or(-1));
  }
  for (const HostId i : IdRange<HostId>(trace.host.size())) {
    say(trace.host.start_ns[i], trace.host.name[i].value(), trace.host.thread[i].value(), trace.host.parent[i].value(),
        trace.host.position[i], trace.host_args[ArgKey::kDtype].find(i).value_or(-1));
  }
  for (const LaunchId i : IdRange<LaunchId>(trace.launches.size()))
    say(trace.launches.start_ns[i], trace.launches.host[i].value());
  for (const Annotation& row : trace.annotations) say(row.start_ns, row.name.value(), row.position);
  say(trace.quality.kept, *trace.first_start_ns, trace.last_end_ns);
  return out;
}

}  // namespace

TEST_CASE("append: two parts give the trace that one builder gives, wherever the records are parted") {
  TraceBuilder whole(options());
  for (std::uint32_t i = 0; i < kRecords.size(); ++i) add(whole, kRecords[i], i);
  const std::string expected = told(whole.finish());
  for (std::size_t cut = 0; cut <= kRecords.size(); ++cut) {
    TraceBuilder first(options());
    TraceBuilder later(options());
    for (std::uint32_t i = 0; i < kRecords.size(); ++i) {
      if (i < cut) add(first, kRecords[i], i);
      else add(later, kRecords[i], i - static_cast<std::uint32_t>(cut));
    }
    REQUIRE(later.self_contained());
    first.append(std::move(later), static_cast<std::uint32_t>(cut));
    INFO("parted before record " << cut);
    CHECK(told(first.finish()) == expected);
  }
}

TEST_CASE("append: a part with an end does not stand alone, its begin may be in an earlier one") {
  TraceBuilder builder(options());
  CHECK(builder.self_contained());
  Event end;
  end.phase = 'E';
  end.time_ns = 5;
  builder.add(end);
  CHECK_FALSE(builder.self_contained());
  (void)builder.finish();
  CHECK(builder.self_contained());
}

TEST_CASE("append: faults of the later part follow those of the earlier one, the first few with their places") {
  TraceBuilder first(options());
  TraceBuilder later(options());
  for (std::uint64_t i = 0; i < 6; ++i) {
    Event nameless;
    nameless.phase = 'X';
    nameless.time_ns = nameless.dur_ns = 1;
    nameless.offset = 100 * i;
    (i < 3 ? first : later).add(nameless);
  }
  first.append(std::move(later), 3);
  const Trace trace = first.finish();
  const FaultCount& fault = trace.quality[EventFault::kNoName];
  CHECK(fault.count == 6);
  CHECK(fault.first_offsets == std::vector<std::uint64_t>{0, 100, 200, 300, 400});
}

TEST_CASE("event order: sorted runs are merged, the longer event first, then the earlier position") {
  Column<HostId, Nanos> start;
  CompactColumn<HostId> dur;
  Column<HostId, std::uint32_t> position;
  const auto add = [&](Nanos start_ns, Nanos dur_ns) {
    position.push_back(static_cast<std::uint32_t>(start.size()));
    start.push_back(start_ns);
    dur.push_back(dur_ns);
  };
  for (const Nanos start_ns : {10, 20, 30}) add(start_ns, 1);
  CHECK(event_order(OrderKeys<HostId>{start, dur, position}).empty());  // in order already
  for (const Nanos start_ns : {5, 20, 20, 1}) add(start_ns, start_ns == 20 && dur.size() == 4 ? 9 : 1);
  const RowOrder order = event_order(OrderKeys<HostId>{start, dur, position});
  CHECK(std::vector(order.begin(), order.end()) == std::vector<std::uint32_t>{6, 3, 0, 4, 1, 5, 2});
}

template <class T>
std::vector<T> reordered(Reordering& reordering, const std::vector<T>& values) {
  Column<GpuId, T> column;
  for (const T value : values) column.push_back(value);
  reordering.apply(column);
  return {column.begin(), column.end()};
}

TEST_CASE("reordering: values of every size follow a permutation with cycles of every length") {
  RowOrder rows;
  for (const std::uint32_t row : {0u, 2u, 1u, 5u, 3u, 4u}) rows.push_back(row);
  Reordering reordering(std::move(rows));
  CHECK(reordered<std::int64_t>(reordering, {10, -11, 12LL << 40, 13, 14, 15}) ==
        std::vector<std::int64_t>{10, 12LL << 40, -11, 15, 13, 14});
  CHECK(reordered<std::uint32_t>(reordering, {10, 11, 12, 13, 14, 15}) ==
        std::vector<std::uint32_t>{10, 12, 11, 15, 13, 14});
  CHECK(reordered<char>(reordering, {'a', 'b', 'c', 'd', 'e', 'f'}) == std::vector<char>{'a', 'c', 'b', 'f', 'd', 'e'});
  const auto new_rows = reordering.new_rows();
  CHECK(std::vector(new_rows.begin(), new_rows.end()) == std::vector<std::uint32_t>{0, 2, 1, 4, 5, 3});
}
