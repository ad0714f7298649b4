#include "names.h"

#include "hta/base/text.h"

#include <string>
#include <string_view>

namespace hta::analysis::critical_path {
namespace {

constexpr std::string_view kStepPrefix = "ProfilerStep#";
constexpr std::string_view kAutogradPrefix = "autograd::engine::evaluate_function";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_step_name(std::string_view name) {
  if (!name.starts_with(kStepPrefix)) return false;
  const std::string_view digits = name.substr(kStepPrefix.size());
  return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

WaitKind wait_kind(std::string_view folded) {
  if (contains(folded, "synchronize")) {
    if (contains(folded, "event")) return WaitKind::kEvent;
    if (contains(folded, "stream") || contains(folded, "queue")) return WaitKind::kStream;
    return WaitKind::kDevice;
  }
  if (folded == "cudafree" || folded == "hipfree") return WaitKind::kDevice;
  return contains(folded, "memcpy") ? WaitKind::kCopy : WaitKind::kNone;
}

}  // namespace

NameTraits::NameTraits(const StringTable& strings, const std::regex* loader)
    : bits_(strings.size()), waits_(strings.size()) {
  for (std::size_t i = 0; i < strings.size(); ++i) {
    const std::string_view name = strings.text(StringId(i));
    const std::string folded = to_lower(name);
    unsigned bits = 0;
    if (is_step_name(name)) bits |= kStep;
    if (name.starts_with(kAutogradPrefix)) bits |= kAutograd;
    if (contains(name, "enumerate(DataLoader)") || contains(name, "DataLoaderIter") ||
        (loader != nullptr && std::regex_search(name.begin(), name.end(), *loader))) {
      bits |= kLoader;
    }
    if (contains(name, "torch/utils/data/")) bits |= kLoaderFile;
    if (contains(folded, "async")) bits |= kAsync;
    if (contains(folded, "pageable")) bits |= kPageable;
    if (contains(folded, "synchronize")) bits |= kSynchronize;
    bits_[i] = static_cast<std::uint8_t>(bits);
    waits_[i] = wait_kind(folded);
  }
}

}  // namespace hta::analysis::critical_path
