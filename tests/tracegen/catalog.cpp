#include "catalog.h"

#include <array>

#include <fmt/format.h>

namespace tracegen {
namespace {

// Operators of a transformer of hidden size 2048 on 4096 tokens, bf16. The layout of the texts is the profiler's.
constexpr std::array<OpSpec, static_cast<std::size_t>(OpId::kCount)> kOps = {{
    {"aten::layer_norm", R"(["", "[2048]", "", "", "1e-05", "True"])",
     R"(["c10::BFloat16", "ScalarList", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"])",
     R"([[8388608, 2048, 1], [], [1], [1], [], []])", R"([[2, 2048, 2048], [], [2048], [2048], [], []])"},
    {"aten::native_layer_norm", R"(["", "[2048]", "", "", "1e-05"])",
     R"(["c10::BFloat16", "ScalarList", "c10::BFloat16", "c10::BFloat16", "Scalar"])",
     R"([[8388608, 2048, 1], [], [1], [1], []])", R"([[2, 2048, 2048], [], [2048], [2048], []])"},
    {"aten::linear", R"(["", "", ""])", R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])",
     R"([[2048, 1], [2048, 1], [1]])", R"([[4096, 2048], [6144, 2048], [6144]])"},
    {"aten::linear", R"(["", "", ""])", R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])",
     R"([[2048, 1], [2048, 1], [1]])", R"([[4096, 2048], [2048, 2048], [2048]])"},
    {"aten::linear", R"(["", "", ""])", R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])",
     R"([[2048, 1], [2048, 1], [1]])", R"([[4096, 2048], [8192, 2048], [8192]])"},
    {"aten::linear", R"(["", "", ""])", R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])",
     R"([[8192, 1], [8192, 1], [1]])", R"([[4096, 8192], [2048, 8192], [2048]])"},
    {"aten::t", R"([""])", R"(["c10::BFloat16"])", R"([[2048, 1]])", R"([[6144, 2048]])"},
    {"aten::t", R"([""])", R"(["c10::BFloat16"])", R"([[2048, 1]])", R"([[2048, 2048]])"},
    {"aten::t", R"([""])", R"(["c10::BFloat16"])", R"([[2048, 1]])", R"([[8192, 2048]])"},
    {"aten::t", R"([""])", R"(["c10::BFloat16"])", R"([[8192, 1]])", R"([[2048, 8192]])"},
    {"aten::addmm", R"(["", "", "", "1", "1"])",
     R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"])",
     R"([[1], [2048, 1], [1, 2048], [], []])", R"([[6144], [4096, 2048], [2048, 6144], [], []])"},
    {"aten::addmm", R"(["", "", "", "1", "1"])",
     R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"])",
     R"([[1], [2048, 1], [1, 2048], [], []])", R"([[2048], [4096, 2048], [2048, 2048], [], []])"},
    {"aten::addmm", R"(["", "", "", "1", "1"])",
     R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"])",
     R"([[1], [2048, 1], [1, 2048], [], []])", R"([[8192], [4096, 2048], [2048, 8192], [], []])"},
    {"aten::addmm", R"(["", "", "", "1", "1"])",
     R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"])",
     R"([[1], [8192, 1], [1, 8192], [], []])", R"([[2048], [4096, 8192], [8192, 2048], [], []])"},
    {"aten::view", R"(["", "[2, 2048, 3, 16, 128]"])", R"(["c10::BFloat16", "ScalarList"])", R"([[6144, 1], []])",
     R"([[4096, 6144], []])"},
    {"aten::scaled_dot_product_attention", R"(["", "", "", "", "0.", "True", "", "False"])",
     R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "", "Scalar", "Scalar", "", "Scalar"])",
     R"([[4194304, 128, 2048, 1], [4194304, 128, 2048, 1], [4194304, 128, 2048, 1], [], [], [], [], []])",
     R"([[2, 16, 2048, 128], [2, 16, 2048, 128], [2, 16, 2048, 128], [], [], [], [], []])"},
    {"aten::_flash_attention_forward", R"(["", "", "", "", "", "2048", "2048", "0.", "True", "False"])",
     R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "", "", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar"])",
     R"([[4194304, 2048, 128, 1], [4194304, 2048, 128, 1], [4194304, 2048, 128, 1], [], [], [], [], [], [], []])",
     R"([[2, 2048, 16, 128], [2, 2048, 16, 128], [2, 2048, 16, 128], [], [], [], [], [], [], []])"},
    {"aten::transpose", R"(["", "1", "2"])", R"(["c10::BFloat16", "Scalar", "Scalar"])",
     R"([[4194304, 128, 2048, 1], [], []])", R"([[2, 16, 2048, 128], [], []])"},
    {"aten::reshape", R"(["", "[4096, 2048]"])", R"(["c10::BFloat16", "ScalarList"])",
     R"([[4194304, 2048, 128, 1], []])", R"([[2, 2048, 16, 128], []])"},
    {"aten::add", R"(["", "", "1"])", R"(["c10::BFloat16", "c10::BFloat16", "Scalar"])",
     R"([[8388608, 2048, 1], [8388608, 2048, 1], []])", R"([[2, 2048, 2048], [2, 2048, 2048], []])"},
    {"aten::gelu", R"(["", "'tanh'"])", R"(["c10::BFloat16", ""])", R"([[8192, 1], []])", R"([[4096, 8192], []])"},
    {"autograd::engine::evaluate_function: NativeLayerNormBackward0", "", "", "", ""},
    {"autograd::engine::evaluate_function: AddmmBackward0", "", "", "", ""},
    {"autograd::engine::evaluate_function: ScaledDotProductFlashAttentionBackward0", "", "", "", ""},
    {"autograd::engine::evaluate_function: AddBackward0", "", "", "", ""},
    {"autograd::engine::evaluate_function: GeluBackward0", "", "", "", ""},
    {"NativeLayerNormBackward0", R"(["", "", ""])", R"(["c10::BFloat16", "", ""])", R"([[8388608, 2048, 1], [], []])",
     R"([[2, 2048, 2048], [], []])"},
    {"AddmmBackward0", R"([""])", R"(["c10::BFloat16"])", R"([[2048, 1]])", R"([[4096, 2048]])"},
    {"ScaledDotProductFlashAttentionBackward0", R"([""])", R"(["c10::BFloat16"])", R"([[4194304, 128, 2048, 1]])",
     R"([[2, 16, 2048, 128]])"},
    {"AddBackward0", R"([""])", R"(["c10::BFloat16"])", R"([[8388608, 2048, 1]])", R"([[2, 2048, 2048]])"},
    {"GeluBackward0", R"([""])", R"(["c10::BFloat16"])", R"([[8192, 1]])", R"([[4096, 8192]])"},
    {"aten::native_layer_norm_backward", R"(["", "", "[2048]", "", "", "", "", "[True, True, True]"])",
     R"(["c10::BFloat16", "c10::BFloat16", "ScalarList", "float", "float", "c10::BFloat16", "c10::BFloat16", ""])",
     R"([[8388608, 2048, 1], [8388608, 2048, 1], [], [2048, 1, 1], [2048, 1, 1], [1], [1], []])",
     R"([[2, 2048, 2048], [2, 2048, 2048], [], [2, 2048, 1], [2, 2048, 1], [2048], [2048], []])"},
    {"aten::mm", R"(["", ""])", R"(["c10::BFloat16", "c10::BFloat16"])", R"([[6144, 1], [2048, 1]])",
     R"([[4096, 6144], [6144, 2048]])"},
    {"aten::mm", R"(["", ""])", R"(["c10::BFloat16", "c10::BFloat16"])", R"([[2048, 1], [2048, 1]])",
     R"([[4096, 2048], [2048, 2048]])"},
    {"aten::mm", R"(["", ""])", R"(["c10::BFloat16", "c10::BFloat16"])", R"([[8192, 1], [2048, 1]])",
     R"([[4096, 8192], [8192, 2048]])"},
    {"aten::mm", R"(["", ""])", R"(["c10::BFloat16", "c10::BFloat16"])", R"([[2048, 1], [8192, 1]])",
     R"([[4096, 2048], [2048, 8192]])"},
    {"aten::mm", R"(["", ""])", R"(["c10::BFloat16", "c10::BFloat16"])", R"([[1, 6144], [2048, 1]])",
     R"([[6144, 4096], [4096, 2048]])"},
    {"aten::mm", R"(["", ""])", R"(["c10::BFloat16", "c10::BFloat16"])", R"([[1, 2048], [2048, 1]])",
     R"([[2048, 4096], [4096, 2048]])"},
    {"aten::mm", R"(["", ""])", R"(["c10::BFloat16", "c10::BFloat16"])", R"([[1, 8192], [2048, 1]])",
     R"([[8192, 4096], [4096, 2048]])"},
    {"aten::mm", R"(["", ""])", R"(["c10::BFloat16", "c10::BFloat16"])", R"([[1, 2048], [8192, 1]])",
     R"([[2048, 4096], [4096, 8192]])"},
    {"aten::sum", R"(["", "[0]", "True", ""])", R"(["c10::BFloat16", "ScalarList", "Scalar", ""])",
     R"([[2048, 1], [], [], []])", R"([[4096, 2048], [], [], []])"},
    {"aten::_flash_attention_backward", R"(["", "", "", "", "", "", "", "", "2048", "2048", "0.", "True", "", ""])",
     R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "float", "", "", "Scalar", "Scalar", "Scalar", "Scalar", "", ""])",
     R"([[4194304, 2048, 128, 1], [4194304, 2048, 128, 1], [4194304, 2048, 128, 1], [4194304, 2048, 128, 1], [4194304, 2048, 128, 1], [32768, 2048, 1], [], [], [], [], [], [], [], []])",
     R"([[2, 2048, 16, 128], [2, 2048, 16, 128], [2, 2048, 16, 128], [2, 2048, 16, 128], [2, 2048, 16, 128], [2, 16, 2048], [], [], [], [], [], [], [], []])"},
    {"aten::add_", R"(["", "", "1"])", R"(["c10::BFloat16", "c10::BFloat16", "Scalar"])",
     R"([[8388608, 2048, 1], [8388608, 2048, 1], []])", R"([[2, 2048, 2048], [2, 2048, 2048], []])"},
    {"aten::gelu_backward", R"(["", "", "'tanh'"])", R"(["c10::BFloat16", "c10::BFloat16", ""])",
     R"([[8192, 1], [8192, 1], []])", R"([[4096, 8192], [4096, 8192], []])"},
    {"aten::to", R"(["", "15", "", "cuda:0", "", "True", "False", ""])",
     R"(["float", "Scalar", "", "Device", "", "Scalar", "Scalar", ""])", R"([[2048, 1], [], [], [], [], [], [], []])",
     R"([[128, 2048], [], [], [], [], [], [], []])"},
    {"aten::_to_copy", R"(["", "15", "", "cuda:0", "", "True", ""])",
     R"(["float", "Scalar", "", "Device", "", "Scalar", ""])", R"([[2048, 1], [], [], [], [], [], []])",
     R"([[128, 2048], [], [], [], [], [], []])"},
    {"aten::copy_", R"(["", "", "True"])", R"(["c10::BFloat16", "float", "Scalar"])", R"([[2048, 1], [2048, 1], []])",
     R"([[128, 2048], [128, 2048], []])"},
    {"aten::_fused_adamw_",
     R"(["", "", "", "", "", "", "0.001", "0.9", "0.95", "0.1", "1e-08", "False", "False", "", ""])",
     R"(["TensorList", "TensorList", "TensorList", "TensorList", "TensorList", "TensorList", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar", "", ""])",
     R"([[[2048, 1], [1]], [[2048, 1], [1]], [[2048, 1], [1]], [[2048, 1], [1]], [], [[]], [], [], [], [], [], [], [], [], []])",
     R"([[[6144, 2048], [6144]], [[6144, 2048], [6144]], [[6144, 2048], [6144]], [[6144, 2048], [6144]], [], [[]], [], [], [], [], [], [], [], [], []])"},
    {"aten::item", R"([""])", R"(["c10::BFloat16"])", R"([[]])", R"([[]])"},
    {"aten::_local_scalar_dense", R"([""])", R"(["c10::BFloat16"])", R"([[]])", R"([[]])"},
    {"record_param_comms", "", "", "", ""},
    {"aten::index_select", R"(["", "0", ""])", R"(["float", "Scalar", "long int"])", R"([[2048, 1], [], [1]])",
     R"([[65536, 2048], [], [512]])"},
    {"aten::stack", R"(["", "0"])", R"(["TensorList", "Scalar"])", R"([[[2048, 1], [2048, 1]], []])",
     R"([[[128, 2048], [128, 2048]], []])"},
}};
static_assert(!kOps.back().name.empty());

constexpr std::array<std::string_view, 6> kAnnotations = {"",
                                                          "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                                                          "## forward ##",
                                                          "## backward ##",
                                                          "Optimizer.step#AdamW.step",
                                                          ""};

constexpr std::array<CollectiveSpec, 5> kCollectives = {{{"nccl:all_reduce", "allreduce"},
                                                         {"nccl:_all_gather_base", "_allgather_base"},
                                                         {"nccl:_reduce_scatter_base", "_reduce_scatter_base"},
                                                         {"nccl:send", "send"},
                                                         {"nccl:recv", "recv"}}};

}  // namespace

const OpSpec& op_spec(OpId id) {
  return kOps[static_cast<std::size_t>(id)];
}
std::string_view annotation_name(AnnotationId id) {
  return kAnnotations[static_cast<std::size_t>(id)];
}
const CollectiveSpec& collective_spec(CollectiveKind kind) {
  return kCollectives[static_cast<std::size_t>(kind)];
}

std::string json_escape(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace tracegen
