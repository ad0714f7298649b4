#include "summary_words.h"

#include "hta/base/text.h"

namespace hta::report {

std::string_view bottleneck_name(std::string_view kind) {
  if (kind == "compute") return "compute-bound";
  if (kind == "memory") return "memory-bound";
  if (kind == "communication") return "communication-bound";
  if (kind == "host") return "CPU-bound (host)";
  if (kind == "straggler") return "straggler-bound";
  return "none dominates";
}

std::string load_list(const result::Table& load) {
  std::string text;
  for (std::size_t row = 0; row < load.rows(); ++row) {
    text += (row == 0 ? "" : ", ") + std::string(load.text(row, 0)) + " " + with_commas(load.number(row, 1));
  }
  return text;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace hta::report
