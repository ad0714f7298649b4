#pragma once
// hta info --list-events: the events behind the counts of faults, to look at.

#include "hta/cli/command.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace hta::cli {

/// With --top 0: of each rank and kind of fault.
inline constexpr std::size_t kMostListed = 10'000;

inline constexpr std::array kListColumns{
    result::ColumnSpec{"path", result::CellType::kText},        result::ColumnSpec{"rank", result::CellType::kRank},
    result::ColumnSpec{"consequence", result::CellType::kText}, result::ColumnSpec{"fault", result::CellType::kText},
    result::ColumnSpec{"offset", result::CellType::kInteger},   result::ColumnSpec{"text", result::CellType::kText},
};
/// The table of the listing, and the option that asks for it.
inline constexpr result::TableSpec kListTable{"events", "Events behind the faults, as they stand in the file",
                                              kListColumns};
inline constexpr analysis::OptionSpec kListOption{"list-events",
                                                  analysis::OptionKind::kText,
                                                  "",
                                                  "KIND",
                                                  "show the events behind the faults: damaged, ignored, suspect, all, "
                                                  "or the name of a fault such as 'negative duration'",
                                                  ""};

/// Whether `kind` names faults: damaged, ignored, suspect, all, or (the beginning of) the name of one fault. Else
/// kUsage.
Status check_kind(std::string_view kind);

/// Adds the table: the first events of these faults in each rank, at most `options.top` of each fault, with their text.
/// Reads the files again. Errors: kInput.
Status list_events(const input::Run& run, std::string_view kind, const CommonOptions& common,
                   result::Document& document);

}  // namespace hta::cli
