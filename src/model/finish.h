#pragma once
// The steps that turn recorded rows into a Trace: order, links, steps, kernel types, filter, call tree.

#include "hta/model/trace_builder.h"

namespace hta {

void finish_trace(Trace& trace, const BuildOptions& options);
/// Empties a trace but keeps the memory of its columns.
void clear_trace(Trace& trace);

}  // namespace hta
