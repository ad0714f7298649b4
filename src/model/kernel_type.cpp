#include "hta/model/kernel_type.h"

#include "hta/base/text.h"

#include <algorithm>
#include <regex>

namespace hta {
namespace {

constexpr std::array<std::string_view, 3> kMemoryPrefixes{"memcpy", "memset", "dma"};
constexpr std::array<std::string_view, 2> kMemoryParts{"__amd_rocclr_copybuffer", "__amd_rocclr_fillbuffer"};
constexpr std::array<std::string_view, 4> kMemoryNames{"copydevicetohost", "copyhosttodevice", "copydevicetodevice",
                                                       "fillbuffer"};
constexpr std::array<std::string_view, 4> kCommunicationPrefixes{"nccl", "rccl", "hccl", "oneccl"};
constexpr std::array<std::string_view, 16> kCommunicationParts{"ncclkernel",
                                                               "nccldevkernel",
                                                               "rcclgeneric",
                                                               "nvshmem",
                                                               "cross_device_reduce",
                                                               "multimem_all_",
                                                               "multimem_one_shot",
                                                               "one_shot_all_reduce",
                                                               "two_shot_all_reduce",
                                                               "oneshotallreduce",
                                                               "twoshotallreduce",
                                                               "allreduce_fusion",
                                                               "mscclpp",
                                                               "msccl_",
                                                               "deep_ep",
                                                               "dpsk::ep"};
constexpr std::array<std::string_view, 6> kMtiaBookkeeping{
    "runFunction", "job_exe", "packet", "pe_exe", "cpum_exe_subgraph", "collective_subgraph_execution"};

template <std::size_t N>
bool starts_with_any(std::string_view lower_name, const std::array<std::string_view, N>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return lower_name.starts_with(p); });
}

template <std::size_t N>
bool contains_any(std::string_view lower_name, const std::array<std::string_view, N>& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view p) { return lower_name.find(p) != std::string_view::npos; });
}

}  // namespace

std::string_view kernel_type_name(KernelType type) {
  switch (type) {
    case KernelType::kComputation: return "COMPUTATION";
    case KernelType::kCommunication: return "COMMUNICATION";
    case KernelType::kMemory: return "MEMORY";
    case KernelType::kOther: return "OTHER";
  }
  return "OTHER";
}

std::optional<KernelType> kernel_type_named(std::string_view name) {
  for (const KernelType type : kKernelTypes) {
    if (equals_ignoring_case(name, kernel_type_name(type))) return type;
  }
  return std::nullopt;
}

KernelType classify_by_name(GpuCategory category, std::string_view name, CollectiveName collective) {
  if (category == GpuCategory::kCopyOrSet) return KernelType::kMemory;
  const std::string lower = to_lower(name);
  if (starts_with_any(lower, kMemoryPrefixes) || contains_any(lower, kMemoryParts) ||
      std::find(kMemoryNames.begin(), kMemoryNames.end(), lower) != kMemoryNames.end()) {
    return KernelType::kMemory;
  }
  if (collective == CollectiveName::kPresent || starts_with_any(lower, kCommunicationPrefixes) ||
      contains_any(lower, kCommunicationParts)) {
    return KernelType::kCommunication;
  }
  if (category == GpuCategory::kMtia &&
      std::any_of(kMtiaBookkeeping.begin(), kMtiaBookkeeping.end(),
                  [&](std::string_view p) { return starts_with_ignoring_case(name, p); })) {
    return KernelType::kOther;
  }
  return KernelType::kComputation;
}

struct KernelRules::Compiled {
  std::vector<std::pair<std::regex, KernelType>> rules;
};

KernelRules::KernelRules() : compiled_(std::make_unique<Compiled>()) {}
KernelRules::~KernelRules() = default;
KernelRules::KernelRules(KernelRules&&) noexcept = default;
KernelRules& KernelRules::operator=(KernelRules&&) noexcept = default;

Result<KernelRules> KernelRules::compile(std::vector<Rule> rules) {
  KernelRules out;
  for (const Rule& rule : rules) {
    try {
      out.compiled_->rules.emplace_back(std::regex(rule.pattern, std::regex::ECMAScript | std::regex::optimize),
                                        rule.type);
    } catch (const std::regex_error& e) {
      return Error{ErrorCode::kUsage, "", "'" + rule.pattern + "' is no regular expression: " + e.what(), {}};
    }
  }
  return out;
}

std::optional<KernelType> KernelRules::match(std::string_view name) const {
  for (const auto& [pattern, type] : compiled_->rules) {
    if (std::regex_search(name.begin(), name.end(), pattern)) return type;
  }
  return std::nullopt;
}

bool KernelRules::empty() const {
  return compiled_->rules.empty();
}

}  // namespace hta
