#include "ranks.h"

#include "hta/base/text.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace hta::input {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Larger numbers are dates or process ids. It also keeps rank and window within 64 bits.
constexpr std::int64_t kMostRanks = 10'000'000;

std::optional<std::int64_t> credible(std::optional<std::int64_t> rank) {
  return rank && *rank >= 0 && *rank < kMostRanks ? rank : std::nullopt;
}

std::optional<std::int64_t> number_at(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  return credible(parse_integer(text.substr(0, n)));
}

// `r0-2025-...`: too short a word to take a rank from, but enough to see that it is another than the recorded one.
std::optional<std::int64_t> hint_in_name(std::string_view name) {
  if (name.size() < 2 || name[0] != 'r') return std::nullopt;
  const std::size_t digits = name.find_first_not_of("0123456789", 1);
  if (digits == 1 || digits == std::string_view::npos || name[digits] != '-') return std::nullopt;
  return number_at(name.substr(1));
}

// `TP-1-DP-0-PP-0` and the like: the numbers behind the names of parallel dimensions, in order of the name.
std::vector<std::int64_t> dimensions_in_name(std::string_view name) {
  constexpr std::array<std::string_view, 6> kDimensions{"tp", "dp", "pp", "ep", "cp", "sp"};
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i + 3 < name.size(); ++i) {
    if (i > 0 && (is_letter(name[i - 1]) || is_digit(name[i - 1]))) continue;
    const std::string word = to_lower(name.substr(i, 2));
    if (std::find(kDimensions.begin(), kDimensions.end(), word) == kDimensions.end()) continue;
    std::size_t digits = i + 2;
    if (name[digits] == '-' || name[digits] == '_') ++digits;
    if (const auto number = number_at(name.substr(digits))) out.push_back(*number);
  }
  return out;
}

// The name without runs of digits that can be a time stamp (9 or more), to see whether two names differ only there.
std::string without_stamps(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size();) {
    std::size_t end = i;
    while (end < name.size() && is_digit(name[end])) ++end;
    if (end - i >= 9) out += '#';
    else out += name.substr(i, std::max<std::size_t>(1, end - i));
    i = std::max(end, i + 1);
  }
  return out;
}

std::string range_text(const std::vector<std::int64_t>& numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    if (!out.empty()) out += ", ";
    out += std::to_string(numbers[i]);
    if (end > i) out += "-" + std::to_string(numbers[end]);
    i = end + 1;
  }
  return out;
}

// Several traces of one rank: capture windows, if their times do not overlap or their names differ only in a time
// stamp.
bool are_windows(const std::vector<RunInput*>& inputs) {
  bool same_name = true;
  for (const RunInput* input : inputs) {
    same_name &= base_name(input->path) != base_name(inputs.front()->path) || input == inputs.front();
    same_name &= without_stamps(base_name(input->path)) == without_stamps(base_name(inputs.front()->path));
  }
  if (same_name) return true;
  std::vector<std::pair<Nanos, Nanos>> spans;
  for (const RunInput* input : inputs) {
    const Nanos base = input->info.base_time_ns.value_or(0);
    spans.emplace_back(input->first_start_ns.value_or(0) + base, input->last_end_ns + base);
  }
  std::sort(spans.begin(), spans.end());
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].first < spans[i - 1].second) return false;
  }
  return true;
}

}  // namespace

std::string_view rank_source_text(RankSource source) {
  switch (source) {
    case RankSource::kMetadata: return "metadata";
    case RankSource::kName: return "name";
    case RankSource::kAssigned: return "assigned";
    case RankSource::kOption: return "option";
    case RankSource::kLabel: return "label";
  }
  return "assigned";
}

std::optional<std::int64_t> rank_in_name(std::string_view file_name) {
  for (const std::string_view word : {std::string_view("rank"), std::string_view("worker")}) {
    for (std::size_t i = 0; i + word.size() < file_name.size(); ++i) {
      if (i > 0 && is_letter(file_name[i - 1])) continue;
      if (!equals_ignoring_case(file_name.substr(i, word.size()), word)) continue;
      std::string_view rest = file_name.substr(i + word.size());
      if (!rest.empty() && (rest[0] == '_' || rest[0] == '-' || rest[0] == '[' || rest[0] == '.'))
        rest.remove_prefix(1);
      if (const auto number = number_at(rest)) return number;
    }
  }
  return std::nullopt;
}

