#pragma once
// Tables that `comm` and `stragglers` share.

#include "hta/analysis/options.h"
#include "hta/result/table.h"

#include <array>

namespace hta::analysis::comm {

inline constexpr std::array kClockColumns{
    result::ColumnSpec{"rank", result::CellType::kRank},
    result::ColumnSpec{"offset_us", result::CellType::kTime},
    result::ColumnSpec{"drift_ppm", result::CellType::kRate},
    result::ColumnSpec{"residual_p50_us", result::CellType::kTime},
    result::ColumnSpec{"residual_p95_us", result::CellType::kTime},
    result::if_room("least_offset_us", result::CellType::kTime),
    result::if_room("most_offset_us", result::CellType::kTime),
    result::ColumnSpec{"collectives", result::CellType::kInteger},
    result::if_room("violations", result::CellType::kInteger),
    result::ColumnSpec{"method", result::CellType::kText},
};
inline constexpr result::TableSpec kClockTable{"clocks", "Clocks of the ranks against the first one", kClockColumns};

inline constexpr std::size_t kMostClocksShown = 32;  // rows that people see unasked; a note tells the farthest clock

inline constexpr OptionSpec kClockOption{
    "clock",
    OptionKind::kChoiceOrFile,
    "auto",
    "HOW",
    "auto: bring the ranks' clocks together by the ends of collectives; none: take them as they are; else a CSV file "
    "with the columns rank and offset_us (and drift_ppm)",
    "auto|none"};

}  // namespace hta::analysis::comm
