#pragma once
// Small JSON documents that people write and keep: budgets, baselines.

#include "hta/base/result.h"

#include <string>

#include <nlohmann/json.hpp>

namespace hta::cli {

/// The document in `path`, an object whose `schema` is as given. kUsage with the byte of the first fault; a key that
/// stands twice in one object is a fault too, because one of its values would be dropped without a word.
Result<nlohmann::json> read_json_file(const std::string& path, std::string_view schema);

}  // namespace hta::cli
