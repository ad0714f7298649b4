#include "hta/analysis/diff/names.h"

#include <algorithm>
#include <map>
#include <set>

namespace hta::analysis::diff {
namespace {

constexpr std::size_t kShortestHash = 8;

// Drops balanced <...>. Shift operators (<<) begin nothing, and the > of an arrow (->) ends nothing.
std::string without_template_arguments(std::string_view name) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::vector<std::size_t> partner(name.size(), kNone);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') {
      open.push_back(i);
    } else if (name[i] == '>' && (i == 0 || name[i - 1] != '-') && !open.empty()) {
      partner[open.back()] = i;
      open.pop_back();
    }
  }
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool alone = name[i] == '<' && (i == 0 || name[i - 1] != '<') && (i + 1 == name.size() || name[i + 1] != '<');
    if (alone && partner[i] != kNone) i = partner[i];
    else out += name[i];
  }
  return out;
}

// Drops (...) if it ends the name and something stands before it.
void drop_parameters(std::string& name) {
  if (!name.ends_with(')')) return;
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) {
      if (i > 0) name.resize(i);
      return;
    }
  }
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Names made by compilers carry hashes of the source: different in every build, so they tell nothing.
std::string without_hashes(std::string_view name) {
  std::string out;
  while (true) {
    const std::size_t end = name.find('_');
    const std::string_view part = name.substr(0, end);
    const bool hash = part.size() >= kShortestHash && std::all_of(part.begin(), part.end(), is_hex) &&
                      std::any_of(part.begin(), part.end(), is_digit);
    if (hash) out += '#';
    else out += part;
    if (end == std::string_view::npos) return out;
    out += '_';
    name.remove_prefix(end + 1);
  }
}

void drop_running_number(std::string& name) {
  if (!name.starts_with("triton_")) return;
  std::size_t digits = name.size();
  while (digits > 0 && is_digit(name[digits - 1])) --digits;
  if (digits < name.size() && digits > 0 && name[digits - 1] == '_') name.resize(digits - 1);
}

}  // namespace

std::string normal_form(std::string_view name) {
  constexpr std::string_view kVoid = "void ";
  std::string text = without_template_arguments(name);
  drop_parameters(text);
  if (text.starts_with(kVoid)) text.erase(0, kVoid.size());
  text = without_hashes(text);
  drop_running_number(text);
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string short_name(std::string_view name) {
  // Cut at the end: names of generated kernels begin with what tells them apart (types, layout, tile).
  constexpr std::size_t kBytes = 60;
  std::string text = normal_form(name);
  if (text.size() <= kBytes) return text;
  std::size_t end = kBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

MatchedNames match_names(std::span<const KernelKey> base, std::span<const KernelKey> test, NameRule rule) {
  using OwnedKey = std::pair<std::string, KernelType>;
  const auto normal = [](const KernelKey& key) { return OwnedKey(normal_form(key.name), key.kind); };

  // Names of one side that the other has too need no normal form; what is left may be joined if both sides have it.
  const auto forms_left = [&](std::span<const KernelKey> side, std::span<const KernelKey> other) {
    const std::set<KernelKey> known(other.begin(), other.end());
    std::set<OwnedKey> forms;
    for (const KernelKey& key : side) {
      if (!known.contains(key)) forms.insert(normal(key));
    }
    return forms;
  };
  const bool automatic = rule == NameRule::kAuto;
  const std::set<OwnedKey> base_forms = automatic ? forms_left(base, test) : std::set<OwnedKey>();
  const std::set<OwnedKey> test_forms = automatic ? forms_left(test, base) : std::set<OwnedKey>();

  const auto names_of = [&](std::span<const KernelKey> side, std::span<const KernelKey> other) {
    const std::set<KernelKey> known(other.begin(), other.end());
    std::vector<OwnedKey> names;
    for (const KernelKey& key : side) {
      OwnedKey own(key.name, key.kind);
      if (rule == NameRule::kExact || (automatic && known.contains(key))) {
        names.push_back(std::move(own));
        continue;
      }
      OwnedKey form = normal(key);
      const bool joined = !automatic || (base_forms.contains(form) && test_forms.contains(form));
      names.push_back(joined ? std::move(form) : std::move(own));
    }
    return names;
  };
  const std::vector<OwnedKey> base_names = names_of(base, test);
  const std::vector<OwnedKey> test_names = names_of(test, base);

  std::map<OwnedKey, std::size_t> index;
  for (const OwnedKey& name : base_names) index.emplace(name, 0);
  for (const OwnedKey& name : test_names) index.emplace(name, 0);
  MatchedNames out;
  for (auto& [key, row] : index) {
    row = out.rows.size();
    out.rows.push_back({key.first, key.second});
  }
  for (const OwnedKey& name : base_names) out.base.push_back(index.at(name));
  for (const OwnedKey& name : test_names) out.test.push_back(index.at(name));
  return out;
}

}  // namespace hta::analysis::diff
