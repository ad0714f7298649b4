#include "json_file.h"

#include <fstream>
#include <set>
#include <sstream>
#include <vector>

namespace hta::cli {

Result<nlohmann::json> read_json_file(const std::string& path, std::string_view schema) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  if (!file || !(bytes << file.rdbuf())) return Error{ErrorCode::kUsage, path, "cannot be read", {}};

  std::vector<std::set<std::string>> keys;  // of the objects that are open
  std::string repeated;
  const nlohmann::json::parser_callback_t note_keys = [&](int, nlohmann::json::parse_event_t event,
                                                          nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second)
      repeated = parsed.get<std::string>();
    return true;
  };
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(bytes.str(), note_keys);
  } catch (const nlohmann::json::parse_error& e) {
    return Error{ErrorCode::kUsage, path, "is no JSON", e.byte};
  }
  if (!repeated.empty())
    return Error{ErrorCode::kUsage, path, "has the key '" + repeated + "' twice in one object", {}};
  if (!json.is_object() || !json.contains("schema") || json["schema"] != schema) {
    return Error{ErrorCode::kUsage, path, "has no \"schema\": \"" + std::string(schema) + "\"", {}};
  }
  return json;
}

}  // namespace hta::cli
