#pragma once

#include "hta/model/args.h"

namespace hta {

/// What an analysis wants to find in a Trace. GPU events, launch calls, their links and the steps are always there; the
/// rest is stored only if asked for, which saves memory (and, for args, time).
struct Needs {
  bool host_events = false;      ///< Trace::host, without python frames
  bool python_frames = false;    ///< python_function events in Trace::host as well
  bool python_tree = false;      ///< the same, for the call tree alone: their names may be empty, which is cheaper
  bool call_tree = false;        ///< HostEvents::parent; implies host_events
  bool annotations = false;      ///< Trace::annotations
  bool sync_records = false;     ///< Trace::sync_records
  bool memory_events = false;    ///< Trace::memory_events
  bool flows = false;            ///< Trace::backward_threads
  bool profiler_ranges = false;  ///< Trace::profiler_ranges (CUPTI counters)
  ArgSet gpu_args;               ///< Trace::gpu_args
  ArgSet host_args;              ///< Trace::host_args; implies host_events

  /// The union of both needs.
  Needs& operator|=(const Needs& other) {
    host_events |= other.host_events || other.call_tree || !other.host_args.empty();
    python_frames |= other.python_frames;
    python_tree |= other.python_tree;
    call_tree |= other.call_tree;
    annotations |= other.annotations;
    sync_records |= other.sync_records;
    memory_events |= other.memory_events;
    flows |= other.flows;
    profiler_ranges |= other.profiler_ranges;
    gpu_args |= other.gpu_args;
    host_args |= other.host_args;
    return *this;
  }
};

}  // namespace hta
