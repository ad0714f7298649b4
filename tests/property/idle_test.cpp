#include "hta/analysis/idle.h"

#include "hta/analysis/host_cause.h"

#include <map>
#include <set>
#include <tuple>

#include "variants.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::test;

namespace {

using CauseKey = std::pair<std::int64_t, std::string>;  // device, kind or cause
using CauseMap = std::map<CauseKey, Nanos>;

// Finds gaps and causes instant by instant: quadratic, without any sweep.
class Oracle {
 public:
  explicit Oracle(const Trace& trace) : t_(trace), end_ns_(trace.host.size()) {
    for (const HostId row : IdRange<HostId>(trace.host.size())) {
      const HostId parent = trace.host.parent[row];
      end_ns_[row.value()] = trace.host.end_ns(row);
      if (parent.valid()) end_ns_[row.value()] = std::min(end_ns_[row.value()], end_ns_[parent.value()]);
    }
  }

  // The event that ends a gap at its start, and where the gap began; `same` says which events belong together.
  template <class Same>
  std::optional<Nanos> gap_before(GpuId k, Same same) const {
    std::optional<Nanos> busy_until;
    for (const GpuId i : IdRange<GpuId>(t_.gpu.size())) {
      if (same(i) && t_.gpu.start_ns[i] < t_.gpu.start_ns[k])
        busy_until = std::max(busy_until.value_or(INT64_MIN), t_.gpu.end_ns(i));
    }
    return busy_until && *busy_until < t_.gpu.start_ns[k] ? busy_until : std::nullopt;
  }

  std::string kind(GpuId k, Nanos begin, Nanos kernel_gap_ns) const {
    const LaunchId call = t_.gpu.launch[k];
    if (call.valid() && t_.launches.start_ns[call] > begin) return "host_wait";
    return t_.gpu.start_ns[k] - begin < kernel_gap_ns ? "kernel_wait" : "other";
  }

