#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tracegen {

/// Operators, each with one set of argument shapes: a linear layer of another size is another OpId of the same name.
enum class OpId : std::uint8_t {
  kLayerNorm,
  kNativeLayerNorm,
  kLinearQkv,
  kLinearOut,
  kLinearUp,
  kLinearDown,
  kTransposeQkv,
  kTransposeOut,
  kTransposeUp,
  kTransposeDown,
  kAddmmQkv,
  kAddmmOut,
  kAddmmUp,
  kAddmmDown,
  kView,
  kAttention,
  kFlashForward,
  kTranspose,
  kReshape,
  kAdd,
  kGelu,
  kEvalLayerNormBackward,
  kEvalAddmmBackward,
  kEvalAttentionBackward,
  kEvalAddBackward,
  kEvalGeluBackward,
  kLayerNormBackwardNode,
  kAddmmBackwardNode,
  kAttentionBackwardNode,
  kAddBackwardNode,
  kGeluBackwardNode,
  kNativeLayerNormBackward,
  kMmInputQkv,
  kMmInputOut,
  kMmInputUp,
  kMmInputDown,
  kMmWeightQkv,
  kMmWeightOut,
  kMmWeightUp,
  kMmWeightDown,
  kSum,
  kFlashBackward,
  kAddGradient,
  kGeluBackward,
  kTo,
  kToCopy,
  kCopy,
  kFusedAdamW,
  kItem,
  kLocalScalarDense,
  kRecordParamComms,
  kIndexSelect,
  kStack,
  kCount
};

/// The texts of one operator, ready to be written. `shapes` fields are JSON; empty when the operator has none.
struct OpSpec {
  std::string_view name;
  std::string_view concrete;
  std::string_view types;
  std::string_view strides;
  std::string_view dims;
};
[[nodiscard]] const OpSpec& op_spec(OpId id);

enum class AnnotationId : std::uint8_t { kStep, kLoader, kForward, kBackward, kOptimizer, kCollective };
/// Empty for kStep and kCollective, whose names depend on more than the id.
[[nodiscard]] std::string_view annotation_name(AnnotationId id);

enum class CollectiveKind : std::uint8_t { kAllReduce, kAllGather, kReduceScatter, kSend, kRecv };
struct CollectiveSpec {
  std::string_view annotation;  ///< user_annotation around the launch
  std::string_view name;        ///< value of "Collective name"
};
[[nodiscard]] const CollectiveSpec& collective_spec(CollectiveKind kind);

/// What a kernel is for. Each family has several kernels; layers take turns among them.
enum class Family : std::uint8_t {
  kLayerNorm,
  kGemmQkv,
  kFlashForward,
  kGemmOut,
  kAdd,
  kGemmUp,
  kGelu,
  kGemmDown,
  kLayerNormBackward,
  kGemmInputGrad,
  kGemmWeightGrad,
  kBiasGrad,
  kFlashBackward,
  kAddGrad,
  kGeluBackward,
  kOptimizer,
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kSendRecv,
  kCount
};

struct KernelSpec {
  std::string name;  ///< as a program prints it
  std::string json;  ///< the same inside JSON quotes
  int registers;
  int shared_memory;
  int grid;
  int block;
  int occupancy_pct;
  std::string blocks_per_sm;  ///< decimals as written
  std::string warps_per_sm;
};

/// All kernels; a kernel's number is its position. Built once, constant afterwards.
[[nodiscard]] const std::vector<KernelSpec>& kernels();
/// The kernel that `layer` uses for `family`.
[[nodiscard]] int kernel_of(Family family, int layer);

/// Name of python frame number `index` of kPythonNames, such as `torch/nn/modules/linear.py(116): forward`.
inline constexpr int kPythonNames = 400;
[[nodiscard]] const std::string& python_name(int index);

/// `text` as the inside of a JSON string.
[[nodiscard]] std::string json_escape(std::string_view text);

}  // namespace tracegen
