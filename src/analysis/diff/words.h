#pragma once
// A comparison in sentences.

#include "hta/analysis/diff/comparison.h"
#include "hta/result/document.h"

namespace hta::analysis::diff {

/// The verdict, what dominates the change, and how busy the GPUs were: what a person reads first.
void add_heading(const RunProfile& base, const RunProfile& test, const Comparison& comparison,
                 result::Document& document);

/// What makes the runs less comparable: ranks, GPUs, names, steps.
void add_notes(const RunProfile& base, const RunProfile& test, const Comparison& comparison,
               result::Document& document);

}  // namespace hta::analysis::diff
