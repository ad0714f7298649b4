#include <array>
#include <utility>

#include "catalog.h"
#include <fmt/format.h>

namespace tracegen {
namespace {

constexpr int kSms = 132;  // an H100

struct Shape {
  int registers;
  int shared_memory;
  int grid;
  int block;
  int occupancy_pct;
};

/// Kernels in the order they were added, and where each family begins.
struct KernelTable {
  std::vector<KernelSpec> all;
  std::array<std::pair<int, int>, static_cast<std::size_t>(Family::kCount)> range{};  // first, number
};

void add(KernelTable& table, Family family, const Shape& shape, const std::vector<std::string>& names) {
  table.range[static_cast<std::size_t>(family)] = {static_cast<int>(table.all.size()), static_cast<int>(names.size())};
  table.all.reserve(table.all.size() + names.size());
  for (const std::string& name : names) {
    const double blocks = static_cast<double>(shape.grid) / kSms;
    table.all.push_back(KernelSpec{.name = name,
                                   .json = json_escape(name),
                                   .registers = shape.registers,
                                   .shared_memory = shape.shared_memory,
                                   .grid = shape.grid,
                                   .block = shape.block,
                                   .occupancy_pct = shape.occupancy_pct,
                                   .blocks_per_sm = fmt::format("{:.6f}", blocks),
                                   .warps_per_sm = fmt::format("{:.6f}", blocks * shape.block / 32)});
  }
}

std::vector<std::string> gemms(std::string_view transposes, const std::vector<std::string>& tiles) {
  std::vector<std::string> names;
  names.reserve(tiles.size());
  for (const std::string& tile : tiles) {
    names.push_back(
        fmt::format("sm90_xmma_gemm_bf16bf16_bf16f32_f32_{}_n_tilesize{}x64_warpgroupsize1x1x1_bias_bf16_"
                    "execute_segment_k_off_kernel__5x_cublas",
                    transposes, tile));
  }
  return names;
}

std::string cutlass(std::string_view tile) {
  return fmt::format(
      "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_{0}_nn_align8>"
      "(cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_{0}_nn_align8::Params)",
      tile);
}

std::string elementwise(std::string_view functor, int arrays) {
  return fmt::format(
      "void at::native::vectorized_elementwise_kernel<4, {0}, std::array<char*, {1}ul> >(int, {0}, "
      "std::array<char*, {1}ul>)",
      functor, arrays);
}

std::string flash(std::string_view function, std::string_view traits) {
  return fmt::format(
      "void pytorch_flash::{}<{}, false, true, false, false, true, true, false>"
      "(pytorch_flash::Flash_fwd_params)",
      function, traits);
}

std::string nccl(std::string_view what) {
  return fmt::format("ncclDevKernel_{}(ncclDevKernelArgsStorage<4096ul>)", what);
}

KernelTable build() {
  KernelTable table;
  add(table, Family::kLayerNorm, {32, 24, 4096, 256, 100},
      {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float, false>(int, float, "
       "c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)",
       "void layer_norm::ln_fwd_kernel<layer_norm::Kernel_traits<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float, "
       "unsigned int, 2048u, 1u, 4u, 1u, 16u> >(layer_norm::FwdParams)",
       "triton_per_fused_native_layer_norm_\"norm\"_mul_add_0d1d2d3d4de5de"});
  add(table, Family::kGemmQkv, {168, 213'064, 384, 384, 18}, gemms("tn", {"128x256", "128x192", "256x128"}));
  add(table, Family::kFlashForward, {255, 98'304, 512, 128, 12},
      {flash("flash_fwd_kernel",
             "pytorch_flash::Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, "
             "cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<128, 128, 64, 4, "
             "cutlass::bfloat16_t> >"),
       flash("flash_fwd_splitkv_kernel",
             "pytorch_flash::Flash_fwd_kernel_traits<128, 64, 128, 4, false, false, "
             "cutlass::bfloat16_t>"),
       flash("flash_fwd_splitkv_combine_kernel",
             "pytorch_flash::Flash_fwd_kernel_traits<128, 64, 128, 4, false, false, "
             "cutlass::bfloat16_t>")});
  add(table, Family::kGemmOut, {168, 196'608, 128, 384, 18}, gemms("tn", {"128x128", "64x256", "64x128"}));
  add(table, Family::kAdd, {32, 0, 8192, 128, 100},
      {elementwise("at::native::CUDAFunctor_add<c10::BFloat16>", 3),
       elementwise("at::native::BinaryFunctor<float, float, float, at::native::binary_internal::AddFunctor<float> >",
                   3),
       "triton_poi_fused_add_r\u00e9sidu_0d1d2d3de_stride_8388608_bf16"});
  add(table, Family::kGemmUp, {168, 213'064, 512, 384, 18}, gemms("tn", {"256x192", "192x256", "192x128"}));
  add(table, Family::kGelu, {40, 0, 16'384, 128, 100},
      {elementwise("at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#1}", 2),
       "triton_poi_fused_gelu_tanh_approximate_mul_1d2d3d4de_num_warps_8",
       "void gelu_tanh_fwd<__nv_bfloat16, 8, 256>(__nv_bfloat16*, __nv_bfloat16 const*, unsigned long)"});
  add(table, Family::kGemmDown, {168, 213'064, 128, 384, 18}, gemms("tn", {"256x64", "192x64", "128x64"}));
  add(table, Family::kLayerNormBackward, {64, 8'192, 4096, 128, 75},
      {"void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<c10::BFloat16, float, false>"
       "(c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, c10::BFloat16 const*, "
       "c10::BFloat16*, int)",
       "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernelTemplate<c10::BFloat16, float, 32u, 1u, "
       "32u, true, false, false>(long, long, c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, "
       "c10::BFloat16*, c10::BFloat16*)",
       "triton_red_fused_native_layer_norm_backward_2_0d1d2d3d4d5d6de7de"});
  std::vector<std::string> input_grads = gemms("nn", {"128x256", "256x128", "128x192", "64x256", "192x128"});
  input_grads.push_back(cutlass("128x256_32x3"));
  input_grads.push_back(cutlass("128x128_64x4"));
  add(table, Family::kGemmInputGrad, {200, 196'608, 384, 384, 18}, input_grads);
  std::vector<std::string> weight_grads = gemms("nt", {"128x256", "256x128", "192x128", "128x128", "64x64"});
  weight_grads.push_back(cutlass("256x128_32x3"));
  weight_grads.push_back(cutlass("256x64_64x3"));
  add(table, Family::kGemmWeightGrad, {200, 196'608, 264, 384, 18}, weight_grads);
  add(table, Family::kBiasGrad, {48, 4'096, 64, 512, 50},
      {"void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, "
       "at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, "
       "c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, c10::BFloat16, 4> >",
       "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<c10::BFloat16, at::native::MeanOps<c10::BFloat16, "
       "float, float, c10::BFloat16>, unsigned int, c10::BFloat16, 4> >",
       "void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, float, __nv_bfloat16, false, true, "
       "false>(cublasLt::cublasSplitKParams<float>, float const*, __nv_bfloat16 const*, __nv_bfloat16*)"});
  add(table, Family::kFlashBackward, {255, 147'456, 512, 256, 12},
      {"void pytorch_flash::flash_bwd_dot_do_o_kernel<true, pytorch_flash::Flash_bwd_kernel_traits<128, 64, 128, 8, 2, "
       "4, 2, false, false, cutlass::bfloat16_t> >(pytorch_flash::Flash_bwd_params)",
       "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<pytorch_flash::Flash_bwd_kernel_traits<128, "
       "64, 128, 8, 2, 4, 2, false, false, cutlass::bfloat16_t>, false, true, false, false, true, true, false>"
       "(pytorch_flash::Flash_bwd_params)",
       "void pytorch_flash::flash_bwd_convert_dq_kernel<pytorch_flash::Flash_bwd_kernel_traits<128, 64, 128, 8, 2, 4, "
       "2, false, false, cutlass::bfloat16_t> >(pytorch_flash::Flash_bwd_params, int)"});
  add(table, Family::kAddGrad, {32, 0, 8192, 128, 100},
      {elementwise("at::native::CUDAFunctorOnSelf_add<c10::BFloat16>", 2),
       elementwise("at::native::AUnaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> >",
                   2),
       "triton_poi_fused_add_threshold_backward_7_0d1d2d3de_contiguous"});
  add(table, Family::kGeluBackward, {48, 0, 16'384, 128, 100},
      {elementwise(
           "at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#1}", 3),
       "triton_poi_fused_gelu_backward_tanh_approximate_3_0d1d2d3de",
       "void gelu_tanh_bwd<__nv_bfloat16, 8, 256>(__nv_bfloat16*, __nv_bfloat16 const*, __nv_bfloat16 const*, unsigned "
       "long)"});
  add(table, Family::kOptimizer, {56, 4'096, 640, 512, 75},
      {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
       "namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous "
       "namespace)::FusedAdamMathFunctor<c10::BFloat16, 4, (at::native::ADAM_MODE)1, false>, float const*, double, "
       "double, double, double, double, bool>",
       "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
       "namespace)::TensorListMetadata<1>, at::native::(anonymous namespace)::BinaryOpScalarFunctor<c10::BFloat16, 1, "
       "1, 0>, std::multiplies<float>, float>",
       "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
       "namespace)::TensorListMetadata<2>, at::native::(anonymous namespace)::LpNormFunctor<c10::BFloat16, "
       "(at::native::NormType)1, c10::BFloat16, 1, 1, 0>, float*, int>"});
  add(table, Family::kAllReduce, {96, 49'152, 24, 544, 25}, {nccl("AllReduce_Sum_bf16_RING_LL")});
  add(table, Family::kAllGather, {96, 49'152, 24, 544, 25}, {nccl("AllGather_RING_LL")});
  add(table, Family::kReduceScatter, {96, 49'152, 24, 544, 25}, {nccl("ReduceScatter_Sum_bf16_RING_LL")});
  add(table, Family::kSendRecv, {96, 49'152, 4, 544, 25}, {nccl("SendRecv")});
  // Some writers escape angle brackets; a reader must see the plain name all the same.
  for (KernelSpec& kernel : table.all) {
    if (!kernel.name.starts_with("void gelu_tanh_fwd<")) continue;
    kernel.json.replace(kernel.json.find('<'), 1, "\\u003c");
  }
  return table;
}

const KernelTable& table() {
  static const KernelTable kTable = build();
  return kTable;
}

std::vector<std::string> build_python_names() {
  constexpr std::array<std::string_view, 20> kFiles = {"torch/nn/modules/module.py",
                                                       "torch/nn/modules/linear.py",
                                                       "torch/nn/functional.py",
                                                       "torch/nn/modules/normalization.py",
                                                       "torch/nn/modules/activation.py",
                                                       "torch/_tensor.py",
                                                       "torch/autograd/function.py",
                                                       "torch/_ops.py",
                                                       "torch/utils/_contextlib.py",
                                                       "torch/nn/parallel/distributed.py",
                                                       "torch/distributed/c10d_logger.py",
                                                       "torch/distributed/distributed_c10d.py",
                                                       "torch/amp/autocast_mode.py",
                                                       "torch/overrides.py",
                                                       "model/transformer.py",
                                                       "model/attention.py",
                                                       "model/mlp.py",
                                                       "model/blocks.py",
                                                       "train/loop.py",
                                                       "train/hooks.py"};
  constexpr std::array<std::string_view, 10> kFunctions = {
      "forward",   "_call_impl", "_wrapped_call_impl", "__getattr__",   "inner",
      "decorated", "__enter__",  "__exit__",           "_conv_forward", "run_layer"};
  std::vector<std::string> names;
  for (int i = 0; i < kPythonNames; ++i) {
    const auto file = static_cast<std::size_t>(i) % kFiles.size();
    const auto function = static_cast<std::size_t>(i / 7) % kFunctions.size();
    names.push_back(fmt::format("{}({}): {}", kFiles[file], 31 + i * 37 % 1900, kFunctions[function]));
  }
  return names;
}

}  // namespace

const std::vector<KernelSpec>& kernels() {
  return table().all;
}

int kernel_of(Family family, int layer) {
  const auto [first, number] = table().range[static_cast<std::size_t>(family)];
  return first + layer % number;
}

const std::string& python_name(int index) {
  static const std::vector<std::string> kNames = build_python_names();
  return kNames[static_cast<std::size_t>(index)];
}

}  // namespace tracegen
