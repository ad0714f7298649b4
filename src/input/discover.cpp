#include "hta/base/text.h"
#include "hta/input/run.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

namespace hta::input {
namespace {

namespace fs = std::filesystem;

bool is_trace_name(std::string_view name) {
  if (name.starts_with('.')) return false;
  return name.ends_with(".json") || name.ends_with(".json.gz");
}

std::vector<std::string> traces_in(const fs::path& directory, std::error_code& error) {
  std::vector<std::string> files;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (is_trace_name(entry->path().filename().string()) && !entry->is_directory(ignored))
      files.push_back(entry->path().string());
  }
  std::sort(files.begin(), files.end(), natural_less);
  return files;
}

}  // namespace

Result<FileList> list_files(const std::vector<std::string>& paths, Recursive recursive) {
  FileList list;
  std::set<std::string> seen;
  const auto add = [&](const std::string& file) {
    if (seen.insert(file).second) list.files.push_back(file);
  };
  for (const std::string& path : paths) {
    std::error_code error;
    if (path == "-") {
      add(path);
      continue;
    }
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) return Error{ErrorCode::kInput, path, "does not exist; check the path", {}};
    if (!fs::is_directory(status)) {
      add(path);
      continue;
    }
    list.from_directory = true;
    std::string directory = path;
    while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
    if (recursive == Recursive::kYes) {
      std::vector<std::string> folders;
      if (!traces_in(directory, error).empty()) folders.push_back(directory);
      for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end;
           entry.increment(error)) {
        std::error_code ignored;
        if (entry->is_directory(ignored) && !traces_in(entry->path(), ignored).empty())
          folders.push_back(entry->path().string());
      }
      std::sort(folders.begin(), folders.end(), natural_less);
      if (folders.size() > 1) list.runs.insert(list.runs.end(), folders.begin(), folders.end());
      else if (folders.size() == 1) directory = folders.front();
    }
    const std::vector<std::string> files = traces_in(directory, error);
    if (error) return Error{ErrorCode::kInput, path, "cannot be listed: " + error.message(), {}};
    for (const std::string& file : files) add(file);
  }
  if (list.runs.size() > 1) {
    list.files.clear();
    return list;
  }
  list.runs.clear();
  if (list.files.empty()) {
    return Error{ErrorCode::kInput,
                 paths.empty() ? "" : paths.front(),
                 "holds no trace files (*.json, *.json.gz); give the directory that holds them, or -r to search below",
                 {}};
  }
  return list;
}

}  // namespace hta::input