Status assign_ranks(std::vector<RunInput>& inputs, const RunOptions& options, std::vector<RunNote>& notes) {
  for (const auto& [path, rank] : options.assigned_ranks) {
    const bool known =
        std::any_of(inputs.begin(), inputs.end(), [&path = path](const RunInput& input) { return input.path == path; });
    if (!known)
      return Error{ErrorCode::kUsage, path, "is given to --assign-rank but is no input; hta info lists the paths", {}};
  }
  std::vector<RunInput*> usable;
  for (RunInput& input : inputs) {
    if (input.status == FileStatus::kOk) usable.push_back(&input);
  }

  // What each input says of itself.
  std::map<RunInput*, std::int64_t> rank;
  std::vector<RunInput*> silent;
  std::vector<std::string> disagreeing;
  for (RunInput* input : usable) {
    const auto by_option = options.assigned_ranks.find(input->path);
    const std::string_view name = base_name(input->path);
    const auto named = input->label.empty() ? rank_in_name(name) : std::nullopt;
    const auto recorded = input->label.empty() ? credible(input->info.rank) : std::nullopt;
    const auto hinted = named ? named : hint_in_name(name);
    if (by_option != options.assigned_ranks.end()) {
      rank[input] = by_option->second;
      input->source = RankSource::kOption;
    } else if (recorded && options.rank_from != RankFrom::kName) {
      rank[input] = *recorded;
      input->source = RankSource::kMetadata;
      if (hinted && *hinted != *recorded) disagreeing.push_back(std::string(name));
    } else if (named && options.rank_from != RankFrom::kMetadata) {
      rank[input] = *named;
      input->source = RankSource::kName;
    } else {
      silent.push_back(input);
    }
  }
  if (!disagreeing.empty()) {
    notes.push_back({"rank-name-differs",
                     "the rank in the name of " + disagreeing.front() +
                         (disagreeing.size() > 1 ? " and " + std::to_string(disagreeing.size() - 1) + " more" : "") +
                         " differs from the recorded one; the recorded one counts",
                     false});
  }

  // The others get the numbers that are left, in order of their parallel dimensions or names.
  std::stable_sort(silent.begin(), silent.end(), [](const RunInput* a, const RunInput* b) {
    const auto x = dimensions_in_name(base_name(a->path));
    const auto y = dimensions_in_name(base_name(b->path));
    if (!x.empty() && x.size() == y.size() && x != y) return x < y;
    if (a->path != b->path) return natural_less(a->path, b->path);
    return natural_less(a->label, b->label);
  });
  std::set<std::int64_t> taken;
  for (const auto& [input, number] : rank) taken.insert(number);
  std::int64_t next = 0;
  bool assigned = false;
  for (RunInput* input : silent) {
    while (taken.contains(next)) ++next;
    taken.insert(next);
    rank[input] = next;
    input->source = input->label.empty() ? RankSource::kAssigned : RankSource::kLabel;
    assigned |= input->label.empty();
  }
  if (assigned && (usable.size() > 1 || !dimensions_in_name(base_name(silent.front()->path)).empty())) {
    std::string what;
    for (const RunInput* input : silent) {
      if (what.size() > 200) {
        what += ", ...";
        break;
      }
      what += (what.empty() ? "" : ", ") + std::string(base_name(input->path)) + " = rank " +
              std::to_string(rank[const_cast<RunInput*>(input)]);
    }
    notes.push_back(
        {"rank-assigned",
         "ranks assigned in name order, because the files carry none: " + what + " (change with --assign-rank)",
         false});
  }
  bool by_name = false;
  for (const RunInput* input : usable) by_name |= input->source == RankSource::kName;
  if (by_name && usable.size() > 1)
    notes.push_back({"rank-from-name", "ranks taken from file names, because the files carry none", false});

  // Several inputs of one rank.
  std::map<std::int64_t, std::vector<RunInput*>> by_rank;
  for (RunInput* input : usable) by_rank[rank[input]].push_back(input);
  for (auto& [number, group] : by_rank) {
    if (group.size() == 1) {
      group.front()->rank = RankKey(number, 0);
      continue;
    }
    if (!are_windows(group)) {
      return Error{ErrorCode::kInput,
                   group[0]->path,
                   "claims rank " + std::to_string(number) + ", and so does " + group[1]->path +
                       "; give one of them, or tell them apart with --assign-rank PATH=N",
                   {}};
    }
    std::stable_sort(group.begin(), group.end(), [](const RunInput* a, const RunInput* b) {
      const Nanos x = a->first_start_ns.value_or(0) + a->info.base_time_ns.value_or(0);
      const Nanos y = b->first_start_ns.value_or(0) + b->info.base_time_ns.value_or(0);
      return x != y ? x < y : natural_less(a->path, b->path);
    });
    for (std::size_t i = 0; i < group.size(); ++i) group[i]->rank = RankKey(number, static_cast<int>(i) + 1);
    notes.push_back({"capture-windows",
                     "rank " + std::to_string(number) + " has " + std::to_string(group.size()) +
                         " capture windows, which are kept apart",
                     false});
  }

  std::int64_t world = 0;
  for (const RunInput* input : usable) world = std::max(world, input->info.world_size.value_or(0));
  std::vector<std::int64_t> missing;
  for (std::int64_t r = 0; r < world && missing.size() < 100'000; ++r) {
    if (!by_rank.contains(r)) missing.push_back(r);
  }
  if (!missing.empty() && !by_rank.empty()) {
    notes.push_back({"rank-missing",
                     (missing.size() == 1 ? "rank " : "ranks ") + range_text(missing) + " of " + std::to_string(world) +
                         (missing.size() == 1 ? " is missing" : " are missing") +
                         "; statistics cover the ranks that are here",
                     false});
  }
  return {};
}

}  // namespace hta::input
