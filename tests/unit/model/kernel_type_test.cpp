#include "hta/model/kernel_type.h"

#include <catch2/catch.hpp>

using namespace hta;

namespace {
std::string_view type_of(std::string_view name, GpuCategory category = GpuCategory::kKernel,
                         CollectiveName collective = CollectiveName::kAbsent) {
  return kernel_type_name(classify_by_name(category, name, collective));
}
}  // namespace

TEST_CASE("kernel type: copies are memory by category, whatever they are called") {
  CHECK(type_of("ncclSomething", GpuCategory::kCopyOrSet) == "MEMORY");
  CHECK(type_of("Memcpy DtoD (Device -> Device)") == "MEMORY");
  CHECK(type_of("__amd_rocclr_fillBufferAligned") == "MEMORY");
  CHECK(type_of("CopyHostToDevice") == "MEMORY");
  CHECK(type_of("hipMemcpyWithStream is no copy kernel") == "COMPUTATION");
}

TEST_CASE("kernel type: communication is known by library, by custom kernels and by arguments") {
  CHECK(type_of("ncclDevKernel_AllReduce_Sum_bf16_RING_LL") == "COMMUNICATION");
  CHECK(type_of("void vllm::cross_device_reduce_1stage<half, 8>(...)") == "COMMUNICATION");
  CHECK(type_of("deep_ep::internode::dispatch") == "COMMUNICATION");
  CHECK(type_of("some_kernel", GpuCategory::kKernel, CollectiveName::kPresent) == "COMMUNICATION");
  CHECK(type_of("memcpy of a collective", GpuCategory::kKernel, CollectiveName::kPresent) == "MEMORY");
  CHECK(type_of("gemm_nccl_free") == "COMPUTATION");
}

TEST_CASE("kernel type: bookkeeping of MTIA is other work") {
  CHECK(type_of("runFunction: main", GpuCategory::kMtia) == "OTHER");
  CHECK(type_of("matmul", GpuCategory::kMtia) == "COMPUTATION");
  CHECK(type_of("runFunction: main") == "COMPUTATION");
}

TEST_CASE("kernel type: rules of the user come first, the first match counts") {
  const auto rules = KernelRules::compile({{"^my_", KernelType::kCommunication}, {"gemm", KernelType::kOther}});
  REQUIRE(rules.ok());
  CHECK(rules->match("my_gemm") == KernelType::kCommunication);
  CHECK(rules->match("a gemm") == KernelType::kOther);
  CHECK_FALSE(rules->match("softmax"));
  CHECK(KernelRules::compile({{"(", KernelType::kOther}}).error().code == ErrorCode::kUsage);
}
