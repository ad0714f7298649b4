#include "list_events.h"

#include "hta/base/text.h"
#include "hta/input/excerpts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "faults.h"

namespace hta::cli {
namespace {

constexpr std::size_t kExcerptBytes = 200;

bool is_meant(EventFault fault, std::string_view kind) {
  if (kind == "all") return true;
  if (kind == "damaged") return consequence_of(fault) == Consequence::kLost;
  if (kind == "ignored") return consequence_of(fault) == Consequence::kIgnored;
  if (kind == "suspect") return consequence_of(fault) == Consequence::kSuspect;
  return starts_with_ignoring_case(event_fault_text(fault), kind);
}

// One line of valid text: blanks and control characters between the tokens do not help anybody.
std::string readable(std::string_view excerpt) {
  std::string line;
  for (const char c : valid_utf8(excerpt)) {
    const bool blank = static_cast<unsigned char>(c) <= ' ' || c == '\x7F';
    if (!blank) line += c;
    else if (!line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

}  // namespace

Status check_kind(std::string_view kind) {
  for (std::size_t f = 0; f < static_cast<std::size_t>(EventFault::kCount); ++f) {
    if (!kind.empty() && is_meant(static_cast<EventFault>(f), kind)) return {};
  }
  std::vector<std::string_view> known{"damaged", "ignored", "suspect", "all"};
  for (std::size_t f = 0; f < static_cast<std::size_t>(EventFault::kCount); ++f)
    known.push_back(event_fault_text(static_cast<EventFault>(f)));
  std::string message = "--list-events: no kind of fault is called '" + std::string(kind) + "'";
  if (const auto guess = nearest(kind, known)) message += "; did you mean '" + *guess + "'?";
  else message += "; there are damaged, ignored, suspect, all, and the names in table faults";
  return Error{ErrorCode::kUsage, "", message, {}};
}

Status list_events(const input::Run& run, std::string_view kind, const CommonOptions& common,
                   result::Document& document) {
  result::Table table(kListTable);
  for (const input::RunInput& input : run.inputs) {
    if (!input.selected) continue;
    std::vector<std::pair<std::uint64_t, EventFault>> places;
    for (std::size_t f = 0; f < input.quality.faults.size(); ++f) {
      const auto fault = static_cast<EventFault>(f);
      if (!is_meant(fault, kind)) continue;
      const FaultCount& seen = input.quality.faults[f];
      for (const std::uint64_t offset : seen.first_offsets) places.emplace_back(offset, fault);
      if (seen.first_positions.empty()) continue;
      const auto offsets = input::offsets_of_records(input.path, seen.first_positions, common.scan_limits);
      if (!offsets) return offsets.error();
      for (const std::uint64_t offset : *offsets) places.emplace_back(offset, fault);
    }
    if (places.empty()) continue;
    std::sort(places.begin(), places.end());
    std::vector<std::uint64_t> offsets;
    for (const auto& [offset, fault] : places) offsets.push_back(offset);
    const auto texts = input::read_excerpts(input.path, offsets, kExcerptBytes);
    if (!texts) return texts.error();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto& [offset, fault] = places[i];
      table.add({input.path, input.rank ? result::Cell(*input.rank) : result::Cell(std::nullopt),
                 consequence_text(fault), event_fault_text(fault), offset, readable((*texts)[i])});
    }
  }
  document.tables.push_back(std::move(table));
  return {};
}

}  // namespace hta::cli
