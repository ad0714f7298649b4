#include "budget_file.h"

#include "hta/base/text.h"

#include <algorithm>
#include <array>
#include <span>

#include "json_file.h"

namespace hta::cli {
namespace {

class BudgetReader {
 public:
  explicit BudgetReader(const std::string& path) : path_(path) {}

  Result<Budget> run() {
    const auto json = read_json_file(path_, "hta-budget/1");
    if (!json) return json.error();
    constexpr std::array<std::string_view, 4> kKeys{"schema", "name", "min_steps", "fail_on"};
    if (Status status = only(*json, kKeys, ""); !status) return status.error();
    if (json->contains("name")) {
      if (!(*json)["name"].is_string()) return fail("name is no text");
      budget_.name = (*json)["name"].get<std::string>();
    }
    if (json->contains("min_steps")) {
      const auto& steps = (*json)["min_steps"];
      if (!steps.is_number_integer() || steps.get<std::int64_t>() < 1)
        return fail("min_steps is no number of steps (1 or more)");
      budget_.min_steps = steps.get<std::int64_t>();
    }
    const auto gates = json->find("fail_on");
    if (gates == json->end() || !gates->is_array() || gates->empty())
      return fail("fail_on is no list of gates; write [\"step_time>120ms\"]");
    for (const auto& gate : *gates) {
      if (Status status = add(gate); !status) return status.error();
    }
    return budget_;
  }

 private:
  Error fail(const std::string& what) const { return {ErrorCode::kUsage, path_, what, {}}; }

  // What is misspelt must not be passed over: it would be a gate that never fails.
  Status only(const nlohmann::json& object, std::span<const std::string_view> keys, const std::string& where) const {
    for (const auto& [key, value] : object.items()) {
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      std::string message = where + "unknown key '" + key + "'";
      if (const auto guess = nearest(key, keys)) message += "; did you mean " + *guess + "?";
      return fail(message);
    }
    return {};
  }

  Status add(const nlohmann::json& gate) {
    const std::string where = "fail_on, entry " + std::to_string(budget_.fail_on.size() + 1) + ": ";
    if (gate.is_string()) {
      budget_.fail_on.push_back({gate.get<std::string>(), ""});
      return {};
    }
    if (!gate.is_object()) return fail(where + "is neither a text nor {\"expr\": …, \"why\": …}");
    constexpr std::array<std::string_view, 2> kKeys{"expr", "why"};
    if (Status status = only(gate, kKeys, where); !status) return status;
    if (!gate.contains("expr") || !gate["expr"].is_string()) return fail(where + "expr is no text");
    if (gate.contains("why") && !gate["why"].is_string()) return fail(where + "why is no text");
    budget_.fail_on.push_back(
        {gate["expr"].get<std::string>(), gate.contains("why") ? gate["why"].get<std::string>() : ""});
    return {};
  }

  std::string path_;
  Budget budget_;
};

}  // namespace

Result<Budget> read_budget(const std::string& path) {
  return BudgetReader(path).run();
}

}  // namespace hta::cli
