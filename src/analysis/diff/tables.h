#pragma once
// The tables of diff and check.

#include "hta/analysis/diff/comparison.h"
#include "hta/analysis/diff/gates.h"
#include "hta/result/document.h"

#include <span>

namespace hta::analysis::diff {

extern const std::span<const result::TableSpec> kDiffTables;
extern const std::span<const result::TableSpec> kCheckTables;

/// kernels, ops, waterfall, waterfall_kernels and metrics. `top` rows (0 = all), the rest in a row `others`.
void add_comparison_tables(const Comparison& comparison, std::int64_t top, result::Document& document);

/// The samples of one run, one row each.
void add_step_rows(std::span<Ranked<Partial>> ranks, Sampling sampling, std::string_view run, result::Table& table);
result::Table steps_table();

void add_gates_table(std::span<const JudgedGate> gates, result::Document& document);
void add_check_table(std::span<const JudgedGate> gates, result::Document& document);

}  // namespace hta::analysis::diff
