#pragma once
// The steps that turn recorded rows into a Trace: order, links, steps, kernel types, filter, call tree.

#include "hta/model/trace_builder.h"

namespace hta {

void finish_trace(Trace& trace, const BuildOptions& options);
/// Gives back the memory that columns hold behind their last rows.
void trim_trace(Trace& trace);
/// Empties a trace but keeps the memory of its columns.
void clear_trace(Trace& trace);

}  // namespace hta