  CauseMap stream_kinds(std::int64_t device, std::int64_t stream) const {
    CauseMap out;
    const auto same = [&](GpuId i) { return t_.stream_of(i) == Stream{device, stream}; };
    std::set<Nanos> starts;
    for (const GpuId k : IdRange<GpuId>(t_.gpu.size())) {
      if (!same(k) || !starts.insert(t_.gpu.start_ns[k]).second) continue;
      if (const auto begin = gap_before(k, same)) out[{stream, kind(k, *begin, 30'000)}] += t_.gpu.start_ns[k] - *begin;
    }
    return out;
  }

  CauseMap device_kinds() const {
    CauseMap out;
    each_device_gap([&](std::int64_t device, Nanos begin, GpuId k, GpuId) {
      out[{device, kind(k, begin, 30'000)}] += t_.gpu.start_ns[k] - begin;
    });
    return out;
  }

  CauseMap causes() const {
    CauseMap out;
    each_device_gap([&](std::int64_t device, Nanos begin, GpuId k, GpuId before) {
      const LaunchId call = t_.gpu.launch[k];
      if (!call.valid()) out[{device, "not_linked"}] += t_.gpu.start_ns[k] - begin;
      if (kind(k, begin, 30'000) != "host_wait") return;
      const Nanos launched = std::min(t_.launches.start_ns[call], t_.gpu.start_ns[k]);
      std::set<Nanos> cuts{begin, launched};
      for (const HostId row : IdRange<HostId>(t_.host.size())) {
        for (const Nanos cut : {t_.host.start_ns[row], end_ns_[row.value()]}) {
          if (begin < cut && cut < launched) cuts.insert(cut);
        }
      }
      for (auto at = cuts.begin(); std::next(at) != cuts.end(); ++at) {
        HostId inner = innermost(t_.launches.thread[call], *at);
        if (!inner.valid() && t_.gpu.launch[before].valid())
          inner = innermost(t_.launches.thread[t_.gpu.launch[before]], *at);
        out[{device, std::string(host_cause_name(cause(inner)))}] += *std::next(at) - *at;
      }
      if (launched < t_.gpu.start_ns[k]) out[{device, "launch_latency"}] += t_.gpu.start_ns[k] - launched;
    });
    return out;
  }

 private:
  template <class Visit>
  void each_device_gap(Visit visit) const {
    std::map<std::pair<std::int64_t, Nanos>, GpuId> enders;  // the one of the smallest stream, then position
    for (const GpuId k : IdRange<GpuId>(t_.gpu.size())) {
      const auto [at, fresh] = enders.try_emplace({t_.stream_of(k).device, t_.gpu.start_ns[k]}, k);
      const auto order = [&](GpuId i) { return std::pair(t_.stream_of(i).stream, t_.gpu.position[i]); };
      if (!fresh && order(k) < order(at->second)) at->second = k;
    }
    for (const auto& [key, k] : enders) {
      const auto same = [&, device = key.first](GpuId i) { return t_.stream_of(i).device == device; };
      const auto begin = gap_before(k, same);
      if (!begin) continue;
      GpuId before;  // the first to end there
      for (const GpuId i : IdRange<GpuId>(t_.gpu.size())) {
        if (!before.valid() && same(i) && t_.gpu.end_ns(i) == *begin) before = i;
      }
      visit(key.first, *begin, k, before);
    }
  }

  HostId innermost(ThreadId thread, Nanos time) const {
    HostId inner;  // later in event order is further inside
    for (const HostId row : IdRange<HostId>(t_.host.size())) {
      if (t_.host.thread[row] == thread && t_.host.start_ns[row] <= time && time < end_ns_[row.value()]) inner = row;
    }
    return inner;
  }

  analysis::HostCause cause(HostId inner) const {
    using namespace analysis;
    if (!inner.valid()) return HostCause::kNotRecorded;
    const CategoryKind what = t_.category(t_.host.category[inner]).kind;
    if (!outranks_region(what, name_hint(t_.name(inner)))) {
      for (HostId row = inner; row.valid(); row = t_.host.parent[row]) {
        const HostCause region = region_cause(name_hint(t_.name(row)));
        if (region != HostCause::kNotRecorded) return region;
      }
    }
    return own_cause(what, name_hint(t_.name(inner)));
  }

  const Trace& t_;
  std::vector<Nanos> end_ns_;
};

// (device or stream, kind or cause) -> time, of the rows of a table that hold time.
CauseMap times_of(const result::Document& document, std::string_view table, std::string_view key,
                  std::string_view kind) {
  CauseMap out;
  const result::Table& rows = *document.find_table(table);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const Nanos ns = rows.number(r, *rows.find_column("idle_us"));
    if (ns > 0) out[{rows.number(r, *rows.find_column(key)), std::string(rows.text(r, *rows.find_column(kind)))}] += ns;
  }
  return out;
}

RandomTraceOptions shape(std::uint64_t seed) {
  RandomTraceOptions options;
  options.devices = 1 + static_cast<int>(seed % 2);
  options.ties_percent = seed % 3 == 0 ? 40 : 10;
  return options;
}

}  // namespace

TEST_CASE("idle: gaps and their causes are those that a look at every instant finds") {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    CAPTURE(seed);
    const Trace trace = build_trace(events_with_regions(seed, shape(seed)));
    const Outcome outcome = run(analysis::kIdle, {&trace}, options_of(analysis::kIdle));
    const Oracle oracle(trace);
    CHECK(times_of(outcome.document, "device_idle", "device", "category") == oracle.device_kinds());
    CauseMap causes = times_of(outcome.document, "gap_causes", "device", "cause");
    std::erase_if(causes,
                  [](const auto& row) { return row.first.second == "kernel_wait" || row.first.second == "other"; });
    CHECK(causes == oracle.causes());
    if (seed % 2 == 0) {  // one device: the stream number is key enough
      CauseMap streams;
      for (const Stream& stream : trace.streams) streams.merge(oracle.stream_kinds(stream.device, stream.stream));
      CHECK(times_of(outcome.document, "idle", "stream", "category") == streams);
    }
  }
}

TEST_CASE("idle: causes and sources sum to the idle time of the device") {
  for (std::uint64_t seed = 100; seed < 100 + kSeeds; ++seed) {
    CAPTURE(seed);
    const Trace trace = build_trace(events_with_regions(seed, shape(seed)));
    const result::Document document = run(analysis::kIdle, {&trace}, options_of(analysis::kIdle)).document;
    std::map<std::int64_t, Nanos> idle;
    std::map<std::int64_t, Nanos> explained;
    Nanos host_wait = 0;
    for (const auto& [key, ns] : times_of(document, "device_idle", "device", "category")) {
      idle[key.first] += ns;
      if (key.second == "host_wait") host_wait += ns;
    }
    for (const auto& [key, ns] : times_of(document, "gap_causes", "device", "cause")) explained[key.first] += ns;
    CHECK(idle == explained);
    Nanos sources = 0;
    for (const std::string& cell : rows_of(document, "gap_sources", {"idle_us"})) sources += nanos_of(cell);
    CHECK(sources == host_wait);
  }
}

TEST_CASE("idle: other times and another order of the file change nothing") {
  RandomTraceOptions no_ties;
  no_ties.ties_percent = 0;
  for (std::uint64_t seed = 200; seed < 200 + kSeeds; ++seed) {
    CAPTURE(seed);
    const auto events = random_events(seed, no_ties);
    const auto expected = answer(analysis::kIdle, events);
    CHECK(answer(analysis::kIdle, shifted(events, 1'700'000'000'000'000'123)) == expected);
    CHECK(answer(analysis::kIdle, shuffled(events, seed)) == expected);
  }
}
