#include "idle_heading.h"

#include "hta/base/human.h"

#include <algorithm>
#include <map>

namespace hta::analysis::idle {
namespace {

constexpr std::size_t kCausesNamed = 3;
constexpr std::int64_t kWorthNaming = 10;  // a part of less than a tenth is left out

// Idle time of one device or of several, with the causes of its host_wait part.
struct Account {
  Nanos span_ns = 0;
  std::array<Nanos, 3> kind_ns{};  // host_wait, kernel_wait, other
  Nanos after_sync_ns = 0;
  std::map<HostCause, Nanos> causes;
  // By cause: what it was, and the same with where it was.
  std::map<HostCause, std::map<std::string, Nanos>> activities;
  std::map<HostCause, std::map<std::string, Nanos>> places;

  Nanos idle_ns() const { return kind_ns[0] + kind_ns[1] + kind_ns[2]; }

  void add(const DeviceIdle& device) {
    span_ns += device.span_ns;
    after_sync_ns += device.after_sync_ns;
    for (std::size_t kind = 0; kind < 3; ++kind) kind_ns[kind] += device.kinds[kind].idle_ns;
    for (const CauseIdle& cause : device.causes) causes[cause.cause] += cause.idle_ns;
    for (const SourceIdle& source : device.sources) {
      if (source.activity.empty()) continue;
      activities[source.cause][source.activity] += source.idle_ns;
      if (!source.place.empty()) places[source.cause][source.activity + ", in " + source.place] += source.idle_ns;
    }
  }
};

template <class Key>
std::vector<std::pair<Key, Nanos>> largest_first(const std::map<Key, Nanos>& times) {
  std::vector<std::pair<Key, Nanos>> out(times.begin(), times.end());
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

// The name that makes up most of a cause, if one does.
std::string main_name(const std::map<HostCause, std::map<std::string, Nanos>>& names, HostCause cause, Nanos ns) {
  const auto of = names.find(cause);
  if (of == names.end()) return {};
  const auto largest = largest_first(of->second).front();
  return largest.second * 2 > ns ? largest.first : std::string();
}

// "data loading 61.20 % (enumerate(DataLoader)#...)".
std::string cause_text(const Account& account, HostCause cause, Nanos ns) {
  std::string name = main_name(account.places, cause, ns);
  if (name.empty()) name = main_name(account.activities, cause, ns);
  return std::string(host_cause_words(cause)) + " " + human_percent(ns, account.idle_ns()) +
         (name.empty() ? "" : " (" + name + ")");
}

void say_kinds(const Account& all, result::Document& document) {
  document.heading.push_back("GPU idle " + human_percent(all.idle_ns(), all.span_ns) + " of the time (" +
                             human_time(all.idle_ns()) + " of " + human_time(all.span_ns) +
                             "): " + human_percent(all.kind_ns[0], all.span_ns) + " waiting for the host, " +
                             human_percent(all.kind_ns[1], all.span_ns) + " between kernels, " +
                             human_percent(all.kind_ns[2], all.span_ns) + " waiting for something else.");
}

void say_causes(const Account& all, result::Document& document) {
  std::string line;
  std::size_t named = 0;
  for (const auto& [cause, ns] : largest_first(all.causes)) {
    if (named == kCausesNamed || ns * kWorthNaming < all.idle_ns()) break;
    line += (named++ == 0 ? "Of the idle time the host spent: " : ", ") + cause_text(all, cause, ns);
  }
  if (named > 0) document.heading.push_back(line + ".");
  if (all.after_sync_ns * kWorthNaming > all.idle_ns()) {
    document.heading.push_back(
        "Gaps that begin while the host is in a synchronising call, or just returns from it, make up " +
        human_percent(all.after_sync_ns, all.idle_ns()) + " of the idle time: it had nothing queued behind that call.");
  }
}

// Names the rank that is idle most, if it stands out.
void say_rank(std::span<Ranked<Partial>> ranks, result::Document& document) {
  if (ranks.size() < 2) return;
  std::vector<std::pair<std::int64_t, std::int64_t>> idle;  // hundredths of a per cent, -rank
  std::map<std::int64_t, Account> accounts;
  for (const auto& [context, partial] : ranks) {
    for (const DeviceIdle& device : partial.devices) accounts[context.rank.rank()].add(device);
  }
  for (const auto& [rank, account] : accounts) {
    if (const auto pct = percent(account.idle_ns(), account.span_ns)) idle.emplace_back(*pct, -rank);
  }
  if (idle.size() < 2) return;
  std::sort(idle.begin(), idle.end());
  const auto [most, minus_rank] = idle.back();
  const std::int64_t median = idle[(idle.size() - 1) / 2].first;
  constexpr std::int64_t kStandsOut = 200;  // two points
  if (most - median < kStandsOut) return;
  const Account& worst = accounts[-minus_rank];
  std::string line = "Rank " + std::to_string(-minus_rank) +
                     " is idle most: " + human_percent(worst.idle_ns(), worst.span_ns) + " against a median of " +
                     human_percent(median, 10'000);
  if (const auto causes = largest_first(worst.causes); !causes.empty())
    line += "; mostly " + cause_text(worst, causes.front().first, causes.front().second);
  document.heading.push_back(line + ".");
}

void say_longest_gap(std::span<Ranked<Partial>> ranks, result::Document& document) {
  const Gap* longest = nullptr;
  std::int64_t rank = 0;
  for (const auto& [context, partial] : ranks) {
    for (const DeviceIdle& device : partial.devices) {
      if (device.longest.empty() || (longest != nullptr && device.longest.front().dur_ns <= longest->dur_ns)) continue;
      longest = &device.longest.front();
      rank = context.rank.rank();
    }
  }
  if (longest == nullptr) return;
  std::string line =
      "The longest wait for the host: " + human_time(longest->dur_ns) + " on rank " + std::to_string(rank);
  if (longest->step) line += " in step " + std::to_string(*longest->step);
  line += ", " + std::string(host_cause_words(longest->cause));
  if (!longest->activity.empty())
    line += " (" + longest->activity + (longest->place.empty() ? "" : ", in " + longest->place) + ")";
  document.heading.push_back(line + ".");
}

}  // namespace

void add_heading(std::span<Ranked<Partial>> ranks, result::Document& document) {
  Account all;
  for (const auto& [context, partial] : ranks) {
    for (const DeviceIdle& device : partial.devices) all.add(device);
  }
  if (all.span_ns == 0) {
    document.heading.push_back("No GPU event was recorded: there is no idle time to explain.");
    document.note("no-gpu-events", "no rank has GPU events; was ProfilerActivity.CUDA on?");
    return;
  }
  say_kinds(all, document);
  say_causes(all, document);
  say_rank(ranks, document);
  say_longest_gap(ranks, document);
  if (all.kind_ns[0] * 2 > all.idle_ns()) document.next.push_back("launch");
  else if (all.kind_ns[2] * 2 > all.idle_ns()) document.next.push_back("overlap");
}

}  // namespace hta::analysis::idle
