#include "settings.h"

namespace hta::analysis::critical_path {

Result<Settings> Settings::from(const Options& options) {
  Settings settings;
  if (options.has("clock-slack")) settings.clock_slack_ns = options.time_ns("clock-slack");
  if (options.has("kernel-gap")) settings.kernel_gap_ns = options.time_ns("kernel-gap");
  if (options.flag("no-infer")) settings.inference = Inference::kOff;
  if (const std::string pattern = options.text("data-loading"); !pattern.empty()) {
    try {
      settings.loader = std::make_shared<const std::regex>(pattern, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error& e) {
      return Error{
          ErrorCode::kUsage, "", "--data-loading: '" + pattern + "' is no regular expression: " + e.what(), {}};
    }
  }
  return settings;
}

}  // namespace hta::analysis::critical_path
