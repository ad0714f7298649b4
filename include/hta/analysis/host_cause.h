#pragma once
// What a host thread is doing, as far as the names of its events tell, in words that a user can act on.

#include "hta/model/trace.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace hta::analysis {

/// Ordered as a tie between two causes is broken.
enum class HostCause : std::uint8_t {
  kDataLoading,       ///< fetching the next batch
  kSynchronisation,   ///< a call that blocks until the device is done
  kMemoryAllocation,  ///< device or pinned memory is allocated or released
  kCompilation,       ///< graphs are captured by the compiler, kernels compiled or loaded
  kOptimizer,         ///< the optimizer's own host work
  kCommunication,     ///< collectives are prepared or waited for
  kRuntimeCall,       ///< any other runtime or driver call
  kOperator,          ///< dispatch of operators
  kPython,            ///< Python code
  kAnnotation,        ///< inside a user's annotation, nothing finer recorded
  kProfiler,          ///< the profiler's own work
  kOtherHost,         ///< a host event of a kind that is not known here
  kLaunchLatency,     ///< from the beginning of the launch call to the start on the device
  kNotRecorded,       ///< nothing was recorded on the thread
};
inline constexpr std::size_t kHostCauses = static_cast<std::size_t>(HostCause::kNotRecorded) + 1;
/// data_loading, synchronisation, ...
std::string_view host_cause_name(HostCause cause);
/// The same for sentences: "data loading".
std::string_view host_cause_words(HostCause cause);

/// What a name alone says. A region lends its cause to everything inside it; a call says what it does itself.
enum class NameHint : std::uint8_t {
  kNone,
  kDataLoading,
  kCompilation,
  kOptimizer,
  kCommunication,  // regions
  kSynchronisation,
  kMemoryAllocation,
  kCodeLoading,  // runtime and driver calls
};
NameHint name_hint(std::string_view name);

/// The cause that everything inside an event of this hint has; kNotRecorded if it lends none.
HostCause region_cause(NameHint hint);
/// The cause of time spent in the event itself, outside of any region.
HostCause own_cause(CategoryKind kind, NameHint hint);
/// Whether what the event does itself tells more than the region around it.
bool outranks_region(CategoryKind kind, NameHint hint);

/// Whether a Python frame belongs to the user's program rather than to PyTorch, an installed package or the
/// interpreter.
bool is_user_frame(std::string_view name);

}  // namespace hta::analysis
