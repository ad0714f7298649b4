#include "accelerator.h"

#include "hta/base/text.h"

namespace hta::input {
namespace {

constexpr std::string_view kDeviceProcess = "\"Ascend Hardware\"";

}  // namespace

void UnnamedTracks::metadata(const RawEvent& raw) {
  if (raw.name.text != "process_name" || raw.pid.kind != TokenKind::kInteger) return;
  if (raw.args_text.find(kDeviceProcess) == std::string_view::npos) return;
  add_device(raw.pid.number);
}

void UnnamedTracks::append(const UnnamedTracks& later) {
  for (const std::int64_t pid : later.devices_) add_device(pid);
}

void UnnamedTracks::add_device(std::int64_t pid) {
  devices_.insert(pid);
  names_come_late_ |= others_.contains(pid);
}

std::string_view UnnamedTracks::category(const RawEvent& raw, std::string_view task_type) {
  asked_ = true;
  if (raw.pid.kind != TokenKind::kInteger) return {};
  if (!devices_.contains(raw.pid.number)) {
    others_.insert(raw.pid.number);
    return {};
  }
  return contains_ignoring_case(task_type, "memcpy") || contains_ignoring_case(task_type, "sdma") ? "gpu_memcpy"
                                                                                                  : "kernel";
}

std::string_view UnnamedTracks::collective(std::string_view name, std::string_view task_type) {
  if (!starts_with_ignoring_case(name, "hcom_") && !equals_ignoring_case(task_type, "communication")) return {};
  return name.substr(0, name.find("__"));
}

}  // namespace hta::input
