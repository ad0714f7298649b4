#pragma once
// What kind of work a GPU event is.

#include "hta/base/result.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hta {

enum class KernelType : std::uint8_t { kComputation, kCommunication, kMemory, kOther };
inline constexpr std::array kKernelTypes{KernelType::kComputation, KernelType::kCommunication, KernelType::kMemory,
                                         KernelType::kOther};
/// COMPUTATION, COMMUNICATION, MEMORY, OTHER.
std::string_view kernel_type_name(KernelType type);
std::optional<KernelType> kernel_type_named(std::string_view name);

/// The category spellings that make an event a GPU event.
enum class GpuCategory : std::uint8_t { kKernel, kCopyOrSet, kMtia };

enum class CollectiveName : std::uint8_t { kAbsent, kPresent };  ///< whether the event names a collective in its args

/// Built-in rules: memory by category or name, then communication, then MTIA bookkeeping, else computation.
KernelType classify_by_name(GpuCategory category, std::string_view name, CollectiveName collective);

/// A user's own rules, tried before the built-in ones; the first match wins. Matching is ECMAScript regex search.
class KernelRules {
 public:
  struct Rule {
    std::string pattern;
    KernelType type;
  };
  KernelRules();
  ~KernelRules();
  KernelRules(KernelRules&&) noexcept;
  KernelRules& operator=(KernelRules&&) noexcept;

  /// kUsage if a pattern is no regular expression (the message names it).
  static Result<KernelRules> compile(std::vector<Rule> rules);
  std::optional<KernelType> match(std::string_view name) const;
  bool empty() const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace hta
