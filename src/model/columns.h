#pragma once
// The columns of each table by name of the member, so that what is done to all of them is written once.

#include "hta/model/trace.h"

#include <tuple>

namespace hta {

/// As recorded; the links between tables follow in finish_trace.
inline constexpr auto kRecordedGpuColumns = std::tuple{
    &GpuEvents::start_ns, &GpuEvents::dur_ns, &GpuEvents::name,        &GpuEvents::stream,  &GpuEvents::thread,
    &GpuEvents::category, &GpuEvents::type,   &GpuEvents::correlation, &GpuEvents::position};
inline constexpr auto kGpuColumns =
    std::tuple_cat(kRecordedGpuColumns, std::tuple{&GpuEvents::launch, &GpuEvents::step});

inline constexpr auto kRecordedLaunchColumns =
    std::tuple{&LaunchCalls::start_ns,    &LaunchCalls::dur_ns, &LaunchCalls::name,    &LaunchCalls::thread,
               &LaunchCalls::correlation, &LaunchCalls::host,   &LaunchCalls::position};
inline constexpr auto kLaunchColumns =
    std::tuple_cat(kRecordedLaunchColumns, std::tuple{&LaunchCalls::gpu_begin, &LaunchCalls::gpu_of});

inline constexpr auto kRecordedHostColumns =
    std::tuple{&HostEvents::start_ns, &HostEvents::dur_ns,   &HostEvents::name,
               &HostEvents::thread,   &HostEvents::category, &HostEvents::position};
inline constexpr auto kHostColumns = std::tuple_cat(kRecordedHostColumns, std::tuple{&HostEvents::parent});

/// visit(member) for each member of a list above.
template <class Members, class Visit>
void for_each_column(const Members& members, Visit visit) {
  std::apply([&](auto... member) { (visit(member), ...); }, members);
}

}  // namespace hta
