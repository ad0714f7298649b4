#pragma once
// Which kernels of two runs are the same, although compilers and libraries spell them differently.

#include "hta/model/kernel_type.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hta::analysis::diff {

/// A kernel name without template arguments, parameter list, return type `void`, hashes and Triton's running number:
/// `void ns::vec<4, float>(int)` becomes `ns::vec`, `triton_poi_fused_add_3` becomes `triton_poi_fused_add`. Linear.
std::string normal_form(std::string_view name);

/// The normal form, short enough for a sentence.
std::string short_name(std::string_view name);

enum class NameRule : std::uint8_t {
  kAuto,    ///< equal names; of the rest those whose normal forms occur on both sides
  kExact,   ///< equal names only
  kNormal,  ///< equal normal forms
};

struct KernelKey {
  std::string_view name;
  KernelType kind;
  auto operator<=>(const KernelKey&) const = default;
};

/// The row of every kernel of both runs. Kernels of different kinds never share one.
struct MatchedNames {
  struct Row {
    std::string name;
    KernelType kind;
  };
  std::vector<Row> rows;          ///< by name, then kind
  std::vector<std::size_t> base;  ///< row of each kernel of `base`
  std::vector<std::size_t> test;
};

/// Keys are distinct within a side; their order does not matter. O(n log n).
MatchedNames match_names(std::span<const KernelKey> base, std::span<const KernelKey> test, NameRule rule);

}  // namespace hta::analysis::diff
